"""Other people's k-means on the same walls and orders: faiss's, and k-means-constrained.

Both take vectors, and a run keeps Gram matrices. They get points whose Gram matrices these are, which is all
that k-means can see of the vectors but for rounding.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...conf.solver_schema import FaissConfig, PeerConfig
from ...embeddings.extras import require
from ...errors import ItemError, UserError
from ..terminal.progress import Update
from .gram import Gram
from .orders import clue_orders

if TYPE_CHECKING:
    from ...engine import BatchSolution

PEER_WALLS_AT_ONCE = 4  # in one task of a process


def euclidean_points(gram: Gram) -> NDArray[np.float64]:
    """Points (..., n_points, n_points) whose inner products are those of ``gram``, of the same shape.

    With eigenvectors v and eigenvalues w of a Gram matrix, row i of v sqrt(w) is point i. Rounding may make
    an eigenvalue of 0 slightly negative.
    """
    values, vectors = np.linalg.eigh(gram)
    points: NDArray[np.float64] = vectors * np.sqrt(np.maximum(values, 0.0))[..., np.newaxis, :]
    # Eigenvectors are rounded by the rows' places: points at no distance are to be equal all the same.
    own = np.diagonal(gram, axis1=-2, axis2=-1)
    squared = own[..., :, np.newaxis] + own[..., np.newaxis, :] - 2 * gram
    first = (squared <= 0).argmax(axis=-1)
    return np.take_along_axis(points, first[..., np.newaxis], axis=-2)


def sum_of_squares(gram: Gram, labels: NDArray[np.int64], n_clusters: int) -> NDArray[np.float64]:
    """The squared distances of points to their clusters' means, summed: (n_walls, n_runs).

    ``gram`` is (n_walls, 1 or n_runs, n_points, n_points) and ``labels`` (n_walls, n_runs, n_points), from 0
    to ``n_clusters - 1``. A cluster may be empty.
    """
    distances = squared_distances(gram, labels, n_clusters)
    own: NDArray[np.float64] = np.take_along_axis(distances, labels[..., np.newaxis], axis=-1)
    total: NDArray[np.float64] = own.sum(axis=(-2, -1))
    return total


def squared_distances(gram: Gram, labels: NDArray[np.int64], n_clusters: int) -> NDArray[np.float64]:
    """Of each point to each cluster's mean, (n_walls, n_runs, n_points, n_clusters); inf to an empty one."""
    member = (labels[..., np.newaxis] == np.arange(n_clusters)).astype(np.float64)
    sizes = member.sum(axis=2, keepdims=True)
    weights = member / np.maximum(sizes, 1.0)
    to_means = np.matmul(gram, weights)  # inner products of points and means
    of_means = (weights * to_means).sum(axis=2, keepdims=True)
    of_points = np.diagonal(gram, axis1=2, axis2=3)[..., np.newaxis]
    squared: NDArray[np.float64] = np.maximum(of_points - 2.0 * to_means + of_means, 0.0)
    return np.where(sizes > 0, squared, np.inf)


def check_faiss(solver: FaissConfig) -> None:
    """Raise UserError unless faiss is there, with a CUDA device if one is asked for."""
    require("faiss")
    import faiss

    if solver.device not in ("auto", "cpu", "cuda"):
        raise UserError(f"solver.device={solver.device} is not known: expected one of auto, cpu, cuda")
    if solver.device == "cuda" and not (hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0):
        raise UserError(
            "solver.device=cuda: this faiss finds no CUDA device. Choose solver.device=cpu, or install"
            " faiss-gpu in place of faiss-cpu on a machine with one"
        )


def check_peer() -> None:
    """Raise UserError unless k-means-constrained is there."""
    require("k_means_constrained")


def faiss_k_means(
    solver: FaissConfig, gram: Gram, n_runs: int, n_clusters: int, update: Update | None = None
) -> BatchSolution:
    """k-means by faiss, each wall in each run's order of clues; clusters are as large as they come out.

    ``auto`` is the CPU, and that with one thread: a wall is too small for more to gain anything. A fit
    counts as unfinished where another iteration would move a point.
    """
    import faiss

    from ...engine import BatchSolution

    n_walls, _, n_points, _ = gram.shape
    orders = clue_orders(n_runs, n_points)
    points = np.broadcast_to(euclidean_points(gram), (n_walls, n_runs, n_points, n_points))
    labels = np.empty((n_walls, n_runs, n_points), dtype=np.int64)
    inertia = np.empty((n_walls, n_runs))
    status = np.empty((n_walls, n_runs), dtype=np.int64)
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        for wall in range(n_walls):
            for run, order in enumerate(orders):
                clustering = faiss.Kmeans(
                    n_points,
                    n_clusters,
                    nredo=solver.n_init,
                    niter=solver.max_iter,
                    seed=solver.random_state,
                    min_points_per_centroid=1,  # it warns of fewer than 39
                    gpu=1 if solver.device == "cuda" else False,
                )
                ordered = points[wall, run, order].astype(np.float32)
                clustering.train(ordered)
                labels[wall, run, order] = clustering.assign(ordered)[1]
            here = slice(wall, wall + 1)
            distances = squared_distances(gram[here], labels[here], n_clusters)
            own = np.take_along_axis(distances, labels[here, ..., np.newaxis], axis=-1)
            inertia[here] = own.sum(axis=(-2, -1))
            # faiss works in float32, of which a relative 1e-5 of a distance is well above the rounding.
            moves = own > distances.min(axis=-1, keepdims=True) * (1 + 1e-5)
            status[here] = moves.any(axis=(-2, -1))
            if update is not None:
                update(wall + 1, n_walls)
    finally:
        faiss.omp_set_num_threads(threads)
    n_iter = np.full((n_walls, n_runs), solver.max_iter, dtype=np.int64)
    return BatchSolution(labels, inertia, n_iter, status, "cuda" if solver.device == "cuda" else "cpu")


def peer_k_means(
    solver: PeerConfig, gram: Gram, n_runs: int, n_clusters: int, update: Update | None = None
) -> BatchSolution:
    """k-means-constrained, each wall in each run's order of clues, on all processors.

    Its tolerance is of the mean variance of the features. Of these there are ``n_points`` here, fewer than
    a model has: ``tol`` stands for more than on the vectors themselves. A wall's centres move by far more
    than either, or stand still.

    Raises
    ------
    ItemError
        Where it fails on a wall.

    """
    from joblib import Parallel, delayed

    from ...engine import BatchSolution
    from ...engine.device import resolve_n_threads

    n_walls, _, n_points, _ = gram.shape
    orders = clue_orders(n_runs, n_points)
    points = euclidean_points(gram)
    labels = np.empty((n_walls, n_runs, n_points), dtype=np.int64)
    n_iter = np.empty((n_walls, n_runs), dtype=np.int64)
    inertia = np.empty((n_walls, n_runs))
    starts = range(0, n_walls, PEER_WALLS_AT_ONCE)
    parts = Parallel(n_jobs=max(1, min(resolve_n_threads(None), len(starts))), return_as="generator")(
        delayed(_peer_walls)(solver, points[start : start + PEER_WALLS_AT_ONCE], orders, n_clusters, start)
        for start in starts
    )
    for start, (some_labels, some_n_iter) in zip(starts, parts, strict=True):
        here = slice(start, start + len(some_labels))
        labels[here], n_iter[here] = some_labels, some_n_iter
        inertia[here] = sum_of_squares(gram[here], some_labels, n_clusters)
        if update is not None:
            update(start + len(some_labels), n_walls)
    return BatchSolution(labels, inertia, n_iter, (n_iter >= solver.max_iter).astype(np.int64), "cpu")


def _peer_walls(
    solver: PeerConfig, points: NDArray[Any], orders: NDArray[np.int64], n_clusters: int, first: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The labels (n_some, n_runs, n_points) and iterations (n_some, n_runs) of some walls."""
    from k_means_constrained import KMeansConstrained
    from threadpoolctl import threadpool_limits

    n_some, _, n_points, _ = points.shape
    points = np.broadcast_to(points, (n_some, len(orders), n_points, points.shape[-1]))
    labels = np.empty((n_some, len(orders), n_points), dtype=np.int64)
    n_iter = np.empty((n_some, len(orders)), dtype=np.int64)
    size = n_points // n_clusters
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that scikit-learn's ways have changed since it was written
        for wall, run in np.ndindex(n_some, len(orders)):
            clustering = KMeansConstrained(
                n_clusters,
                size_min=size,
                size_max=size,
                n_init=solver.n_init,
                max_iter=solver.max_iter,
                tol=solver.tol,
                random_state=solver.random_state,
                n_jobs=1,
            )
            try:
                numbers = clustering.fit_predict(points[wall, run, orders[run]])
            except Exception as error:  # what it raises is not declared: ValueError, IndexError and others
                raise ItemError(
                    first + wall,
                    f"k-means-constrained fails on its vectors ({type(error).__name__}: {error})",
                ) from error
            labels[wall, run, orders[run]] = numbers
            n_iter[wall, run] = clustering.n_iter_
    return labels, n_iter
