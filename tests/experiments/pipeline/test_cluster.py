"""The clusters of Gram matrices in every run.
Clustering and scoring in blocks changes nothing but the memory that it takes.
"""

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.conf.solver_schema import ExactConfig, KMeansConfig
from fourfold.engine import cluster_batch
from fourfold.engine.partition import best_partitions
from fourfold.errors import ItemError
from fourfold.experiments.metrics import score_labels
from fourfold.experiments.pipeline import cluster as blocks
from fourfold.experiments.pipeline.cluster import cluster, cluster_in_blocks, score_in_blocks
from fourfold.experiments.pipeline.gram import centred_gram
from fourfold.experiments.pipeline.orders import clue_order

N_RUNS = 4


def points(*shape):
    return np.random.default_rng(0).normal(size=(*shape, 16, 3))


def test_k_means_on_one_matrix_a_wall_differs_in_the_order_alone():
    walls = points(5)
    found = cluster(compose_run([]).solver, centred_gram(walls)[:, np.newaxis], N_RUNS)
    assert found.labels.shape == (5, N_RUNS, 16)
    for run in range(N_RUNS):
        alone = cluster_batch(
            walls, 4, 4, 4, seeds=[42], n_init=10, orders=[clue_order(run, 16)], assignment_cost="euclidean"
        )
        np.testing.assert_array_equal(found.labels[:, run], alone.labels[:, 0])
        np.testing.assert_allclose(found.inertia[:, run], alone.inertia[:, 0], rtol=1e-9)


def test_k_means_on_one_matrix_a_wall_and_run():
    walls = points(5, N_RUNS)
    found = cluster(compose_run([]).solver, centred_gram(walls), N_RUNS)
    assert found.labels.shape == (5, N_RUNS, 16)
    assert found.inertia.shape == found.status.shape == found.n_iter.shape == (5, N_RUNS)
    for wall, run in np.ndindex(5, N_RUNS):
        alone = cluster_batch(
            walls[wall, run][np.newaxis],
            4,
            4,
            4,
            seeds=[42],
            orders=[clue_order(run, 16)],
            assignment_cost="euclidean",
        )
        np.testing.assert_array_equal(found.labels[wall, run], alone.labels[0, 0])


@pytest.mark.parametrize("solver", ["kmeans", "exact"])
def test_the_same_matrix_in_every_run_is_one_matrix_for_all(solver):
    gram = centred_gram(points(5))[:, np.newaxis]
    config = compose_run([f"solver={solver}"]).solver
    each = cluster(config, np.repeat(gram, N_RUNS, axis=1), N_RUNS)
    if solver == "kmeans":
        np.testing.assert_array_equal(each.labels, cluster(config, gram, N_RUNS).labels)
    else:
        np.testing.assert_allclose(each.inertia, cluster(config, gram, 1).inertia.repeat(N_RUNS, 1))


def test_the_exact_solver_numbers_groups_in_the_order_of_its_run():
    gram = centred_gram(points(5, N_RUNS))
    found = cluster(compose_run(["solver=exact"]).solver, gram, N_RUNS)
    assert found.labels.shape == (5, N_RUNS, 16)
    assert found.inertia.shape == found.status.shape == found.n_iter.shape == (5, N_RUNS)
    for wall, run in np.ndindex(5, N_RUNS):
        labels = found.labels[wall, run]
        assert list(dict.fromkeys(labels[clue_order(run, 16)].tolist())) == [0, 1, 2, 3]
        alone = best_partitions(gram[wall, run][np.newaxis], 4)
        np.testing.assert_allclose(found.inertia[wall, run], alone.cost[0, 0], rtol=1e-9)
        same = labels[:, np.newaxis] == labels
        np.testing.assert_array_equal(same, alone.labels[0, 0][:, np.newaxis] == alone.labels[0, 0])


def test_matrices_for_another_number_of_runs_are_refused():
    with pytest.raises(ValueError, match="got 2 Gram matrices a wall for 4 runs: expected 1 or 4"):
        cluster(compose_run([]).solver, centred_gram(points(5, 2)), N_RUNS)


N_WALLS, N_SEEDS = 5, 7
TRUTH = np.repeat(np.arange(4), 4)[np.newaxis].repeat(N_WALLS, axis=0)


def gram(per_seed=False):
    points = np.random.default_rng(0).normal(size=(N_WALLS, N_SEEDS if per_seed else 1, 16, 6))
    return centred_gram(points)


@pytest.mark.parametrize("per_seed", [False, True])
@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_blocks_of_walls_give_the_same_labels(monkeypatch, per_seed, at_once):
    monkeypatch.setattr(blocks, "BLOCK_LABELS", at_once * N_SEEDS * 16)
    told = []
    solver = KMeansConfig(n_init=2)
    found = cluster_in_blocks(solver, gram(per_seed), N_SEEDS, lambda *done: told.append(done))
    whole = cluster(solver, gram(per_seed), N_SEEDS)
    assert found.labels.dtype == np.int8
    np.testing.assert_array_equal(found.labels, whole.labels)
    np.testing.assert_array_equal(found.inertia, whole.inertia)
    assert (found.unfinished, found.device) == (0, whole.device)
    assert told[-1] == (N_WALLS, N_WALLS)


def test_fits_that_did_not_converge_are_counted_over_all_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_LABELS", 1)
    solver = KMeansConfig(n_init=1, max_iter=1)
    expected = np.count_nonzero(cluster(solver, gram(), N_SEEDS).status)
    assert cluster_in_blocks(solver, gram(), N_SEEDS).unfinished == expected > 0


def test_an_error_names_the_wall_by_its_number_among_all(monkeypatch):
    def refuse_last(solver, gram, n_runs, update, orders=None):
        if gram[0, 0, 0, 0] == last:
            raise ItemError(0, "it cannot be")
        return cluster(solver, gram, n_runs)

    last = gram()[-1, 0, 0, 0]
    monkeypatch.setattr(blocks, "BLOCK_LABELS", 1)
    monkeypatch.setattr(blocks, "cluster", refuse_last)
    with pytest.raises(ItemError) as caught:
        cluster_in_blocks(ExactConfig(), gram(), 1)
    assert caught.value.item == N_WALLS - 1


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_blocks_of_seeds_give_the_same_scores(monkeypatch, block):
    monkeypatch.setattr(blocks, "BLOCK_LABELS", block * N_WALLS * 16)
    labels = cluster(KMeansConfig(n_init=1), gram(), N_SEEDS).labels.astype(np.int8)
    whole = score_labels(labels, TRUTH)
    found = score_in_blocks(labels, TRUTH)
    assert list(found) == list(whole.values)
    for name, values in whole.per_seed().items():
        np.testing.assert_allclose(found[name].per_seed, values, rtol=1e-12, atol=0)
        np.testing.assert_allclose(
            (found[name].mean, found[name].std), whole.summary()[name], rtol=1e-12, atol=1e-12
        )


def test_a_metric_that_some_seeds_lack_is_left_out(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_LABELS", 1)
    labels = np.broadcast_to(TRUTH[:, np.newaxis], (N_WALLS, 3, 16)).copy()
    labels[0, 1, 0] = 1  # groups of 3 and 5
    found = score_in_blocks(labels, TRUTH)
    assert "wd" not in found
    assert len(found["ari"].per_seed) == 3
