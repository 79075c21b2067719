"""Gram matrices in, the cluster of every clue in every run out, by the solver that a configuration names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ...conf.solver_schema import ExactConfig, FaissConfig, KMeansConfig, PeerConfig, SolverConfig
from ...errors import UserError
from ..terminal.progress import Update
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
        Is told how many walls are clustered, where that takes long.
    orders : (n_walls, 1 or n_runs, n_points)
        What decides between partitions of equal cost where the solver is exact, and numbers the groups:
        an order for each matrix, as ``wall_orders`` draws it. By default the runs' orders.

    """
    if gram.shape[1] not in (1, n_runs):
        raise ValueError(
            f"got {gram.shape[1]} Gram matrices a wall for {n_runs} runs: expected 1 or {n_runs}"
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
    found = best_partitions(
        gram.reshape(-1, n_points, n_points),
        n_points // N_CLUSTERS,
        orders=np.broadcast_to(orders, gram.shape[:3]).reshape(-1, n_points),
        device=solver.device,
    )
    labels = found.labels.reshape(n_walls, n_runs, n_points)
    none = np.zeros((n_walls, n_runs), np.int64)
    return BatchSolution(labels, found.cost.reshape(n_walls, n_runs), none, none, found.device)


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
