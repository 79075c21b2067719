"""Exact partitions of walls beside sixteen seeds of constrained k-means on the same walls.

    pytest benchmarks/bench_partition.py --benchmark-only

Each row's ``ms_a_wall`` is the least time of its rounds over the walls. ``mean_cost`` beside it is the
mean over walls of the cost that was found (the least of the sixteen seeds, for k-means), and
``solved_by_k_means`` the share of walls on which those sixteen seeds found the optimum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fourfold.engine import cluster_batch
from fourfold.engine.partition import best_partitions

N_WALLS = 618


def walls(n_walls: int, n_points: int, n_features: int = 384) -> Any:
    """Gram matrices of unit vectors, a little nearer to each other within a group, as clues are."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(n_walls, 4, 1, n_features))
    points = rng.normal(size=(n_walls, 4, n_points // 4, n_features)) + 0.3 * shared
    points = points.reshape(n_walls, -1, n_features)
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    return points @ points.transpose(0, 2, 1)


@pytest.fixture(scope="module")
def four_by_four() -> Any:
    return walls(N_WALLS, 16)


def record(benchmark: Any, n_walls: int, cost: Any) -> None:
    benchmark.extra_info["ms_a_wall"] = round(1e3 * benchmark.stats.stats.min / n_walls, 4)
    benchmark.extra_info["mean_cost"] = round(float(cost.mean()), 6)


@pytest.mark.parametrize("n_jobs", [1, None], ids=["one_thread", "all_threads"])
@pytest.mark.parametrize("top", [1, 10])
def test_exact(benchmark: Any, four_by_four: Any, top: int, n_jobs: int | None) -> None:
    best_partitions(four_by_four[:2], 4, top=top)
    found = benchmark(best_partitions, four_by_four, 4, top, n_jobs=n_jobs)
    record(benchmark, N_WALLS, found.cost[:, 0])


@pytest.mark.parametrize("n_jobs", [1, None], ids=["one_thread", "all_threads"])
def test_sixteen_seeds_of_k_means(benchmark: Any, four_by_four: Any, n_jobs: int | None) -> None:
    arguments = {"n_clusters": 4, "size_min": 4, "size_max": 4, "seeds": 16, "n_jobs": n_jobs}
    cluster_batch(gram=four_by_four[:2], **arguments)
    found = benchmark(lambda: cluster_batch(gram=four_by_four, **arguments))
    least = found.inertia.min(axis=1)
    record(benchmark, N_WALLS, least)
    exact = best_partitions(four_by_four, 4).cost[:, 0]
    benchmark.extra_info["solved_by_k_means"] = round(float((least <= exact * (1 + 1e-9)).mean()), 4)


@pytest.mark.parametrize("n_walls", [1, 4])
@pytest.mark.parametrize(
    "sizes",
    [(4,) * 5, (5,) * 4, (4,) * 6, (5,) * 5, (4,) * 8, (6,) * 6],
    ids=["5x4", "4x5", "6x4", "5x5", "8x4", "6x6"],
)
def test_larger_walls(benchmark: Any, sizes: tuple[int, ...], n_walls: int) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n_walls, sum(sizes), 64))
    gram = points @ points.transpose(0, 2, 1)
    best_partitions(np.eye(8), 2)
    found = benchmark.pedantic(best_partitions, (gram, sizes), rounds=2)
    record(benchmark, n_walls, found.cost[:, 0])
