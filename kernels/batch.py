"""What the launches over a batch, on the CPU and on CUDA, are given and fill in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Starts(NamedTuple):
    """What all problems of a batch have in common, in the order in which kernels take it."""

    seeds: NDArray[np.uint64]  # (n_seeds,)
    orders: NDArray[np.int64]  # (n_seeds, n_points)
    n_init: int
    size_min: NDArray[np.int64]  # (n_clusters,)
    size_max: NDArray[np.int64]  # (n_clusters,)
    alike: bool  # all clusters have the same bounds
    euclidean: bool  # assign by distances, not by their squares
    max_iter: int


class Best(NamedTuple):
    """The best start of each problem and seed, in the order in which kernels fill it in."""

    labels: NDArray[Any]  # (n_problems, n_seeds, n_points), integers
    inertia: NDArray[np.float64]  # (n_problems, n_seeds)
    n_iter: NDArray[np.int64]  # (n_problems, n_seeds)
    status: NDArray[np.int64]  # (n_problems, n_seeds)


class Workspace(NamedTuple):
    """Working memory of the starts of one problem."""

    permuted: NDArray[np.float64]  # (n_points, n_points), squared distances in a seed's order
    keys: NDArray[np.int64]  # (n_slots,), a power of two; 1: remember nothing
    solutions: NDArray[np.int64]  # (n_slots + 1, n_points), remembered, as are the next three
    solved_inertia: NDArray[np.float64]  # (n_slots + 1,)
    solved_n_iter: NDArray[np.int64]  # (n_slots + 1,)
    solved_status: NDArray[np.int64]  # (n_slots + 1,)
    closest: NDArray[np.float64]  # (n_points,)
    drawn: NDArray[np.int64]  # (n_clusters,)
    centres: NDArray[np.int64]  # (n_clusters,)
    members: NDArray[np.int64]  # (n_clusters,)
    current: NDArray[np.int64]  # (n_points,)
    planes: NDArray[np.float64]  # this and the rest as lloyd's
    node_floats: NDArray[np.float64]
    node_ints: NDArray[np.int64]
    point_ints: NDArray[np.int64]


def empty_best(n_problems: int, n_seeds: int, n_points: int) -> Best:
    """Arrays to fill in."""
    shape = n_problems, n_seeds
    return Best(
        np.empty((*shape, n_points), np.int64),
        np.empty(shape),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
    )
