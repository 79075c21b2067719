"""Squared Euclidean distances between the points of one small problem."""

from __future__ import annotations

from .jit import kernel

BLOCK = 32  # features at a time: a block of the points and a row of the result stay in the first cache


@kernel
def distances_from_points(
    points,  # (n_points, n_features) float    IN
    columns,  # (BLOCK, n_points) float64     SCRATCH
    distances,  # (n_points, n_points) float64 OUT
):
    """Sum the squared differences, feature by feature.

    Differences, not inner products: an offset common to all points costs no digits, and equal rows
    are at distance exactly 0. The inner loop runs over points, so that it vectorises without
    reordering any sum.
    """
    n_points, n_features = points.shape
    distances[:, :] = 0.0
    for first in range(0, n_features, BLOCK):
        width = min(BLOCK, n_features - first)
        for i in range(n_points):
            for f in range(width):
                columns[f, i] = points[i, first + f]
        for i in range(n_points):
            for f in range(width):
                own = columns[f, i]
                for j in range(n_points):
                    difference = columns[f, j] - own
                    distances[i, j] += difference * difference


@kernel
def distances_from_gram(
    gram,  # (n_points, n_points) float        IN
    distances,  # (n_points, n_points) float64 OUT
):
    """Take ``g[i,i] + g[j,j] - 2 g[i,j]``, not below 0."""
    n_points = gram.shape[0]
    for i in range(n_points):
        for j in range(n_points):
            square = float(gram[i, i]) + float(gram[j, j]) - (float(gram[i, j]) + float(gram[j, i]))
            distances[i, j] = max(square, 0.0)
        distances[i, i] = 0.0
