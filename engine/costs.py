"""Where an assignment's costs come from, a block of rows at a time, and passes over them on all cores."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..kernels.scan import gather_arcs, scan_rows
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
    held: Floats | None = None
    for begin in range(0, costs.n_points, costs.block_rows):
        block = costs.block(begin, min(costs.n_points, begin + costs.block_rows))
        if held is None:
            held = np.empty((costs.n_points, costs.n_clusters), block.dtype)
        held[begin : begin + len(block)] = block
    assert held is not None
    return held


def run_in_threads(work: Callable[[int], None], n_tasks: int, threads: int) -> None:
    """Call ``work(task)`` for every task; an error in any of them is raised here.

    The threads live for one call: nothing is left behind for a fork to inherit.
    """
    tasks = iter(range(n_tasks))
    errors: list[BaseException] = []

    def run() -> None:
        try:
            for task in tasks:
                if errors:
                    return
                work(task)
        except BaseException as error:
            errors.append(error)

    helpers = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, n_tasks) - 1)]
    for helper in helpers:
        helper.start()
    run()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over the costs finds in every row."""

    labels: Ints  # the cheapest cluster
    seconds: Ints  # the next cheapest
    gaps: NDArray[np.float64]  # at most what the next costs more
    infinite_rows: int  # how many rows hold inf


def scan(costs: Costs, prices: Floats) -> Scan:
    """Every row's cheapest cluster at the prices.

    Raises ValueError for a row that holds NaN or -inf, or no finite cost.
    """
    n_points, n_clusters = costs.n_points, costs.n_clusters
    labels, seconds = np.empty((2, n_points), np.int64)
    gaps = np.empty(n_points)
    threads = costs.threads if n_points * costs.work > 1 << 22 else 1
    step = max(1, min(costs.block_rows, -(-n_points // threads)))
    n_tasks = -(-n_points // step)
    infinite = np.zeros(n_tasks, np.int64)
    bad = np.full(n_tasks, -1)

    def work(task: int) -> None:
        begin, end = task * step, min(n_points, (task + 1) * step)
        row = np.empty(n_clusters)
        infinite[task], bad[task] = scan_rows(
            costs.block(begin, end), prices, row, row.view(np.int64),
            labels[begin:end], seconds[begin:end], gaps[begin:end],
        )  # fmt: skip

    run_in_threads(work, n_tasks, threads)
    for task in np.flatnonzero(bad >= 0)[:1]:
        refuse_row(costs, int(task * step + bad[task]))
    return Scan(labels, seconds, gaps, int(infinite.sum()))


def refuse_row(costs: Costs, row: int) -> None:
    """Raise the error that says what is wrong with a row."""
    values = costs.rows(np.array([row]))[0]
    bad = values[~(values > -np.inf)]
    if len(bad):
        raise ValueError(f"costs must be numbers or inf, got {bad[0]} in row {row}")
    raise ValueError(f"row {row} has no finite cost: no assignment satisfies the bounds")


def gather(
    costs: Costs, index: Ints, labels: Ints, prices: Floats, reach: float, limit: int
) -> tuple[Ints, Ints, NDArray[np.float64], Ints] | None:
    """Arc starts, clusters and costs of the rows named, and their labels in full precision.

    None where the rows would make more than ``limit`` pairs of arcs.
    """
    n_clusters = costs.n_clusters
    step = max(1, (1 << 17) // n_clusters)
    n_tasks = -(-len(index) // step)
    parts: list[Any] = [None] * n_tasks
    exact = labels[index]
    n_pairs = np.zeros(n_tasks, np.int64)

    def work(task: int) -> None:
        begin, end = task * step, min(len(index), (task + 1) * step)
        if n_pairs.sum() > limit:
            return
        if isinstance(costs, HeldCosts):
            block, local = costs.costs, index[begin:end]
        else:
            block, local = costs.rows(index[begin:end]), np.arange(end - begin)
        ends = np.empty(end - begin, np.int64)
        clusters = np.empty((end - begin) * n_clusters, np.int64)
        values = np.empty((end - begin) * n_clusters)
        n_arcs = gather_arcs(
            block, local, prices, reach, np.empty(n_clusters), exact[begin:end], ends, clusters, values
        )
        parts[task] = ends, clusters[:n_arcs].copy(), values[:n_arcs].copy()
        counts = np.diff(ends, prepend=0)
        n_pairs[task] = (counts * (counts - 1) // 2).sum()

    run_in_threads(work, n_tasks, costs.threads if len(index) * costs.work > 1 << 22 else 1)
    if n_pairs.sum() > limit:
        return None
    if not parts:
        return np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0), exact
    starts = [np.zeros(1, np.int64)]
    for ends, _, _ in parts:
        starts.append(ends + starts[-1][-1])
    clusters = np.concatenate([part[1] for part in parts])
    values = np.concatenate([part[2] for part in parts])
    return np.concatenate(starts), clusters, values, exact
