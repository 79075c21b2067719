"""Predictions in the paper's JSON."""

import json
import random

import pytest

from fourfold.conf.compose import compose_run
from fourfold.errors import UserError
from fourfold.experiments.metrics import METRICS, score_groups
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder import export as export_module
from fourfold.experiments.runs.encoder.export import export
from fourfold.experiments.runs.encoder.files import read_labels
from fourfold.experiments.terminal.progress import ProgressBars


@pytest.fixture
def done(walls_file, tmp_path, encoder):
    """A run's outcome."""
    config = compose_run(["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=3"])
    return run(config, ProgressBars(shown=False))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_one_file_a_run_with_the_papers_fields(done, walls_file):
    out = export(done.folder)
    assert out == done.folder / "predictions"
    assert sorted(path.name for path in out.iterdir()) == [
        "run_00_predictions.json",
        "run_01_predictions.json",
        "run_02_predictions.json",
    ]
    walls = read(walls_file)["dataset"]
    for path in out.iterdir():
        entries = read(path)
        assert [entry["wall_id"] for entry in entries] == [wall["wall_id"] for wall in walls]
        for entry, wall in zip(entries, walls, strict=True):
            assert list(entry) == [
                "wall_id", "predicted_groups", "predicted_connections", "gt_groups", "gt_connections",
            ]  # fmt: skip
            assert entry["predicted_connections"] is None
            assert entry["gt_connections"] == wall["gt_connections"]
            assert entry["gt_groups"] == [group["gt_words"] for group in wall["groups"].values()]
            assert [len(group) for group in entry["predicted_groups"]] == [4, 4, 4, 4]


def test_groups_come_in_cluster_order_and_their_clues_in_the_runs_order(done, walls_file):
    out = export(done.folder)
    labels = read_labels(done.folder)
    for number in range(3):
        for place, entry in enumerate(read(out / f"run_{number:02}_predictions.json")):
            clues = read(walls_file)["dataset"][place]["words"]
            label = dict(zip(clues, labels[place, number], strict=True))
            order = random.Random(number).sample(clues, 16)
            for cluster, group in enumerate(entry["predicted_groups"]):
                assert {label[clue] for clue in group} == {cluster}
                assert [order.index(clue) for clue in group] == sorted(order.index(clue) for clue in group)


def test_the_exported_texts_score_as_the_record_says(done):
    out = export(done.folder)
    for number in range(3):
        entries = read(out / f"run_{number:02}_predictions.json")
        values = score_groups(
            [entry["predicted_groups"] for entry in entries], [entry["gt_groups"] for entry in entries]
        )
        per_seed = values.per_seed()
        for name in METRICS:
            assert per_seed[name][0] == pytest.approx(done.record.metrics[name].per_seed[number], abs=1e-9)


def test_an_earlier_export_is_replaced_only_by_force(done, tmp_path):
    out = tmp_path / "deep" / "predictions"
    assert export(done.folder, out) == out
    with pytest.raises(
        UserError, match=r"is there already: choose another --out, or replace it with --force"
    ):
        export(done.folder, out)
    (out / "run_00_predictions.json").write_text("old", encoding="utf-8")
    export(done.folder, out, force=True)
    assert read(out / "run_00_predictions.json")


def test_force_replaces_nothing_but_an_export(done, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for name, held in (("mine", "thesis.txt"), ("file", "file")):
        with pytest.raises(UserError, match=rf"not an earlier export .it holds {held}."):
            export(done.folder, tmp_path / name, force=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_walls_that_moved_can_be_named(done, walls_file, tmp_path):
    moved = walls_file.rename(tmp_path / "moved.json")
    with pytest.raises(UserError, match=r"not at .*walls.json: say where they are with --walls PATH"):
        export(done.folder)
    assert export(done.folder, walls_path=str(moved)).is_dir()


def test_walls_that_changed_are_refused(done, walls_file):
    text = walls_file.read_text(encoding="utf-8")
    walls_file.write_text(text.replace("All a", "All of a"), encoding="utf-8")
    with pytest.raises(UserError, match=r"walls.json are not those of the record"):
        export(done.folder)
    assert not (done.folder / "predictions").exists()


def test_a_failure_in_the_middle_leaves_nothing(done, tmp_path, monkeypatch):
    calls = []

    def fail_later(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return []

    monkeypatch.setattr(export_module, "predictions", fail_later)
    out = tmp_path / "out" / "predictions"
    with pytest.raises(UserError, match=r"cannot be written .No space left on device."):
        export(done.folder, out)
    assert list(out.parent.iterdir()) == []


def test_a_damaged_record_is_not_exported(done):
    (done.folder / "labels.npz").write_bytes(b"PK")
    with pytest.raises(UserError, match="damaged"):
        export(done.folder)
    with pytest.raises(UserError, match="is not a folder"):
        export(done.folder / "elsewhere")
