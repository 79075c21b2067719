"""Clustering and scoring in blocks, so that ten thousand seeds take little more memory than their labels.

The engine works on int64; labels are kept in one byte each. Clustering goes by blocks of walls, since the
engine solves equal starts of a wall's seeds once; scoring goes by blocks of seeds, since a metric's value is
one a seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...conf.solver_schema import SolverConfig
from ...errors import WallError
from ..runs.record import MetricEntry
from ..terminal.progress import Update
from .clustering import cluster
from .gram import Gram

BLOCK_LABELS = 1 << 22  # labels at a time: 32 MiB in int64; scoring takes about ten times that


@dataclass(frozen=True, slots=True)
class Clustered:
    """What the solver found for every wall and seed."""

    labels: NDArray[Any]  # (n_walls, n_seeds, n_points), int8 where that holds them
    inertia: NDArray[np.float64]  # (n_walls, n_seeds)
    unfinished: int  # fits that the solver stopped before they had converged
    device: str


def cluster_in_blocks(
    solver: SolverConfig,
    gram: Gram,
    n_runs: int,
    update: Update | None = None,
    orders: NDArray[np.int64] | None = None,
) -> Clustered:
    """``cluster``, a block of walls at a time; ``update`` is told how many walls are done."""
    n_walls, _, n_points, _ = gram.shape
    small = np.int8 if n_points <= np.iinfo(np.int8).max else np.int16
    labels = np.empty((n_walls, n_runs, n_points), small)
    inertia = np.empty((n_walls, n_runs))
    unfinished, device = 0, "unknown"
    at_once = max(1, BLOCK_LABELS // (n_runs * n_points))
    for start in range(0, n_walls, at_once):
        block = slice(start, start + at_once)

        def told(done: int, _: int, before: int = start) -> None:
            if update is not None:
                update(before + done, n_walls)

        try:
            here = None if orders is None else orders[block]
            found = cluster(solver, gram[block], n_runs, told, here)
        except WallError as error:
            raise WallError(start + error.wall, error.said) from error
        labels[block], inertia[block] = found.labels, found.inertia
        unfinished += int(np.count_nonzero(found.status))
        device = str(found.device)
        told(len(found.labels), n_walls)
    return Clustered(labels, inertia, unfinished, device)


def score_in_blocks(
    labels: NDArray[Any], truth: NDArray[np.int64], update: Update | None = None
) -> dict[str, MetricEntry]:
    """Every metric of labels (n_walls, n_seeds, n_points) in each seed, with mean and spread."""
    from ..metrics import METRICS, score_labels

    n_walls, n_seeds, n_points = labels.shape
    n_blocks = -(-n_seeds * n_walls * n_points // BLOCK_LABELS)
    edges = np.linspace(0, n_seeds, min(n_blocks, n_seeds) + 1).astype(int)
    per_seed: dict[str, list[float]] = {name: [] for name in METRICS}
    for first, last in pairwise(edges):
        for name, values in score_labels(labels[:, first:last], truth).per_seed().items():
            per_seed[name] += values.tolist()
        if update is not None:
            update(int(last), n_seeds)
    return {
        name: MetricEntry(values, float(np.mean(values)), float(np.std(values)))
        for name, values in per_seed.items()
        if len(values) == n_seeds  # not where some seeds' groups are of unequal sizes
    }
