"""Runs without a model: walls in a file, and an encoder in the place of the real one."""

import json
from pathlib import Path

import pytest
from letter_walls import LetterEncoder, WallReader, walls_document

from fourfold.experiments import encoders
from fourfold.experiments import run as run_module


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


def put_in_place(monkeypatch, encoder):
    for module in (encoders, run_module):
        monkeypatch.setattr(module, "make_encoder", lambda *_: encoder)
    return encoder
