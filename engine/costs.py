"""Where an assignment's costs come from, a block of rows at a time, and passes over them on all cores."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .device import resolve_n_threads

Floats = NDArray[Any]
Ints = NDArray[np.int64]


class Costs(Protocol):
    """Costs ``(n_points, n_clusters)``, held or worked out when asked for."""

    n_points: int
    n_clusters: int
    block_rows: int
    work: float  # of one row, as the reading of so many numbers
    threads: int

    def block(self, begin: int, end: int) -> Floats:
        """Rows begin to end, C-contiguous, float32 or float64; valid until this thread's next call."""

    def rows(self, index: Ints) -> Floats:
        """The rows named, as a new array."""


class HeldCosts:
    """Costs that are an array."""

    def __init__(self, costs: Floats, threads: int | None = None) -> None:
        self.costs = costs
        self.threads = resolve_n_threads(None) if threads is None else threads
        self.n_points, self.n_clusters = costs.shape
        self.work = self.n_clusters
        self.block_rows = max(1, (1 << 20) // max(1, self.n_clusters))

    def block(self, begin: int, end: int) -> Floats:
        return self.costs[begin:end]

    def rows(self, index: Ints) -> Floats:
        return self.costs[index]


class JitteredCosts:
    """Costs less each row's minimum, plus noise far below their digits.

    Where many rows are equal, millions of moves cost the same and none can be told from another. The
    noise, about 1e-12 of the largest difference in a row, tells them apart and adds no more than that.
    """

    def __init__(self, costs: Costs, noise: float) -> None:
        self.base = costs
        self.noise = noise
        self.work, self.threads = 8 * costs.work, costs.threads
        self.n_points, self.n_clusters = costs.n_points, costs.n_clusters
        self.block_rows = max(1, (1 << 17) // max(1, self.n_clusters))

    def block(self, begin: int, end: int) -> Floats:
        return self._with_noise(self.base.block(begin, end), np.arange(begin, end))

    def rows(self, index: Ints) -> Floats:
        return self._with_noise(self.base.rows(index), index)

    def _with_noise(self, costs: Floats, index: Ints) -> Floats:
        reduced = costs.astype(np.float64)
        reduced -= reduced.min(axis=1, keepdims=True)
        cell = index.astype(np.uint64)[:, None] * np.uint64(self.n_clusters) + np.arange(
            self.n_clusters, dtype=np.uint64
        )
        reduced += unit_noise(cell) * self.noise
        return reduced


def unit_noise(counter: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers in [0, 1) that depend on the counter alone: Steele's SplitMix64."""
    z = (counter + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype(np.float64) * 2.0**-64


def hold(costs: Costs) -> Floats:
    """All costs as one array."""
    if isinstance(costs, HeldCosts):
        return costs.costs
    held = np.empty((costs.n_points, costs.n_clusters), costs.block(0, 1).dtype)
    for begin in range(0, costs.n_points, costs.block_rows):
        block = costs.block(begin, min(costs.n_points, begin + costs.block_rows))
        held[begin : begin + len(block)] = block
    return held
