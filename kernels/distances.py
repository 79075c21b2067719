"""Squared Euclidean distances between the points of one small problem."""

from __future__ import annotations

import numpy as np

from .flow_arrays import Floats
from .jit import kernel

BLOCK = 32  # features at a time: a block of the points and a row of the result stay in the first cache


@kernel
def distances_from_points(
    points: Floats,  # (n_points, n_features) float  IN
    columns: Floats,  # (BLOCK, n_points) float64  SCRATCH
    distances: Floats,  # (n_points, n_points) float64 OUT
) -> None:
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
def distance_in_points(points: Floats, i: int, j: int) -> float:
    """The same sum for one pair of rows of ``points``, (n_points, n_features) float."""
    square = 0.0
    for f in range(points.shape[1]):
        difference = np.float64(points[j, f]) - np.float64(points[i, f])
        square += difference * difference
    return square


@kernel
def distance_in_gram(gram: Floats, i: int, j: int) -> float:
    """``g[i,i] + g[j,j] - 2 g[i,j]``, not below 0; ``gram`` is (n_points, n_points) float."""
    if i == j:
        return 0.0
    square = (
        np.float64(gram[i, i]) + np.float64(gram[j, j]) - (np.float64(gram[i, j]) + np.float64(gram[j, i]))
    )
    return max(square, 0.0)


@kernel
def distances_from_gram(
    gram: Floats,  # (n_points, n_points) float  IN
    distances: Floats,  # (n_points, n_points) float64 OUT
) -> None:
    """Fill in the squared distances of all pairs."""
    for i in range(gram.shape[0]):
        for j in range(gram.shape[0]):
            distances[i, j] = distance_in_gram(gram, i, j)
