"""Passes over costs: who is cheapest at some prices, and who might move when prices change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.scan import gather_arcs, scan_rows
from .costs import Costs, HeldCosts
from .threads import run_in_threads

Floats = NDArray[Any]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a pass over the costs finds in every row."""

    labels: Ints  # the cheapest cluster
    seconds: Ints  # the next cheapest; not certain, unlike the others
    gaps: NDArray[np.float64]  # at most what any other costs more


def scan(costs: Costs, prices: Floats, known: Scan | None = None, margin: float = 0.0) -> Scan:
    """Every row's cheapest cluster at the prices.

    Where something is ``known`` that still holds, only rows with gaps up to ``margin`` are looked at,
    unless they are by far the most. Raises ValueError for a row that holds NaN or -inf, or no finite cost.
    """
    n_points, n_clusters = costs.n_points, costs.n_clusters
    index: Ints | None = None
    if known is not None:
        index = np.flatnonzero(known.gaps <= margin)
        if 4 * len(index) > 3 * n_points:
            index = None
    n_rows = n_points if index is None else len(index)
    labels, seconds = np.empty((2, n_rows), np.int64)
    gaps = np.empty(n_rows)
    threads = costs.threads if n_rows * costs.work > 1 << 22 else 1
    step = max(1, min(costs.block_rows, -(-n_rows // threads)))
    n_tasks = -(-n_rows // step)
    bad = np.full(n_tasks, -1)

    def work(task: int) -> None:
        begin, end = task * step, min(n_rows, (task + 1) * step)
        block = costs.block(begin, end) if index is None else costs.rows(index[begin:end])
        row = np.empty(n_clusters)
        bad[task] = scan_rows(
            block, prices, row, row.view(np.int64), labels[begin:end], seconds[begin:end], gaps[begin:end]
        )

    run_in_threads(work, n_tasks, threads)
    for task in np.flatnonzero(bad >= 0)[:1]:
        place = int(task * step + bad[task])
        refuse_row(costs, place if index is None else int(index[place]))
    if index is None or known is None:
        return Scan(labels, seconds, gaps)
    whole = Scan(known.labels.copy(), known.seconds.copy(), known.gaps.copy())
    whole.labels[index] = labels
    whole.seconds[index] = seconds
    whole.gaps[index] = gaps
    return whole


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
        n_arcs, n_pairs[task] = gather_arcs(
            block, local, prices, reach, np.empty(n_clusters), exact[begin:end], ends, clusters, values
        )
        parts[task] = ends, clusters[:n_arcs].copy(), values[:n_arcs].copy()

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
