"""Costs of points at centres, and sums of the clusters' points. One pass over a block."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .jit import kernel

Array = Any


@kernel
def finish_costs(
    norms: Array,  # (n_clusters,) of the costs' type: what each centre adds, or (0,) for nothing  IN
    lengths: Array,  # (n_block,) of the costs' type: squared lengths, where distances are wanted, or (0,)  IN
    weights: Array,  # (n_block,) of the costs' type, or (0,) for ones  IN
    costs: Array,  # (n_block, n_clusters) float32 or float64: what a product of matrices left  IN/OUT
) -> None:
    """Add what belongs to the centres and the points, take roots, multiply by the weights."""
    for i in range(costs.shape[0]):
        row = costs[i]
        if norms.shape[0]:
            for j in range(row.shape[0]):
                row[j] += norms[j]
        if lengths.shape[0]:
            length = lengths[i]
            for j in range(row.shape[0]):
                square = row[j] + length
                row[j] = 0.0 if square <= 0.0 else math.sqrt(square)  # NaN stays NaN
        if weights.shape[0]:
            weight = weights[i]
            for j in range(row.shape[0]):
                row[j] *= weight


@kernel
def sum_clusters(
    X: Array,  # (n_block, n_features) float32 or float64  IN
    weights: Array,  # (n_block,) float64, or (0,) for ones  IN
    labels: Array,  # (n_block,) int64  IN
    centres: Array,  # (n_clusters, n_features) float64  IN
    sums: Array,  # (n_clusters, n_features) float64, weighted  OUT
    totals: Array,  # (n_clusters,) float64: the sum of the weights  OUT
    squares: Array,  # (n_block,) float64: squared distances to the centres given  OUT
) -> float:
    """Returns the weighted sum of the squared distances."""
    n_features = X.shape[1]
    sums[:] = 0.0
    totals[:] = 0.0
    inertia = 0.0
    for i in range(X.shape[0]):
        x = X[i]
        c = labels[i]
        centre = centres[c]
        total = sums[c]
        weight = weights[i] if weights.shape[0] else 1.0
        square = 0.0
        for f in range(n_features):
            value = np.float64(x[f])
            difference = value - centre[f]
            square += difference * difference
            total[f] += weight * value
        totals[c] += weight
        squares[i] = square
        inertia += weight * square
    return inertia


@kernel
def sum_rows(
    X: Array,  # (n_block, n_features) float32 or float64  IN
    weights: Array,  # (n_block,) float64, or (0,) for ones  IN
    first: Array,  # (n_features,) float64: sums  IN/OUT
    second: Array,  # (n_features,) float64: sums of squares  IN/OUT
) -> float:
    """Adds the rows and their squares up, by weight; returns the sum of the weights."""
    total = 0.0
    for i in range(X.shape[0]):
        x = X[i]
        weight = weights[i] if weights.shape[0] else 1.0
        total += weight
        for f in range(X.shape[1]):
            value = np.float64(x[f])
            first[f] += weight * value
            second[f] += weight * value * value
    return total
