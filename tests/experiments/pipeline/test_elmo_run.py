"""ELMo by its name on the command line: the configuration, and whole runs with a small model."""

from __future__ import annotations

import json

import pytest

from fourfold.conf.compose import compose_run
from fourfold.conf.model_schema import ElmoConfig
from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.pipeline.encode import make_encoder, model_identity
from fourfold.experiments.tables.paper.encoders import TABLES

pytest.importorskip("torch", reason="ELMo needs the extra 'elmo'")
pytest.importorskip("h5py", reason="ELMo needs the extra 'elmo'")

from elmo_models import ElmoModelFiles, copy_model

from fourfold.embeddings.elmo import ContextualElmoEncoder, ElmoEncoder


@pytest.fixture
def model(tmp_path) -> ElmoModelFiles:
    return copy_model("large", tmp_path / "model")


def encoder_of(*overrides: str) -> ElmoEncoder | ContextualElmoEncoder:
    config = compose_run(["model=elmo", *overrides])
    encoder = make_encoder(config.model, config.embedding)
    assert isinstance(encoder, ElmoEncoder | ContextualElmoEncoder)
    return encoder


def test_one_word_is_the_papers_model():
    config = compose_run(["model=elmo"]).model
    assert isinstance(config, ElmoConfig)
    assert (config.name, config.lower_case, config.carry_state) == ("elmo", True, False)
    assert config.paper_row in TABLES[3].rows
    assert isinstance(encoder_of(), ElmoEncoder)


def test_in_context():
    encoder = encoder_of("embedding=contextual", "embedding.layers=[1,2]", "model.carry_state=true")
    assert isinstance(encoder, ContextualElmoEncoder)
    assert (encoder.layers, encoder.carry_state) == ((1, 2), True)
    assert encoder_of("embedding=contextual").layers == "all"


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["model.carry_state=true"], "model.carry_state=true does not apply to a clue alone"),
        (
            ["embedding=contextual", "embedding.subtoken=mean"],
            "subtoken=mean does not apply to ELMo",
        ),
        (["model.pooling=mean"], "model.pooling= is a setting of another model"),
        (["model.batch_size=0"], "batch_size=0 is too small"),
    ],
)
def test_a_setting_without_use_is_an_error(overrides, said):
    with pytest.raises(UserError, match=said):
        encoder_of(*overrides)


def test_a_folder_is_known_by_what_it_holds(model):
    config = ElmoConfig(str(model.folder))
    before = model_identity(config)
    assert str(model.folder) not in json.dumps(before)
    model.with_option("lstm", "cell_clip", 1)
    assert model_identity(config) != before


@pytest.mark.parametrize(
    ("words", "encoder"),
    [
        ([], "elmo"),
        (["embedding=contextual"], "contextual elmo"),
        (["embedding=contextual", "model.carry_state=true"], "contextual elmo"),
    ],
)
def test_a_run(model, tmp_path, walls_file, capsys, words, encoder):
    settings = ["model=elmo", f"model.name={model.folder}", "device=cpu", "seeds=3"]
    data = ["dataset=ocw", f"dataset.path={walls_file}"]
    assert main(["run", *settings, *data, *words, f"out={tmp_path / 'runs'}"]) == 0
    (folder,) = (tmp_path / "runs").iterdir()
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    assert record["encoder"]["encoder"] == encoder
    assert set(record["encoder"]["files"]) == {"options.json", "weights.hdf5"}
    capsys.readouterr()
    assert main(["run", *settings, *data, *words, f"out={tmp_path / 'runs'}"]) == 0
    assert "already done" in capsys.readouterr().err
