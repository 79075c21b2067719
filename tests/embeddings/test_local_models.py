"""Which folder is which published model, on folders without weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fourfold.embeddings.local_models import SHAPES, folder_of, holds_model
from fourfold.errors import UserError

MPNET = "sentence-transformers/all-mpnet-base-v2"
SIZES = {"model_type": "mpnet", "hidden_size": 768, "num_hidden_layers": 12, "vocab_size": 30527}
CARD = "---\nlicense: apache-2.0\ntags:\n- x\n---\n\n# all-mpnet-base-v2\nThis is a model.\n"


def write(folder: Path, card: str | None = None, **config: Any) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({**SIZES, **config}), encoding="utf-8")
    (folder / "model.safetensors").touch()
    (folder / "tokenizer.json").touch()
    if card is not None:
        (folder / "README.md").write_text(card, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "card", "config"),
    [
        ("m", CARD, {"_name_or_path": "microsoft/mpnet-base", "architectures": ["MPNetForMaskedLM"]}),
        ("m", "---\nmodel-index:\n- name: all-mpnet-base-v2\n  results: []\n---\n", {}),
        ("m", "---\nbase_model: microsoft/mpnet-base\n---\n# all-mpnet-base-v2\n", {}),
        ("m", None, {"_name_or_path": MPNET, "architectures": ["MPNetModel"]}),
        ("All-MPNet-base-v2", None, {}),
        ("models--sentence-transformers--all-mpnet-base-v2/snapshots/0123", None, {}),
    ],
)
def test_a_folder_that_says_so_holds_the_model(
    tmp_path: Path, name: str, card: str | None, config: dict[str, Any]
) -> None:
    folder = write(tmp_path / name, card, **config)
    assert [known for known in SHAPES if holds_model(folder, known)] == [MPNET]


@pytest.mark.parametrize(
    ("name", "card", "config"),
    [
        ("m", None, {}),  # nothing says so
        ("m", None, {"_name_or_path": "microsoft/mpnet-base"}),
        ("all-mpnet-base-v2", CARD, {"num_hidden_layers": 6}),  # other sizes
        ("all-mpnet-base-v2", CARD, {"model_type": "bert"}),
        ("m", None, {"_name_or_path": MPNET, "architectures": ["MPNetForSequenceClassification"]}),
        # trained further, as sentence-transformers writes it
        ("m", f"---\nbase_model: {MPNET}\n---\n# SentenceTransformer\n", {"_name_or_path": MPNET}),
        ("all-mpnet-base-v2", f"---\nbase_model:\n- {MPNET}\n---\n# all-mpnet-base-v2\n", {}),
        ("all-mpnet-base-v2/checkpoints/best", None, {}),
        ("all-mpnet-base-v2-mine", "# all-mpnet-base-v2 of mine\n", {}),
    ],
)
def test_another_model_is_not_taken_for_it(
    tmp_path: Path, name: str, card: str | None, config: dict[str, Any]
) -> None:
    assert not holds_model(write(tmp_path / name, card, **config), MPNET)


def test_what_is_damaged_holds_no_model(tmp_path: Path) -> None:
    folder = write(tmp_path / "all-mpnet-base-v2")
    assert not holds_model(folder, "somebody/all-mpnet-base-v2")  # of no known sizes
    for content in ("[1]", "{", "\xff"):
        (folder / "config.json").write_text(content, encoding="latin-1")
        assert not holds_model(folder, MPNET)


CACHE = "models--sentence-transformers--all-mpnet-base-v2/snapshots"


@pytest.mark.parametrize(
    "place",
    [
        "all-mpnet-base-v2",
        "sentence-transformers/all-mpnet-base-v2",
        "sentence-transformers_all-mpnet-base-v2",
        f"{CACHE}/0123",
        f"hub/{CACHE}/0123",
    ],
)
def test_a_model_is_found_by_its_name(tmp_path: Path, place: str) -> None:
    folder = write(tmp_path / place)
    if "snapshots" in place:
        write(folder.parent / "4567")  # an older commit
        refs = folder.parents[1] / "refs"
        refs.mkdir()
        (refs / "main").write_text("0123\n")
        assert folder_of(tmp_path, MPNET, "4567") == folder.parent / "4567"
    else:
        assert folder_of(tmp_path, MPNET, "4567") is None  # a plain folder does not say which commit it is
    assert folder_of(tmp_path, MPNET) == folder
    assert folder_of(tmp_path, "intfloat/e5-base-v2") is None


def test_a_folder_without_its_files_is_passed_over(tmp_path: Path) -> None:
    (write(tmp_path / "sentence-transformers" / "all-mpnet-base-v2") / "tokenizer.json").unlink()
    folder = write(tmp_path / "all-mpnet-base-v2")
    assert folder_of(tmp_path, MPNET) == folder
    with pytest.raises(UserError, match=r"paths.models=.*nowhere: there is no such folder"):
        folder_of(tmp_path / "nowhere", MPNET)
