"""Clustering and scoring in blocks changes nothing but the memory that it takes."""

import numpy as np
import pytest

from fourfold.conf.solver_schema import ExactConfig, KMeansConfig
from fourfold.errors import WallError
from fourfold.experiments.metrics import score_labels
from fourfold.experiments.pipeline import blocks
from fourfold.experiments.pipeline.blocks import cluster_in_blocks, score_in_blocks
from fourfold.experiments.pipeline.clustering import cluster
from fourfold.experiments.pipeline.gram import centred_gram

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
            raise WallError(0, "it cannot be")
        return cluster(solver, gram, n_runs)

    last = gram()[-1, 0, 0, 0]
    monkeypatch.setattr(blocks, "BLOCK_LABELS", 1)
    monkeypatch.setattr(blocks, "cluster", refuse_last)
    with pytest.raises(WallError) as caught:
        cluster_in_blocks(ExactConfig(), gram(), 1)
    assert caught.value.wall == N_WALLS - 1


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
