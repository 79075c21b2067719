"""A run from walls to its record, with an encoder that needs no model."""

import json
import random

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.engine import cluster_batch
from fourfold.errors import UserError
from fourfold.experiments import run as run_module
from fourfold.experiments.data.wall import Group, Wall
from fourfold.experiments.metrics import METRICS, score_labels
from fourfold.experiments.progress import ProgressBars
from fourfold.experiments.record_store import read_labels, read_record
from fourfold.experiments.run import clue_order, load_walls, run, wall_points


@pytest.fixture
def compose(walls_file, tmp_path):
    """Composes a run on ``walls_file`` whose records lie in ``runs`` beside it."""

    def made(*overrides):
        base = ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=3"]
        return compose_run([*base, *overrides])

    return made


def test_a_run_finds_the_groups_and_keeps_a_record(compose, encoder, tmp_path):
    config = compose()
    outcome = run(config, ProgressBars(shown=False))
    assert outcome.fresh
    assert outcome.folder.parent == tmp_path / "runs"
    record = read_record(outcome.folder)
    assert record == outcome.record
    assert list(record.metrics) == list(METRICS)
    assert record.metrics["solved_walls"].per_seed == [3.0, 3.0, 3.0]
    assert record.metrics["correct_groups"].mean == 12.0
    assert record.metrics["ari"].std == 0.0
    assert record.n_seeds == 3
    assert record.unfinished == 0
    assert record.dataset.n_walls == 3
    assert record.dataset.n_groups == 12
    assert record.dataset.human is not None
    assert record.dataset.human["solved_walls"] == 2
    assert record.config["solver"]["n_init"] == 10
    assert record.device == {"encoder": "cpu", "solver": "cpu"}
    assert {"python", "numpy", "numba", "torch", "transformers", "fourfold"} <= record.versions.keys()
    assert set(record.timings) == {"read", "model", "encode", "cluster", "score"}


def test_the_metrics_are_those_of_the_labels(compose, encoder):
    config = compose()
    outcome = run(config, ProgressBars(shown=False))
    labels = read_labels(outcome.folder)
    assert labels.shape == (3, 3, 16)
    scores = score_labels(labels, load_walls(config.dataset).truth)
    for name, (mean, std) in scores.summary().items():
        assert outcome.record.metrics[name].mean == mean
        assert outcome.record.metrics[name].std == std


def test_the_exact_solver_is_never_above_k_means(walls_file, encoder, tmp_path):
    base = ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}"]
    exact = run(compose_run([*base, "solver=exact"]), ProgressBars(shown=False))
    assert exact.record.n_seeds == 1
    assert exact.record.unfinished == 0
    assert exact.record.metrics["solved_walls"].per_seed == [3.0]
    assert exact.record.metrics["solved_walls"].std == 0.0
    kmeans = run(compose_run([*base, "seeds=2"]), ProgressBars(shown=False))
    assert kmeans.folder != exact.folder
    found = np.load(exact.folder / "labels.npz")
    assert found["labels"].shape == (3, 1, 16)
    assert (found["inertia"] <= np.load(kmeans.folder / "labels.npz")["inertia"] * (1 + 1e-6) + 1e-9).all()


def test_the_exact_solver_numbers_groups_in_the_order_of_run_0():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(5, 16, 4)).astype(np.float32)
    solution = run_module.cluster(compose_run(["solver=exact"]).solver, points, 1)
    for labels in solution.labels[:, 0, clue_order(0, 16)]:
        assert list(dict.fromkeys(labels.tolist())) == [0, 1, 2, 3]
    assert solution.labels.shape == (5, 1, 16)
    assert solution.inertia.shape == solution.status.shape == solution.n_iter.shape == (5, 1)


def test_each_text_is_encoded_once(compose, encoder):
    run(compose(), ProgressBars(shown=False))
    (texts,) = encoder.calls
    assert len(texts) == len(set(texts)) == 3 * 16 - 2  # the walls share one clue


def test_the_same_run_again_does_nothing(compose, encoder, walls_file):
    first = run(compose(), ProgressBars(shown=False))
    text = walls_file.read_text(encoding="utf-8")
    walls_file.write_text(json.dumps(json.loads(text), indent=4), encoding="utf-8")  # the same walls
    again = run(compose(), ProgressBars(shown=False))
    assert not again.fresh
    assert again.record == first.record
    assert len(encoder.calls) == 1


def test_other_walls_are_another_run(compose, encoder, walls_file):
    first = run(compose(), ProgressBars(shown=False))
    text = walls_file.read_text(encoding="utf-8")
    walls_file.write_text(text.replace("All a", "All of a"), encoding="utf-8")
    other = run(compose(), ProgressBars(shown=False))
    assert other.fresh
    assert other.folder != first.folder


def test_a_damaged_record_is_not_taken_for_a_run(compose, encoder):
    outcome = run(compose(), ProgressBars(shown=False))
    path = outcome.folder / "record.json"
    path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")
    with pytest.raises(UserError, match=r"damaged .*delete that folder and run again"):
        run(compose(), ProgressBars(shown=False))


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["dataset.path=/no/such/file.json"], "/no/such/file.json"),
        (["dataset.layout=nyt"], "walls.json"),
        (["solver.device=toaster"], "solver.device=toaster: .*'toaster'"),
    ],
)
def test_what_is_wrong_is_found_before_any_work(compose, encoder, tmp_path, overrides, said):
    with pytest.raises(UserError, match=said):
        run(compose(*overrides), ProgressBars(shown=False))
    assert encoder.calls == []
    assert not (tmp_path / "runs").exists()


def test_an_unwritable_folder_is_found_before_any_work(compose, encoder, walls_file):
    with pytest.raises(UserError, match=r"walls.json is a file"):
        run(compose(f"out={walls_file}"), ProgressBars(shown=False))
    assert encoder.calls == []


def test_what_is_wrong_with_the_model_is_found_before_the_walls_are_read(compose):
    with pytest.raises(UserError, match="median"):
        run(compose("model.pooling=median", "dataset.path=/no/such/file"), ProgressBars(shown=False))


def test_an_interrupted_run_leaves_nothing(compose, encoder, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "cluster", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(compose(), ProgressBars(shown=False))
    assert not (tmp_path / "runs").exists()


def test_a_run_that_another_process_finished_first_keeps_that_record(compose, encoder, monkeypatch):
    first = run(compose(), ProgressBars(shown=False))
    monkeypatch.setattr(run_module, "find_record", lambda *_: None)  # as it was when this one began
    second = run(compose(), ProgressBars(shown=False))
    assert not second.fresh
    assert second.record == first.record
    assert len(encoder.calls) == 2


def test_run_r_has_the_order_of_the_papers_run_r():
    words = [f"word {place}" for place in range(16)]
    for number in (0, 1, 15, 999):
        order = clue_order(number, 16)
        assert [words[place] for place in order] == random.Random(number).sample(words, 16)


def test_the_runs_differ_in_the_order_alone(compose):
    config = compose()
    points = np.random.default_rng(0).normal(size=(5, 16, 3)).astype(np.float32)
    solution = run_module.cluster(config.solver, points, 4)
    for number in range(4):
        order = clue_order(number, 16)
        alone = cluster_batch(
            points, 4, 4, 4, seeds=[42], n_init=10, orders=[order], assignment_cost="euclidean"
        )
        np.testing.assert_array_equal(solution.labels[:, number], alone.labels[:, 0])


def test_a_clue_that_repeats_gets_one_vector_in_each_place(encoder):
    clues = tuple(f"{letter}{n}" for letter in "abcd" for n in (1, 2, 3, 1))
    groups = tuple(Group(clues[place : place + 4], "c") for place in range(0, 16, 4))
    wall = Wall("w", clues, groups)
    points = wall_points(encoder, [wall, wall])
    assert points.shape == (2, 16, 5)
    np.testing.assert_array_equal(points[0], points[1])
    np.testing.assert_array_equal(points[0], encoder.encode(clues))
    assert len(encoder.calls[0]) == 12


def test_a_models_folder_is_known_by_its_files(tmp_path):
    config = compose_run(["model.name=some/hub-id"])
    assert run_module.model_files(config.model) is None
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    config = compose_run([f"model.name={folder}"])
    before = run_module.model_files(config.model)
    assert before is not None
    (folder / "model.safetensors").write_text("{ }", encoding="utf-8")
    assert run_module.model_files(config.model) != before
