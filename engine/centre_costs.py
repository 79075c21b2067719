"""Costs of points in clusters with centres, worked out by the block: they are never held as a whole."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.centres import finish_costs, sum_clusters, sum_rows
from .threads import run_in_threads

Array = NDArray[Any]
Ints = NDArray[np.int64]

BLOCK = 1 << 14  # rows of a block where nothing else says how many


class CentreCosts:
    """What it costs to have each point in the cluster of each centre, less what is the point's own.

    ``squared``: ``w (|c|^2 - 2 x c)``, the squared distance less ``|x|^2``; ``cosine``: ``-w x c`` for
    points and centres of length 1; ``root``: the distance itself, of either kind of points.
    """

    def __init__(
        self, X: Array, lengths: Array, weights: Array | None, centres: Array, kind: str, threads: int
    ) -> None:
        self.X = X
        self.kind = kind
        self.n_points, self.n_clusters = len(X), len(centres)
        self.block_rows = max(64, (1 << 16) // self.n_clusters)
        self.work = self.n_clusters * (1 + X.shape[1] / 8)
        self.threads = threads
        self._local = threading.local()
        none = np.empty(0, X.dtype)
        self._lengths = lengths if kind == "root" else none
        self._weights = none if weights is None else weights.astype(X.dtype)
        factor = -1.0 if kind == "cosine" else -2.0
        self._slopes = np.ascontiguousarray((factor * centres.T).astype(X.dtype))
        self._norms = none if kind == "cosine" else (centres**2).sum(axis=1).astype(X.dtype)

    def block(self, begin: int, end: int) -> Array:
        buffer = getattr(self._local, "buffer", None)
        if buffer is None:
            buffer = self._local.buffer = np.empty((self.block_rows, self.n_clusters), self.X.dtype)
        return self._costs(slice(begin, end), buffer[: end - begin])

    def rows(self, index: Ints) -> Array:
        return self._costs(index, np.empty((len(index), self.n_clusters), self.X.dtype))

    def whole(self) -> Array:
        """All rows, as a new array."""
        return self._costs(slice(None), np.empty((self.n_points, self.n_clusters), self.X.dtype))

    def _costs(self, which: slice | Ints, out: Array) -> Array:
        np.matmul(self.X[which], self._slopes, out=out)
        lengths = self._lengths[which] if len(self._lengths) else self._lengths
        weights = self._weights[which] if len(self._weights) else self._weights
        finish_costs(self._norms, lengths, weights, out)
        return out


def move_centres(
    X: Array, weights: Array | None, labels: Ints, centres: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """Sums of the clusters, their weights, squared distances to the old centres and the inertia there.

    Blocks are of one size and are added up in order: the result does not depend on the threads.
    """
    n_points, n_clusters = len(X), len(centres)
    step = max(BLOCK, 4 * n_clusters)
    n_tasks = -(-n_points // step)
    sums = np.empty((n_tasks, n_clusters, X.shape[1]))
    totals, inertia = np.empty((n_tasks, n_clusters)), np.empty(n_tasks)
    squares = np.empty(n_points)
    none = np.empty(0)

    def work(task: int) -> None:
        part = slice(task * step, min(n_points, (task + 1) * step))
        inertia[task] = sum_clusters(
            X[part], none if weights is None else weights[part], labels[part], centres,
            sums[task], totals[task], squares[part],
        )  # fmt: skip

    run_in_threads(work, n_tasks, threads if X.size > 1 << 20 else 1)
    return sums.sum(axis=0), totals.sum(axis=0), squares, float(inertia.sum())


def moments(X: Array, weights: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of the rows and the mean of their squares, (n_features,) each, by weight if there is any."""
    first, second = np.zeros((2, X.shape[1]))
    total = sum_rows(X, np.empty(0) if weights is None else weights, first, second)
    return first / total, second / total
