"""cluster_batch a fit, beside k-means-constrained: 494 walls x 16 seeds x 10 starts of 768 features.

Run: pytest benchmarks/bench_batch.py

A fit is one wall and one seed, ten starts. The walls are random: four groups of four around centres, with
as much spread as leaves the groups hard to find. Quality is the mean inertia over the walls of the peer.
"""

from __future__ import annotations

import numpy as np
import pytest

from fourfold import cluster_batch

N_WALLS, N_SEEDS, N_INIT = 494, 16, 10
N_PEER_WALLS, N_PEER_SEEDS = 40, 4
GROUP = f"fits of 16 points in 4 groups of 4, {N_INIT} starts (quality: mean inertia, lower is better)"


@pytest.fixture(scope="module")
def walls():
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.normal(size=(N_WALLS, 4, 768)), 4, axis=1)
    return (rng.normal(size=(N_WALLS, 16, 768)) + 0.25 * centres).astype(np.float32)


@pytest.mark.parametrize("assignment_cost", ["squared", "euclidean"])
def test_cluster_batch(compare, walls, assignment_cost):
    compare(
        GROUP,
        f"cluster_batch, {assignment_cost}, {N_WALLS} walls",
        lambda: cluster_batch(walls, 4, 4, 4, seeds=N_SEEDS, n_init=N_INIT, assignment_cost=assignment_cost),
        N_WALLS * N_SEEDS,
        lambda solution: solution.inertia[:N_PEER_WALLS].mean(),
    )


def test_k_means_constrained(compare, walls):
    from k_means_constrained import KMeansConstrained

    data = walls[:N_PEER_WALLS].astype(float)
    compare(
        GROUP,
        f"k-means-constrained, {N_PEER_WALLS} walls, {N_PEER_SEEDS} seeds",
        lambda: [
            KMeansConstrained(4, size_min=4, size_max=4, n_init=N_INIT, random_state=seed).fit(X).inertia_
            for X in data
            for seed in range(N_PEER_SEEDS)
        ],
        N_PEER_WALLS * N_PEER_SEEDS,
        np.mean,
        peer=True,
        rounds=3,
    )
