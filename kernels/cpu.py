"""Loops over problems on the CPU: Python threads, each running one kernel over its share of a batch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batch import Best, Starts
from .distances import BLOCK, distances_from_gram, distances_from_points
from .jit import kernel
from .multistart import solve_starts

_BLOCK_BYTES = 1 << 18  # distances computed before they are used: they stay in the second cache
CHUNKS_PER_THREAD = 8  # so that a thread that met easy problems takes over others'


def run_chunks(work: Callable[[int, int, NDArray[np.bool_]], None], n_problems: int, n_threads: int) -> None:
    """Call ``work(first, last, cancelled)`` over parts of ``range(n_problems)`` in ``n_threads`` threads.

    ``work`` runs a kernel that releases the GIL and returns early once ``cancelled[0]`` is set, as it is
    on Ctrl-C or when another part failed. Threads end with the call: nothing is left behind that a fork
    could lose.
    """
    cancelled = np.zeros(1, np.bool_)
    n_threads = max(1, min(n_threads, n_problems))
    n_chunks = min(n_problems, n_threads * CHUNKS_PER_THREAD)
    edges = [n_problems * c // n_chunks for c in range(n_chunks + 1)] if n_chunks else [0]
    parts = list(pairwise(edges))
    if n_threads == 1 and threading.current_thread() is not threading.main_thread():
        for first, last in parts:
            work(first, last, cancelled)
        return
    # Also for one thread: only a main thread that waits, and does not compute, hears Ctrl-C at once.
    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(work, first, last, cancelled) for first, last in parts]
        try:
            wait(futures, return_when="FIRST_EXCEPTION")
        finally:
            cancelled[0] = not all(future.done() for future in futures)
            for future in futures:
                future.cancel()
    for future in futures:
        if not future.cancelled():
            future.result()


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


def solve_on_cpu(
    data: NDArray[Any],
    is_gram: bool,
    starts: Starts,
    best: Best,
    n_slots: int,
    n_threads: int,
) -> None:
    """Solve all problems; the arguments are those of ``fill_distances`` and ``solve_problems``."""
    n_points = data.shape[1]
    at_once = max(1, _BLOCK_BYTES // (8 * n_points * n_points))

    def work(first: int, last: int, cancelled: NDArray[np.bool_]) -> None:
        for begin in range(first, last, at_once):
            distances = np.empty((min(at_once, last - begin), n_points, n_points))
            fill_distances(data, is_gram, begin, distances)
            solve_problems(distances, begin, cancelled, *starts, n_slots, *best)

    run_chunks(work, len(data), n_threads)
