"""Runs without a model: walls in a file, and an encoder in the place of the real one."""

import json
from pathlib import Path

import pytest
from letter_walls import LetterEncoder, walls_document

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
    made = LetterEncoder()
    monkeypatch.setattr(run_module, "make_encoder", lambda model: made)
    return made
