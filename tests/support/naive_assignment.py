"""Slow assignment with bounds that nobody could get wrong, and the proof that one is optimal."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment


def least_cost(costs, size_min, size_max):
    """The least total cost, by SciPy on one seat for each place in a cluster; inf if there is none."""
    n_points, n_clusters = costs.shape
    low = np.broadcast_to(0 if size_min is None else size_min, n_clusters)
    high = np.minimum(np.broadcast_to(n_points if size_max is None else size_max, n_clusters), n_points)
    cluster = np.repeat(np.arange(n_clusters), high)
    must = np.concatenate([np.arange(h) < m for m, h in zip(low, high, strict=True)])
    blanks = np.where(must, np.inf, 0.0)[None].repeat(len(cluster) - n_points, axis=0)
    try:
        rows, seats = linear_sum_assignment(np.concatenate([costs.astype(float)[:, cluster], blanks]))
    except ValueError:
        return np.inf
    real = rows < n_points
    return costs.astype(float)[rows[real], cluster[seats[real]]].sum()


def check_optimal(costs, size_min, size_max, found, tolerance):
    """Assert that labels honour the bounds and that the prices prove them optimal.

    Weak duality: points in their cheapest clusters at the prices, clusters with positive prices full,
    those with negative ones at their minimum. ``tolerance`` is a cost a point.
    """
    costs = np.asarray(costs, float)
    n_points, n_clusters = costs.shape
    low = np.broadcast_to(0 if size_min is None else size_min, n_clusters)
    high = np.minimum(np.broadcast_to(n_points if size_max is None else size_max, n_clusters), n_points)
    sizes = np.bincount(found.labels, minlength=n_clusters)
    assert found.labels.shape == (n_points,)
    assert np.all(low <= sizes)
    assert np.all(sizes <= high)
    rows = np.arange(n_points)
    total = costs[rows, found.labels].sum()
    np.testing.assert_allclose(
        found.cost, total, rtol=1e-9, atol=1e-12 * np.abs(costs[np.isfinite(costs)]).sum()
    )
    reduced = (costs - costs.min(axis=1, keepdims=True)) + found.prices
    assert np.all(reduced[rows, found.labels] - reduced.min(axis=1) <= tolerance)
    if np.any(low < high):
        assert np.all(sizes[found.prices > 0] == high[found.prices > 0])
        assert np.all(sizes[found.prices < 0] == low[found.prices < 0])
