"""A run from walls to its record, with an encoder that needs no model."""

import json
import random

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.errors import ItemError, UserError
from fourfold.experiments.data.dataset import load_walls
from fourfold.experiments.metrics import METRICS, score_labels
from fourfold.experiments.pipeline import run as run_module
from fourfold.experiments.pipeline.encode import model_identity
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder.files import read_herrings, read_labels, read_record
from fourfold.experiments.terminal.progress import ProgressBars


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
    assert set(record.timings) == {"read", "model", "encode", "cluster", "score", "herrings"}


@pytest.mark.parametrize("solver", ["kmeans", "exact"])
def test_the_red_herrings_are_kept_beside_the_labels(compose, encoder, solver):
    seeds = 1 if solver == "exact" else 3
    outcome = run(compose(f"solver={solver}", f"seeds={seeds}"), ProgressBars(shown=False))
    found = read_herrings(outcome.folder)
    assert found.margin.tolist() == [0.0, 0.0, 0.0]
    assert found.cost_true.shape == (3, 1)
    assert not found.misplaced(load_walls(compose().dataset).truth).any()


def test_red_herrings_in_context_are_of_the_first_sixteen_orders(compose, contextual):
    outcome = run(compose("embedding=contextual", "seeds=18"), ProgressBars(shown=False))
    assert read_herrings(outcome.folder).cost_true.shape == (3, 16)


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


def test_more_orders_than_the_memory_holds_are_refused(compose, contextual, monkeypatch):
    monkeypatch.setattr("fourfold.experiments.pipeline.gram.free_bytes", lambda: 2**12)
    with pytest.raises(UserError, match=r"seeds=3 in context is a matrix for each of 3 walls .*fewer seeds"):
        run(compose("embedding=contextual"), ProgressBars(shown=False))
    assert contextual.calls == []


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

    monkeypatch.setattr(run_module, "cluster_in_blocks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(compose(), ProgressBars(shown=False))
    assert not (tmp_path / "runs").exists()


def test_a_run_that_another_process_finished_first_keeps_that_record(compose, encoder, monkeypatch):
    first = run(compose("cache=false"), ProgressBars(shown=False))
    monkeypatch.setattr(run_module, "find_record", lambda *_: None)  # as it was when this one began
    second = run(compose("cache=false"), ProgressBars(shown=False))
    assert not second.fresh
    assert second.record == first.record
    assert len(encoder.calls) == 2


def test_a_run_in_context_reads_every_wall_in_every_order(compose, contextual, walls_file):
    outcome = run(compose("embedding=contextual"), ProgressBars(shown=False))
    (read,) = contextual.calls
    words = json.loads(walls_file.read_text(encoding="utf-8"))["dataset"][1]["words"]
    assert read[3:6] == [random.Random(number).sample(words, 16) for number in range(3)]
    assert outcome.record.config["embedding"] == {
        "kind": "contextual", "name": "contextual",
        "subtoken": "first", "layers": "all", "leading_space": False,
    }  # fmt: skip
    exact = run(compose("embedding=contextual", "solver=exact", "seeds=3"), ProgressBars(shown=False))
    assert exact.record.n_seeds == 3
    least, found = (np.load(made.folder / "labels.npz")["inertia"] for made in (exact, outcome))
    assert least.shape == (3, 3)
    assert (least <= found * (1 + 1e-9)).all()
    assert (np.ptp(least, axis=1) > 0).all()  # each order has vectors of its own


def test_a_wall_that_cannot_be_read_is_named(compose, contextual, monkeypatch):
    def refuse(walls, progress=None):
        raise ItemError(4, "the clue 'a1' is nothing to this model")

    monkeypatch.setattr(contextual, "encode_in_context", refuse)
    # The fifth sentence is the second wall's second order.
    with pytest.raises(UserError, match=r"^wall wall-1: the clue 'a1' is nothing to this model$"):
        run(compose("embedding=contextual"), ProgressBars(shown=False))


def test_settings_of_the_embedding_are_another_run(compose, contextual):
    names = {
        run(compose(*words), ProgressBars(shown=False)).folder
        for words in ([], ["embedding=contextual"], ["embedding=contextual", "embedding.layers=last"])
    }
    assert len(names) == 3


def test_what_is_only_shown_of_a_model_is_no_part_of_its_identity():
    config = compose_run([]).model
    same = compose_run(["model.title=Mine", "model.paper_row=glove"]).model
    assert model_identity(config) == model_identity(same)
    assert model_identity(config) != model_identity(compose_run(["model.pooling=cls"]).model)


def test_a_models_folder_is_known_by_its_files(tmp_path):
    def identity(name):
        return model_identity(compose_run([f"model.name={name}"]).model)

    assert identity("some/hub-id")["name"] == "some/hub-id"
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (folder / name).write_text("{}", encoding="utf-8")
    assert identity(first) == identity(second)
    (second / "model.safetensors").write_text("{ }", encoding="utf-8")
    assert identity(first) != identity(second)
