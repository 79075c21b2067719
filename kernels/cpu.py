"""Loops over the problems of a batch on the CPU; ``engine.batch`` shares them out over threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .batch import Best, Starts, Workspace
from .distances import BLOCK, distances_from_gram, distances_from_points
from .flow_arrays import Floats
from .jit import kernel
from .multistart import solve_starts

Flags = NDArray[np.bool_]


@kernel
def fill_distances(
    data: Floats,  # (n_problems, n_points, n_features or n_points) float  IN
    is_gram: bool,
    first: int,
    distances: Floats,  # (n_some, n_points, n_points) float64  OUT
) -> None:
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
    distances: Floats,  # (n_some, n_points, n_points) float64  IN, squared
    first: int,  # the problem that comes first in it
    cancelled: Flags,  # (1,) bool  IN
    starts: Starts,  # IN
    n_slots: int,
    best: Best,  # OUT
) -> None:
    """Solve the problems from ``first`` on."""
    n_points = distances.shape[1]
    n_clusters = starts.size_min.shape[0]
    workspace = Workspace(
        np.empty((n_points, n_points)),
        np.empty(n_slots, np.int64),
        np.empty((n_slots + 1, n_points), np.int64),
        np.empty(n_slots + 1),
        np.empty(n_slots + 1, np.int64),
        np.empty(n_slots + 1, np.int64),
        np.empty(n_points),
        np.empty(n_clusters, np.int64),
        np.empty(n_clusters, np.int64),
        np.empty(n_clusters, np.int64),
        np.empty(n_points, np.int64),
        np.empty((2, n_clusters, n_points)),
        np.empty((4, n_clusters + 1)),
        np.empty((5, n_clusters + 1), np.int64),
        np.empty((3, n_points), np.int64),
    )
    for p in range(distances.shape[0]):
        place = first + p
        solve_starts(
            distances[p],
            cancelled,
            starts,
            workspace,
            best.labels[place],
            best.inertia[place],
            best.n_iter[place],
            best.status[place],
        )
