"""Exact assignment of points to clusters with size bounds: the public function and its checks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .array_types import Bound
from .bounds import check_bounds
from .costs import HeldCosts
from .masks import as_array, refuse_masked
from .prices import InfeasibleError, find_prices


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment of least cost.

    Attributes
    ----------
    labels : (n_points,) int64
        The cluster of each point.
    cost : float
        The sum of the costs chosen.
    prices : (n_clusters,) float64
        The proof: every point is in a cluster where ``costs + prices`` is least, a cluster with a
        price above zero is at its maximum and one below zero at its minimum. Where all sizes are
        fixed only differences between prices matter. Good for ``assign(..., prices=...)``.
    """

    labels: NDArray[np.int64]
    cost: float
    prices: NDArray[np.float64]


def assign(
    costs: ArrayLike,
    size_min: Bound = None,
    size_max: Bound = None,
    prices: ArrayLike | None = None,
) -> Assignment:
    """Assign every point to a cluster at the least total cost that the sizes allow.

    Parameters
    ----------
    costs : (n_points, n_clusters)
        Any finite numbers; ``inf`` forbids a pair. float32 and float64 are used as they are.
    size_min, size_max : int, (n_clusters,) ints, or None
        Bounds on the number of points, for all clusters or one a cluster; None means unbounded.
    prices : (n_clusters,), optional
        Where to start, such as a similar problem's ``Assignment.prices``. They change the time, not
        the cost.

    Returns
    -------
    Assignment

    Raises
    ------
    ValueError
        Sizes that no assignment fits, NaN or -inf costs, forbidden pairs that leave no assignment; costs
        whose sum, or prices, float64 cannot hold.

    Notes
    -----
    The minimum-cost flow of Bradley, Bennett and Demiriz, "Constrained k-means clustering" (2000),
    solved by shortest augmenting paths on the graph of the clusters. The result is optimal to
    rounding and does not depend on the number of threads. Which of equal rows goes where is decided in an
    order without a pattern, the same in every call, so that rows sorted by class leave no trace.
    """
    held, exponent = _near_one(_check_costs(costs))
    n_points, n_clusters = held.shape
    low, high = check_bounds(size_min, size_max, n_points, n_clusters)
    start = None
    if prices is not None:
        refuse_masked(prices, "prices")
        start = np.array(prices, np.float64)
        if start.shape != (n_clusters,) or not np.all(np.isfinite(start)):
            raise ValueError(
                f"prices must be {n_clusters} finite numbers, one a cluster, got shape {start.shape}"
                + ("" if start.shape != (n_clusters,) else f" with {start[~np.isfinite(start)][0]}")
            )
        with np.errstate(over="ignore", under="ignore"):
            start = np.ldexp(start, -exponent)
        if not np.isfinite(start).all():  # they dwarf the costs and say nothing about them
            start = None
    if n_points == 0:
        return Assignment(np.empty(0, np.int64), 0.0, np.zeros(n_clusters))
    try:
        found = find_prices(HeldCosts(held), low, high, start)
    except InfeasibleError:
        raise ValueError(
            "the forbidden pairs (infinite costs) are such that no assignment satisfies the bounds: "
            f"n_samples={n_points}, n_clusters={n_clusters}, size_min={size_min!r}, size_max={size_max!r}"
        ) from None
    cost = float(held[np.arange(n_points), found.labels].sum(dtype=np.float64))
    if not exponent:
        return Assignment(found.labels, cost, found.prices)
    final = found.prices
    if np.array_equal(low, high):  # only differences count: the middle of the range is the shortest way
        final = final - (final.max() + final.min()) / 2
    with np.errstate(over="ignore", under="ignore"):
        cost, final = float(np.ldexp(cost, exponent)), np.ldexp(final, exponent)
    if not (np.isfinite(cost) and np.isfinite(final).all()):
        raise ValueError(
            f"the costs reach {np.max(np.abs(costs), where=np.isfinite(costs), initial=0.0):.3g}, so large "
            "that their sum or differences are beyond what float64 holds: scale the costs down"
        )
    return Assignment(found.labels, cost, final)


def _near_one(costs: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """The costs, and by which power of two they were divided so that sums and differences can be held.

    That is 0 unless the largest of the costs is within a factor of 2^200 of an end of float64.
    """
    if costs.dtype != np.float64:
        return costs, 0
    largest = float(np.max(np.abs(costs), where=np.isfinite(costs), initial=0.0))
    exponent = math.frexp(largest)[1]
    if -800 < exponent < 800 or largest == 0:
        return costs, 0
    with np.errstate(under="ignore"):
        return np.ldexp(costs, -exponent), exponent


def _check_costs(costs: ArrayLike) -> NDArray[Any]:
    array = as_array(costs, "costs")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"costs must be real numbers, got an array of {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"costs must have the shape (n_points, n_clusters), got {array.shape}")
    if array.shape[1] == 0:
        raise ValueError(f"costs must have at least one cluster, got the shape {array.shape}")
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    return np.ascontiguousarray(array, dtype)
