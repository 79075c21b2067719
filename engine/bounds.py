"""Checks of cluster sizes, shared by every problem that has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .masks import refuse_masked


def check_n_clusters(n_clusters: object, n_points: int) -> int:
    """Return the number of clusters as an int, if there can be that many."""
    if isinstance(n_clusters, bool) or not isinstance(n_clusters, (int, np.integer)):
        raise TypeError(f"n_clusters must be an integer, got {n_clusters!r}")
    if not 1 <= n_clusters <= n_points:
        raise ValueError(
            f"n_clusters={n_clusters} does not fit n_samples={n_points}: give from 1 to {n_points} clusters"
        )
    return int(n_clusters)


def _bound(value: Any, name: str, default: int, n_clusters: int, got: str) -> NDArray[np.int64]:
    if value is None:
        return np.full(n_clusters, default, np.int64)
    refuse_masked(value, name)
    array = np.asarray(value)
    if array.dtype.kind == "f" and np.all(array == np.floor(array)) and np.all(np.isfinite(array)):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {value!r} ({got})")
    if array.shape not in {(), (n_clusters,)}:
        raise ValueError(
            f"{name} must be one number or one for each of the {n_clusters} clusters, "
            f"got an array of shape {array.shape} ({got})"
        )
    if np.any(array < 0):
        raise ValueError(f"{name} must not be negative, got {value!r} ({got})")
    return np.broadcast_to(array.astype(np.int64), (n_clusters,)).copy()


def check_bounds(
    size_min: Any, size_max: Any, n_points: int, n_clusters: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return minimum and maximum sizes, ``(n_clusters,)`` each, if they can be met.

    A bound of ``None`` is none at all. Raises ValueError with the numbers if no sizes within the bounds add
    up to ``n_points``.
    """
    got = f"n_samples={n_points}, n_clusters={n_clusters}, size_min={size_min}, size_max={size_max}"
    lower = _bound(size_min, "size_min", 0, n_clusters, got)
    upper = np.minimum(_bound(size_max, "size_max", n_points, n_clusters, got), n_points)
    if np.any(lower > upper):
        j = int(np.argmax(lower > upper))
        raise ValueError(f"cluster {j} cannot hold at least {lower[j]} and at most {upper[j]} points ({got})")
    if lower.sum() > n_points:
        raise ValueError(
            f"the minimum sizes add up to {lower.sum()}, more than the {n_points} points: "
            f"lower size_min or n_clusters ({got})"
        )
    if upper.sum() < n_points:
        raise ValueError(
            f"the maximum sizes add up to {upper.sum()}, fewer than the {n_points} points: "
            f"raise size_max or n_clusters ({got})"
        )
    return lower, upper
