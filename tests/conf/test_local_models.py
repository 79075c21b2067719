"""Titles and the paper's rows of models in folders, and ``paths.models``, through a run's words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourfold.conf.compose import compose_run
from fourfold.conf.model_schema import FusedConfig
from fourfold.errors import UserError

SIZES = {"model_type": "mpnet", "hidden_size": 768, "num_hidden_layers": 12, "vocab_size": 30527}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder that holds all-mpnet-base-v2, without weights, and another model called e5-base-v2."""
    for name, sizes in (("all-mpnet-base-v2", SIZES), ("e5-base-v2", {**SIZES, "model_type": "bert"})):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(sizes))
        (folder / "model.safetensors").touch()
        (folder / "tokenizer.json").touch()
    return tmp_path


def shown(*words: str) -> tuple[str, str, str | None]:
    model = compose_run(words).model
    return model.name, model.title, model.paper_row


def test_a_folder_that_holds_the_choices_model_keeps_its_title_and_row(models: Path) -> None:
    mpnet, other = str(models / "all-mpnet-base-v2"), str(models / "e5-base-v2")
    assert shown("model=all_mpnet_base", f"model.name={mpnet}") == (mpnet, "all-mpnet base", "all_mpnet_base")
    own = (mpnet, "all-mpnet base, own pooling", None)
    assert shown("model=all_mpnet_base_own", f"model.name={mpnet}") == own
    assert shown("model=all_mpnet_base", f"model.name={other}") == (other, "", None)
    assert shown("model=e5_base", f"model.name={mpnet}") == (mpnet, "", None)
    assert shown(f"model.name={mpnet}") == (mpnet, "", None)
    given = shown("model=e5_base", "model.name=intfloat/e5-base-v2")
    assert given == ("intfloat/e5-base-v2", "E5 base", "e5_base")


def test_models_are_found_by_their_names(models: Path) -> None:
    where = f"paths.models={models}"
    mpnet, other = str(models / "all-mpnet-base-v2"), str(models / "e5-base-v2")
    assert shown("model=all_mpnet_base", where) == (mpnet, "all-mpnet base", "all_mpnet_base")
    assert shown("model=e5_base", where) == (other, "", None)  # of other sizes
    assert shown("model=bert_base", where)[0] == "bert-base-uncased"  # not there
    assert shown("model=minilm", where)[0] == "packaged:all-MiniLM-L6-v2"
    assert shown("model.name=sentence-transformers/all-mpnet-base-v2", where) == (mpnet, "", None)
    fused = compose_run(["model=fused", "model.parts=[minilm,all_mpnet_base_own]", where]).model
    assert isinstance(fused, FusedConfig)
    assert [part.name for part in fused.models] == ["packaged:all-MiniLM-L6-v2", mpnet]
    with pytest.raises(UserError, match=r"paths.models=.*nowhere: there is no such folder"):
        compose_run(["model=bert_base", f"paths.models={models / 'nowhere'}"])
