"""A run repeated from its record alone."""

import json
from dataclasses import replace

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder import repeat as repeat_module
from fourfold.experiments.runs.encoder.files import LABELS, read_record
from fourfold.experiments.runs.encoder.repeat import repeat
from fourfold.experiments.runs.store import write_checksums
from fourfold.experiments.terminal.progress import ProgressBars


@pytest.fixture
def words(walls_file, tmp_path):
    return ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=3"]


def go(words, *more):
    return run(compose_run([*words, *more]), ProgressBars(shown=False))


def again(folder, **options):
    return repeat(folder, ProgressBars(shown=False), **options)


@pytest.mark.parametrize("more", [[], ["solver=exact", "seeds=1"], ["features=pca", "solver.random_state=7"]])
def test_a_run_comes_out_equal(words, more, encoder):
    done = go(words, *more)
    found = again(done.folder)
    assert found.equal
    assert (found.same_fits, found.n_fits) == (done.record.n_seeds * 3, done.record.n_seeds * 3)
    assert (found.inertia_apart, found.metrics_apart, found.versions, found.encoder) == (0, {}, {}, {})
    assert found.folder is None


def test_a_run_in_context_comes_out_equal(words, contextual):
    assert again(go(words, "embedding=contextual").folder).equal


def test_it_is_the_record_that_is_repeated_from_any_folder(words, encoder, tmp_path, monkeypatch, walls_file):
    monkeypatch.chdir(tmp_path)
    done = go(["dataset=ocw", "paths.ocw=walls.json", "out=runs", "seeds=2"])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert again(tmp_path / done.folder).equal
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_repetition_can_be_kept_but_not_in_the_place_of_the_record(words, encoder, tmp_path):
    done = go(words)
    with pytest.raises(UserError, match=r"holds a record .* already: name another folder"):
        again(done.folder, out=tmp_path / "runs")
    found = again(done.folder, out=tmp_path / "more", cache="false")
    assert found.folder == tmp_path / "more" / done.record.name
    kept = read_record(found.folder)
    assert kept.metrics == done.record.metrics
    assert kept.config == done.record.config | {"cache": "false"}


def test_what_came_out_otherwise_is_told(words, encoder, capsys, monkeypatch):
    done = go(words)
    path = done.folder / LABELS
    with np.load(path) as arrays:
        labels, inertia = arrays["labels"].copy(), arrays["inertia"].copy()
    labels[0, 0] = np.roll(labels[0, 0], 1)
    inertia[1, 2] *= 1 + 1e-6
    np.savez_compressed(path, labels=labels, inertia=inertia)
    text = (done.folder / "record.json").read_text(encoding="utf-8")
    record = json.loads(text)
    record["versions"]["numpy"] = "0.1"
    (done.folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
    write_checksums(done.folder)
    found = again(done.folder)
    assert not found.equal
    assert (found.same_fits, found.n_fits) == (8, 9)
    assert found.inertia_apart == pytest.approx(1e-6, rel=1e-3)
    assert found.versions == {"numpy": ("0.1", np.__version__)}
    assert main(["run", "--from", str(done.folder)]) == 1
    said = capsys.readouterr().out
    assert "labels: other in 1 of 9 fits (3 walls, 3 seeds)" in said
    assert "inertia: up to 1.0e-06 apart" in said
    assert f"version of numpy: 0.1 then, {np.__version__} now" in said


def test_walls_that_are_others_are_refused_and_moved_ones_found(words, encoder, walls_file, tmp_path):
    done = go(words)
    moved = walls_file.rename(tmp_path / "moved.json")
    with pytest.raises(UserError, match="say where they are with --walls PATH"):
        again(done.folder)
    assert again(done.folder, walls_path=str(moved)).equal
    moved.write_text(moved.read_text(encoding="utf-8").replace("All a", "All of a"), encoding="utf-8")
    with pytest.raises(UserError, match="are not those of the record"):
        again(done.folder, walls_path=str(moved))


def test_a_hub_model_is_taken_at_the_records_commit(words, encoder):
    config = compose_run(["model.name=some/model"])
    record = replace(go(words).record, encoder={"source": "hub", "commit": "abc"})
    assert repeat_module._pinned(config, record).model.revision == "abc"
    local = replace(record, encoder={"source": "packaged", "commit": None})
    assert repeat_module._pinned(config, local).model.revision is None


def test_the_parts_of_a_fused_model_are_taken_at_theirs(words, encoder):
    config = compose_run(["model=fused", "model.parts=[some/model,minilm,other/model]"])
    parts = [{"commit": "abc"}, {"commit": None}, {"commit": "def"}]
    record = replace(go(words).record, encoder={"encoder": "fused", "parts": parts})
    pinned = repeat_module._pinned(config, record).model
    assert [part.revision for part in pinned.models] == ["abc", None, "def"]
    assert [part.name for part in pinned.models] == [part.name for part in config.model.models]


def test_labels_of_another_shape_are_damage(words, encoder):
    done = go(words)
    np.savez_compressed(done.folder / LABELS, labels=np.zeros((1, 1, 16), np.int8), inertia=np.zeros((1, 1)))
    write_checksums(done.folder)
    with pytest.raises(UserError, match=r"damaged .labels of shape \(1, 1, 16\)"):
        again(done.folder)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["seeds=3"], "seeds=3: --from repeats a run as it was"),
        (["out="], "out=: --from repeats a run as it was"),
        (["--walls", "/no/such"], "walls are not at /no/such"),
    ],
)
def test_a_mistake_is_one_line(words, more, said, encoder, capsys):
    folder = go(words).folder
    assert main(["run", "--from", str(folder), *more]) == 2
    assert said in capsys.readouterr().err
    assert main(["run", "--walls", "x"]) == 2
    assert "--walls is for --from" in capsys.readouterr().err
