"""The order in which a seed meets the points of a problem, where none is given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .flow_arrays import Floats, Ints
from .jit import kernel
from .rng import uniform_pair

_ORDERS = np.uint64(0xFFFFFFFFFFFFFFFF)  # a stream of draws of its own: no start has this number


@kernel
def draw_orders(
    seeds: NDArray[np.uint64],  # (n_seeds,) uint64  IN
    orders: Ints,  # (n_seeds, n_points) int64  OUT, each row holds 0 to n_points - 1 once
) -> None:
    """Shuffle the points for each seed (Fisher and Yates), by the seed alone."""
    n_points = orders.shape[1]
    for s in range(seeds.shape[0]):
        order = orders[s]
        for i in range(n_points):
            order[i] = i
        for i in range(n_points - 1, 0, -1):
            fraction, _ = uniform_pair(seeds[s], _ORDERS, i)
            other = min(int(fraction * (i + 1)), i)
            order[i], order[other] = order[other], order[i]


@kernel
def in_order(
    distances: Floats,  # (n_points, n_points) float64  IN
    order: Ints,  # (n_points,) int64  IN
    permuted: Floats,  # (n_points, n_points) float64  OUT
) -> None:
    """The distances between the points in that order."""
    n_points = order.shape[0]
    for a in range(n_points):
        row = distances[order[a]]
        for b in range(n_points):
            permuted[a, b] = row[order[b]]


@kernel
def place(order: Ints | None, i: int) -> int:
    """Where the i-th point in ``order`` stands; ``order`` is None where the points stand in order.

    What is None is known when a kernel is compiled, so that it costs nothing there.
    """
    return i if order is None else order[i]
