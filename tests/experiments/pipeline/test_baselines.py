"""The solvers of others: faiss's k-means without sizes, and k-means-constrained."""

import sys
import warnings

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.conf.solver_schema import FaissConfig, PeerConfig
from fourfold.errors import ItemError, UserError
from fourfold.experiments.pipeline import baselines
from fourfold.experiments.pipeline.baselines import (
    check_faiss,
    euclidean_points,
    faiss_k_means,
    peer_k_means,
    squared_distances,
    sum_of_squares,
)
from fourfold.experiments.pipeline.cluster import check_solver, cluster
from fourfold.experiments.pipeline.gram import centred_gram
from fourfold.experiments.pipeline.orders import clue_order
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder.export import export
from fourfold.experiments.runs.encoder.files import read_labels
from fourfold.experiments.tables.results import results_sheet
from fourfold.experiments.terminal.progress import ProgressBars

N_RUNS = 3


def walls(*shape, n_features=16):
    """Vectors (*shape, 16, n_features)."""
    return np.random.default_rng(0).normal(size=(*shape, 16, n_features))


def one_gram_a_wall(n_walls=4, n_features=16):
    return centred_gram(walls(n_walls, n_features=n_features))[:, np.newaxis]


def partition(labels):
    """A labelling's groups, whatever their numbers."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


@pytest.mark.parametrize("n_features", [1, 3, 16, 40])
def test_points_of_a_gram_matrix_are_as_far_apart_as_its_vectors(n_features):
    vectors = walls(2, 3, n_features=n_features)
    points = euclidean_points(centred_gram(vectors))
    apart = np.linalg.norm(points[..., :, np.newaxis, :] - points[..., np.newaxis, :, :], axis=-1)
    expected = np.linalg.norm(vectors[..., :, np.newaxis, :] - vectors[..., np.newaxis, :, :], axis=-1)
    np.testing.assert_allclose(apart, expected, rtol=0, atol=1e-6)  # 0 is the root of a rounding
    np.testing.assert_allclose(points @ points.swapaxes(-1, -2), centred_gram(vectors), rtol=0, atol=1e-12)


def test_distances_to_means_one_by_one():
    vectors = walls(2, n_features=5)
    labels = np.random.default_rng(1).integers(0, 3, (2, N_RUNS, 16)) * np.array([1, 1, 0])[:, np.newaxis]
    found = squared_distances(centred_gram(vectors)[:, np.newaxis], labels, 4)
    total = sum_of_squares(centred_gram(vectors)[:, np.newaxis], labels, 4)
    for wall, run_ in np.ndindex(2, N_RUNS):
        expected = 0.0
        for group in range(4):
            members = vectors[wall][labels[wall, run_] == group]
            if not len(members):
                assert np.isinf(found[wall, run_, :, group]).all()
                continue
            apart = ((vectors[wall] - members.mean(axis=0)) ** 2).sum(axis=1)
            np.testing.assert_allclose(found[wall, run_, :, group], apart, rtol=1e-9)
            expected += ((members - members.mean(axis=0)) ** 2).sum()
        np.testing.assert_allclose(total[wall, run_], expected, rtol=1e-9)


def test_faiss_finds_groups_of_any_size():
    pytest.importorskip("faiss", reason="the extra faiss is not installed")
    truth = np.random.default_rng(2).permuted(np.tile(np.repeat(range(4), [7, 5, 3, 1]), (3, 1)), axis=1)
    vectors = 50.0 * np.eye(4)[truth] + walls(3, n_features=4)
    seen = []
    found = faiss_k_means(
        FaissConfig(), centred_gram(vectors)[:, np.newaxis], N_RUNS, 4, lambda *x: seen.append(x)
    )
    assert found.labels.shape == (3, N_RUNS, 16)
    assert found.inertia.shape == found.status.shape == found.n_iter.shape == (3, N_RUNS)
    assert (found.device, found.status.max()) == ("cpu", 0)
    for wall, run_ in np.ndindex(3, N_RUNS):
        assert partition(found.labels[wall, run_]) == partition(truth[wall])
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_faiss_depends_on_its_seed_and_the_order_of_clues_alone():
    faiss = pytest.importorskip("faiss", reason="the extra faiss is not installed")
    gram = one_gram_a_wall(12)
    threads = faiss.omp_get_max_threads()
    first = faiss_k_means(FaissConfig(n_init=1), gram, N_RUNS, 4)
    again = faiss_k_means(FaissConfig(n_init=1), gram[5:], N_RUNS, 4)
    np.testing.assert_array_equal(again.labels, first.labels[5:])
    assert faiss.omp_get_max_threads() == threads
    other = faiss_k_means(FaissConfig(n_init=1, random_state=7), gram, N_RUNS, 4)
    assert (other.labels != first.labels).any()
    assert (first.inertia[:, 0] != first.inertia[:, 1]).any()
    many = faiss_k_means(FaissConfig(n_init=50), gram, N_RUNS, 4)
    assert many.inertia.mean() < first.inertia.mean()
    short = faiss_k_means(FaissConfig(n_init=1, max_iter=1), one_gram_a_wall(12, n_features=2), N_RUNS, 4)
    assert short.status.any()
    assert not many.status.any()


def test_faiss_on_equal_vectors_leaves_groups_empty_and_is_no_failure():
    pytest.importorskip("faiss", reason="the extra faiss is not installed")
    found = faiss_k_means(FaissConfig(), np.zeros((1, 1, 16, 16)), 2, 4)
    assert (found.inertia == 0).all()
    assert ((found.labels >= 0) & (found.labels < 4)).all()


@pytest.mark.slow
def test_the_peer_is_k_means_constrained_on_the_vectors():
    peer = pytest.importorskip("k_means_constrained", reason="the extra peer is not installed")
    vectors = walls(5, n_features=16)
    seen = []
    found = peer_k_means(PeerConfig(), centred_gram(vectors)[:, np.newaxis], 2, 4, lambda *x: seen.append(x))
    for wall, run_ in np.ndindex(5, 2):
        order = clue_order(run_, 16)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            direct = peer.KMeansConstrained(
                4, size_min=4, size_max=4, n_init=10, max_iter=300, tol=1e-4, random_state=42
            ).fit(vectors[wall, order])
        np.testing.assert_array_equal(found.labels[wall, run_, order], direct.labels_)
        np.testing.assert_allclose(found.inertia[wall, run_], direct.inertia_, rtol=1e-9)
        assert found.n_iter[wall, run_] == direct.n_iter_
    assert (np.sort(found.labels, axis=-1) == np.repeat(range(4), 4)).all()
    assert (found.device, found.status.max()) == ("cpu", 0)
    assert seen == [(4, 5), (5, 5)]


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["faiss", "peer"])
def test_one_matrix_a_wall_and_run(solver):
    pytest.importorskip("faiss", reason="the extra faiss is not installed")
    pytest.importorskip("k_means_constrained", reason="the extra peer is not installed")
    config = compose_run([f"solver={solver}"]).solver
    gram = centred_gram(walls(2, N_RUNS))
    found = cluster(config, gram, N_RUNS)
    for run_ in range(N_RUNS):
        alone = cluster(config, gram[:, run_ : run_ + 1], N_RUNS)
        np.testing.assert_array_equal(found.labels[:, run_], alone.labels[:, run_])


def test_a_wall_on_which_the_peer_fails_is_named(monkeypatch):
    peer = pytest.importorskip("k_means_constrained", reason="the extra peer is not installed")

    def fail(*_):
        raise IndexError("no\nsuch")

    monkeypatch.setattr(peer.KMeansConstrained, "fit_predict", fail)
    with pytest.raises(ItemError, match=r"fails on its vectors \(IndexError") as caught:
        baselines._peer_walls(PeerConfig(), euclidean_points(one_gram_a_wall(1)), np.arange(16)[None], 4, 8)
    assert caught.value.item == 8


@pytest.mark.parametrize(
    ("solver", "module", "extra"), [("faiss", "faiss", "faiss"), ("peer", "k_means_constrained", "peer")]
)
def test_a_solver_without_its_package_names_the_extra(solver, module, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=rf"is needed and not installed: pip install 'fourfold\[{extra}\]'"):
        check_solver(compose_run([f"solver={solver}"]).solver)


def test_faiss_without_a_card_says_so(monkeypatch):
    faiss = pytest.importorskip("faiss", reason="the extra faiss is not installed")
    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 0, raising=False)
    with pytest.raises(UserError, match=r"solver.device=cuda: this faiss finds no CUDA device.*faiss-gpu"):
        check_faiss(FaissConfig(device="cuda"))
    with pytest.raises(UserError, match=r"solver.device=toaster is not known"):
        check_faiss(FaissConfig(device="toaster"))


@pytest.mark.gpu
def test_faiss_on_a_card_finds_the_same_groups():
    faiss = pytest.importorskip("faiss", reason="the extra faiss is not installed")
    if not (hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0):
        pytest.skip("this faiss is not built for CUDA")
    vectors = 50.0 * np.eye(4)[np.arange(16) % 4] + walls(1, n_features=4)[0]
    found = faiss_k_means(FaissConfig(device="cuda"), centred_gram(vectors)[None, None], 2, 4)
    assert found.device == "cuda"
    assert all(partition(labels) == partition(np.arange(16) % 4) for labels in found.labels[0])


@pytest.mark.slow
def test_runs_with_the_baselines(walls_file, encoder, tmp_path):
    pytest.importorskip("faiss", reason="the extra faiss is not installed")
    pytest.importorskip("k_means_constrained", reason="the extra peer is not installed")
    base = ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2"]
    for solver in ("faiss", "peer"):
        outcome = run(compose_run([*base, f"solver={solver}"]), ProgressBars(shown=False))
        record = outcome.record
        assert record.metrics["solved_walls"].per_seed == [3.0, 3.0]
        packages = ["k-means-constrained"] if solver == "peer" else ["faiss-cpu", "faiss-gpu"]
        assert any(record.versions[package] for package in packages)
        assert record.config["solver"]["name"] == solver
        assert len(results_sheet(record).blocks[0].lines) == 2
        assert len(list(export(outcome.folder).iterdir())) == 2


def test_groups_that_are_not_of_four_have_no_wd(walls_file, encoder, tmp_path, monkeypatch):
    pytest.importorskip("faiss", reason="the extra faiss is not installed")
    # Two of the four letters look alike, so that k-means without sizes puts what it likes where it likes.
    monkeypatch.setattr(
        encoder, "vectors", lambda texts: np.random.default_rng(3).normal(size=(len(texts), 9))
    )
    config = compose_run(
        ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2", "solver=faiss"]
    )
    outcome = run(config, ProgressBars(shown=False))
    assert list(outcome.record.metrics) == ["fms", "ari", "ami", "solved_walls", "correct_groups"]
    sizes = [np.bincount(labels, minlength=4) for labels in read_labels(outcome.folder).reshape(-1, 16)]
    assert any((size != 4).any() for size in sizes)
    made = export(outcome.folder) / "run_00_predictions.json"
    assert made.is_file()
