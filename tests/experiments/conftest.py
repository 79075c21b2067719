"""Runs without a model: walls in a file, an encoder in the place of the real one; and a served model."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from letter_walls import LetterEncoder, WallReader, walls_document

from fourfold.experiments.pipeline import encode as encoders
from fourfold.experiments.pipeline import run as run_module
from fourfold.experiments.tasks import hints


@pytest.fixture
def walls_file(tmp_path: Path) -> Path:
    """A file of three walls in the layout of the Only Connect Wall data set."""
    path = tmp_path / "walls.json"
    path.write_text(json.dumps(walls_document()), encoding="utf-8")
    return path


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> LetterEncoder:
    """Puts a ``LetterEncoder`` where a run would load a model."""
    return put_in_place(monkeypatch, LetterEncoder())


@pytest.fixture
def contextual(monkeypatch: pytest.MonkeyPatch) -> WallReader:
    """Puts an encoder that reads whole walls where a run would load a model."""
    return put_in_place(monkeypatch, WallReader())


@dataclass(frozen=True)
class ServedModel:
    """A small language model: its folder, and the base URL of the server that serves it."""

    folder: Path
    url: str


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedModel]:
    """A model behind a server of its own kind; one for all tests, since it takes seconds to start."""
    from model_server import model_server
    from tiny_models import make_chat

    folder = make_chat(tmp_path_factory.mktemp("served") / "chat")
    with model_server(folder, folder.with_name("log.txt")) as url:
        yield ServedModel(folder, url)


def put_in_place(monkeypatch, encoder):
    # Each has the function by its own name, whichever test imports it first.
    for module in (encoders, run_module, hints):
        monkeypatch.setattr(module, "make_encoder", lambda *_: encoder)
    return encoder
