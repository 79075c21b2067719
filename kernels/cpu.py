"""Loops over the problems of a batch on the CPU; ``engine.batch`` shares them out over threads."""

from __future__ import annotations

import numpy as np

from .distances import BLOCK, distances_from_gram, distances_from_points
from .jit import kernel
from .multistart import solve_starts


@kernel
def fill_distances(
    data,  # (n_problems, n_points, n_features or n_points) float   IN
    is_gram,  # bool                                                IN
    first,  # int64                                                 IN
    distances,  # (n_some, n_points, n_points) float64              OUT
):
    """Compute the squared distances of the problems from ``first`` on.

    Apart from ``solve_problems``, so that another type of data compiles no more than this.
    """
    columns = np.empty((BLOCK, data.shape[1]))
    for p in range(distances.shape[0]):
        if is_gram:
            distances_from_gram(data[first + p], distances[p])
        else:
            distances_from_points(data[first + p], columns, distances[p])


@kernel
def solve_problems(
    distances,  # (n_some, n_points, n_points) float64              IN, squared
    first,  # int64                                                 IN, the problem that comes first in it
    cancelled,  # (1,) bool                                         IN
    seeds,  # (n_seeds,) uint64                                     IN
    orders,  # (n_seeds, n_points) int64                            IN
    n_init,  # int64                                                IN
    size_min,  # (n_clusters,) int64                                IN
    size_max,  # (n_clusters,) int64                                IN
    alike,  # bool                                                  IN
    euclidean,  # bool                                              IN
    max_iter,  # int64                                              IN
    n_slots,  # int64                                               IN
    labels,  # (n_problems, n_seeds, n_points) int64                OUT
    inertia,  # (n_problems, n_seeds) float64                       OUT
    n_iter,  # (n_problems, n_seeds) int64                          OUT
    status,  # (n_problems, n_seeds) int64                          OUT
):
    """Solve the problems from ``first`` on."""
    n_points = distances.shape[1]
    n_clusters = size_min.shape[0]
    permuted = np.empty((n_points, n_points))
    keys = np.empty(n_slots, np.int64)
    solutions = np.empty((n_slots + 1, n_points), np.int64)
    found_inertia = np.empty(n_slots + 1)
    found_n_iter = np.empty(n_slots + 1, np.int64)
    found_status = np.empty(n_slots + 1, np.int64)
    closest = np.empty(n_points)
    drawn = np.empty(n_clusters, np.int64)
    centres = np.empty(n_clusters, np.int64)
    members = np.empty(n_clusters, np.int64)
    found = np.empty(n_points, np.int64)
    planes = np.empty((2, n_clusters, n_points))
    node_floats = np.empty((4, n_clusters + 1))
    node_ints = np.empty((5, n_clusters + 1), np.int64)
    point_ints = np.empty((3, n_points), np.int64)
    for p in range(distances.shape[0]):
        solve_starts(
            distances[p],
            cancelled,
            seeds,
            orders,
            n_init,
            size_min,
            size_max,
            alike,
            euclidean,
            max_iter,
            permuted,
            keys,
            solutions,
            found_inertia,
            found_n_iter,
            found_status,
            closest,
            drawn,
            centres,
            members,
            found,
            planes,
            node_floats,
            node_ints,
            point_ints,
            labels[first + p],
            inertia[first + p],
            n_iter[first + p],
            status[first + p],
        )
