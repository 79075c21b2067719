"""The clusters of Gram matrices in every run."""

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.engine import cluster_batch
from fourfold.engine.partition import best_partitions
from fourfold.experiments.pipeline.clustering import cluster
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
