"""Gram matrices in, clusters and scores out, by the solver that a configuration names.

Clustering and scoring go in blocks, so that ten thousand seeds take little more memory than their labels.
The engine works on int64; labels are kept in one byte each. Clustering goes by blocks of walls, since the
engine solves equal starts of a wall's seeds once; scoring goes by blocks of seeds, since a metric's value is
one a seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...conf.solver_schema import ExactConfig, FaissConfig, KMeansConfig, PeerConfig, SolverConfig
from ...errors import UserError
from ..runs.envelope import MetricEntry
from ..terminal.progress import Update
from ..terminal.writing import counted
from .blocks import each_block
from .gram import Gram
from .orders import clue_orders

if TYPE_CHECKING:
    from ...engine import BatchSolution


N_CLUSTERS = 4


def cluster(
    solver: SolverConfig,
    gram: Gram,
    n_runs: int,
    update: Update | None = None,
    orders: NDArray[np.int64] | None = None,
) -> BatchSolution:
    """Cluster every wall in each of ``n_runs`` runs.

    k-means, whoever's, meets the clues in the runs' orders (``clue_orders``), the same on all walls, as in
    the paper. The exact solver has no starts, and of partitions of equal cost takes one by ``orders``.

    Parameters
    ----------
    solver
        Its configuration.
    gram : (n_walls, 1 or n_runs, n_points, n_points)
        One Gram matrix a wall, for all runs, or one a wall and run.
    n_runs
        How many runs, each with its own order of the clues.
    update
        Is called with how many walls are clustered, where that takes long.
    orders : (n_walls, 1 or n_runs, n_points)
        What decides between partitions of equal cost where the solver is exact, and numbers the groups:
        an order for each matrix, as ``wall_orders`` draws it. By default the runs' orders.

    """
    if gram.shape[1] not in (1, n_runs):
        raise ValueError(
            f"got {gram.shape[1]} Gram matrices a wall for {counted(n_runs, 'run')}: expected 1 or {n_runs}"
        )
    if isinstance(solver, KMeansConfig):
        return _k_means(solver, gram, n_runs)
    if isinstance(solver, ExactConfig):
        return _exact(solver, gram, orders)
    if isinstance(solver, FaissConfig):
        from .baselines import faiss_k_means

        return faiss_k_means(solver, gram, n_runs, N_CLUSTERS, update)
    if isinstance(solver, PeerConfig):
        from .baselines import peer_k_means

        return peer_k_means(solver, gram, n_runs, N_CLUSTERS, update)
    raise TypeError(f"no way to run a {type(solver).__name__}")


def _k_means(solver: KMeansConfig, gram: Gram, n_runs: int) -> BatchSolution:
    """The generator has the same seed in every run: the runs differ in the clues' order alone."""
    from ...engine import BatchSolution, cluster_batch

    n_points = gram.shape[-1]
    size = n_points // N_CLUSTERS
    orders = clue_orders(n_runs, n_points)
    # Runs that share their Gram matrices are seeds of one problem; others are problems of their own.
    batches = [slice(None)] if gram.shape[1] == 1 else [slice(run, run + 1) for run in range(n_runs)]
    parts = [
        cluster_batch(
            gram=gram[:, place],
            n_clusters=N_CLUSTERS,
            size_min=size,
            size_max=size,
            seeds=[solver.random_state] * len(orders[runs]),
            orders=orders[runs],
            n_init=solver.n_init,
            max_iter=solver.max_iter,
            assignment_cost=cast(Literal["squared", "euclidean"], solver.assignment_cost),
            device=solver.device,
        )
        for place, runs in enumerate(batches)
    ]
    return BatchSolution(
        np.concatenate([part.labels for part in parts], axis=1),
        np.concatenate([part.inertia for part in parts], axis=1),
        np.concatenate([part.n_iter for part in parts], axis=1),
        np.concatenate([part.status for part in parts], axis=1),
        parts[0].device,
    )


def _exact(solver: ExactConfig, gram: Gram, orders: NDArray[np.int64] | None) -> BatchSolution:
    """One solution a Gram matrix, its groups numbered in its order: some files list clues by group."""
    from ...engine import BatchSolution
    from ...engine.partition import best_partitions

    n_walls, n_runs, n_points, _ = gram.shape
    if orders is None:
        orders = clue_orders(n_runs, n_points)[np.newaxis]
    partitions = best_partitions(
        gram.reshape(-1, n_points, n_points),
        n_points // N_CLUSTERS,
        orders=np.broadcast_to(orders, gram.shape[:3]).reshape(-1, n_points),
        device=solver.device,
    )
    labels = partitions.labels.reshape(n_walls, n_runs, n_points)
    none = np.zeros((n_walls, n_runs), np.int64)
    return BatchSolution(labels, partitions.cost.reshape(n_walls, n_runs), none, none, partitions.device)


def check_solver(solver: SolverConfig) -> None:
    """Raise UserError unless the solver's package is there and its device can be used."""
    if isinstance(solver, FaissConfig):
        from .baselines import check_faiss

        check_faiss(solver)
        return
    if isinstance(solver, PeerConfig):
        from .baselines import check_peer

        check_peer()
        return
    from ...engine.device import resolve_device

    try:
        resolve_device(solver.device)
    except ValueError as error:
        raise UserError(f"solver.device={solver.device}: {error}") from error


BLOCK_LABELS = 1 << 22  # labels at a time: 32 MiB in int64; scoring takes about ten times that


@dataclass(frozen=True, slots=True)
class Clustered:
    """The solver's answer for every wall and seed."""

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
    """``cluster``, a block of walls at a time; ``update`` is called with how many walls are done."""
    n_walls, _, n_points, _ = gram.shape
    small = np.int8 if n_points <= np.iinfo(np.int8).max else np.int16
    labels = np.empty((n_walls, n_runs, n_points), small)
    inertia = np.empty((n_walls, n_runs))
    unfinished, device = 0, "unknown"
    at_once = max(1, BLOCK_LABELS // (n_runs * n_points))

    def work(block: slice, progress: Update) -> BatchSolution:
        return cluster(solver, gram[block], n_runs, progress, None if orders is None else orders[block])

    for block, solution in each_block(n_walls, at_once, work, update):
        labels[block], inertia[block] = solution.labels, solution.inertia
        unfinished += int(np.count_nonzero(solution.status))
        device = str(solution.device)
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
