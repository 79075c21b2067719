"""Centres to start k-means from: drawn, given, or made by the caller."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .masks import refuse_masked

Array = NDArray[Any]


def check_init(init: Any, n_clusters: int, n_features: int) -> None:
    """Raise for an ``init`` that no start can be made of."""
    if isinstance(init, str):
        if init not in {"k-means++", "random"}:
            raise ValueError(
                f"init must be 'k-means++', 'random', an array of centres or a callable, got {init!r}"
            )
    elif not callable(init):
        check_centres(init, n_clusters, n_features, "init")


def check_centres(centres: Any, n_clusters: int, n_features: int, source: str) -> NDArray[np.float64]:
    """Centres as a float64 array of the right shape."""
    refuse_masked(centres, source)
    array = np.asarray(centres, dtype=np.float64)
    if array.shape != (n_clusters, n_features):
        raise ValueError(
            f"{source} must give centres of shape (n_clusters, n_features) = {(n_clusters, n_features)}, "
            f"got {array.shape}"
        )
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ValueError(f"{source} must give finite centres, got NaN or infinity in row {row}")
    return array


class Drawer:
    """Draws starting centres among the rows of ``X``.

    Rows are drawn by their weights in an order of their values, not of their places: neither shuffling
    the rows nor writing a row twice in place of a weight of 2 changes what a seed draws.
    """

    def __init__(self, X: Array, weights: NDArray[np.float64] | None) -> None:
        direction = np.random.RandomState(0).standard_normal(X.shape[1])
        order = np.argsort((X * direction).sum(axis=1), kind="stable")
        self.X = np.ascontiguousarray(X[order])
        self.weights = np.ones(len(X)) if weights is None else weights[order]
        self.squares = np.einsum("ij,ij->i", self.X, self.X)

    def random(self, n_clusters: int, seed: int) -> NDArray[np.float64]:
        """Different rows, each as likely as its weight."""
        state = np.random.RandomState(seed)
        left = self.weights.copy()
        rows: list[int] = []
        for _ in range(n_clusters):
            if not left.any():  # fewer weights than clusters: rows without weight must do
                left = np.ones(len(left))
                left[rows] = 0.0
            rows.append(_draw(left, state.random_sample()))
            left[rows[-1]] = 0.0
        return self.X[rows].astype(np.float64)

    def plus_plus(self, n_clusters: int, seed: int) -> NDArray[np.float64]:
        """Greedy k-means++: each centre the best of ``2 + log(k)`` draws by squared distance.

        Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
        """
        state = np.random.RandomState(seed)
        n_trials = 2 + int(np.log(n_clusters))
        rows = [_draw(self.weights, state.random_sample())]
        closest = self._squared_distances(rows)[0]
        for _ in range(1, n_clusters):
            loss = self.weights * closest
            draws = state.random_sample(n_trials)
            if not loss.any():  # every row lies on a centre
                rows.append(_draw(self.weights, draws[0]))
                continue
            running = np.cumsum(loss)
            trials = np.searchsorted(running, draws * running[-1], side="right")
            trials = np.minimum(trials, np.flatnonzero(loss)[-1])
            distances = np.minimum(self._squared_distances(trials), closest)
            totals = distances @ self.weights
            # Rounding must not choose between trials that gain the same.
            best = int(np.argmax(totals <= totals.min() * (1 + 1e-9)))
            rows.append(int(trials[best]))
            closest = distances[best]
        return np.asarray(self.X[rows], np.float64)

    def _squared_distances(self, rows: Any) -> NDArray[np.float64]:
        """From the rows named to all, (n_rows, n_points); rounding to zero what is rounding."""
        distances: NDArray[np.float64] = (self.X[rows] @ self.X.T).astype(np.float64)
        distances *= -2
        sizes = self.squares + self.squares[rows][:, None].astype(np.float64)
        distances += sizes
        sizes *= 4 * np.finfo(self.X.dtype).eps
        distances[distances < sizes] = 0.0
        return distances


def _draw(weights: NDArray[np.float64], fraction: float) -> int:
    """The place at which the running sum of the weights exceeds the fraction of their total."""
    running = np.cumsum(weights)
    place = int(np.searchsorted(running, fraction * running[-1], side="right"))
    return min(place, int(np.flatnonzero(weights)[-1]))
