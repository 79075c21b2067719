"""A record's configuration and walls, had again from the record alone."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_records import made_record

from fourfold.conf.compose import compose_run
from fourfold.conf.plain import from_plain, to_plain
from fourfold.conf.schema import PathsConfig
from fourfold.errors import UserError
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder.config import config_of, record_walls, with_absolute_paths
from fourfold.experiments.runs.encoder.record import Record
from fourfold.experiments.terminal.progress import ProgressBars


@pytest.fixture
def record(walls_file, tmp_path, encoder):
    words = ["dataset=ocw", f"paths.ocw={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2"]
    return run(compose_run(words), ProgressBars(shown=False)).record


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["model=glove", "dataset=nyt", "dataset.path=x.json"],
        ["model=bpemb", "features=tsne", "features.perplexity=5"],
        ["model=elmo", "embedding=contextual", "embedding.layers=[0,-1]"],
        ["model=flair", "model.name=WordEmbeddings:glove", "model.options={layers:'-1'}", "solver=exact"],
        ["model=fused", "model.parts=[minilm,glove]", "model.weights=[1,2.5]", "features=pca"],
        ["model.revision=abc", "features=similarity", "solver.random_state=7", "seeds=10000"],
    ],
)
def test_a_configuration_is_the_same_after_json(words):
    config = compose_run(words)
    again = from_plain(json.loads(json.dumps(to_plain(config))))
    assert again == config
    assert [type(getattr(again, group)) for group in ("model", "solver", "features")] == [
        type(getattr(config, group)) for group in ("model", "solver", "features")
    ]


def test_a_records_configuration_is_that_of_its_run(record, walls_file, tmp_path):
    config = config_of(Record.from_json(record.to_json()))
    assert config.dataset.path == str(walls_file)
    assert config.paths == PathsConfig()
    assert (config.seeds, config.out) == (2, str(tmp_path / "runs"))
    assert config.model == compose_run([]).model
    assert config.solver == compose_run([]).solver


def test_a_configuration_that_no_run_has_is_an_error():
    record = made_record()
    with pytest.raises(UserError, match=r"0123456789abcdef is damaged .config lacks model"):
        config_of(replace(record, config={key: v for key, v in record.config.items() if key != "model"}))
    with pytest.raises(UserError, match="seeds=0 is too small"):
        config_of(replace(record, config=record.config | {"seeds": 0}))


def test_paths_are_absolute_in_a_record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    words = ["model.name=mine", "dataset=ocw", "dataset.path=w.json", "cache=kept", "out=here"]
    config = with_absolute_paths(compose_run(words))
    found = (config.model.name, config.dataset.path, config.cache, config.out)
    assert found == tuple(str(tmp_path / name) for name in ("mine", "w.json", "kept", "here"))
    config = with_absolute_paths(compose_run(["model=fused", "model.parts=[mine/,glove]"]))
    assert [part.name for part in config.model.models] == [str(tmp_path / "mine"), "glove"]
    config = with_absolute_paths(compose_run(["model.name=some/hub-id"]))
    assert (config.model.name, config.cache) == ("some/hub-id", "true")


def test_the_walls_are_read_where_the_record_or_the_user_says(record, walls_file, tmp_path):
    assert record_walls(record).fingerprint == record.dataset.fingerprint
    moved = walls_file.rename(tmp_path / "moved.json")
    with pytest.raises(UserError, match=r"walls are not at .*walls.json: say where .* --walls PATH"):
        record_walls(record)
    assert record_walls(record, moved).fingerprint == record.dataset.fingerprint
    moved.write_text(moved.read_text(encoding="utf-8").replace("All a", "All of a"), encoding="utf-8")
    with pytest.raises(UserError, match=r"moved.json are not those of the record"):
        record_walls(record, moved)
