"""Loops over problems on a CUDA device: one block a problem, one thread a start of a seed.

Only launches live here: the functions that run on the device are those that run on the CPU. A kernel is
compiled for each shape of problem, since a thread's scratch has a fixed size on the device.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import cuda, float64, int64
from numpy.typing import NDArray

from .batch import Best, Starts
from .distances import distance_in_gram, distance_in_points
from .limits import FAILED
from .lloyd import lloyd
from .multistart import better, own_centres, relabel, sort_centres
from .seeding import kmeans_plus_plus

MAX_THREADS = 128
_SCRATCH_BYTES = 1 << 28  # for what all starts found, before the best are kept


@cache
def on_device(compiled: Callable[..., Any]) -> Any:
    """The CUDA device function of a CPU kernel, and of the kernels that it calls."""
    python = getattr(compiled, "py_func", compiled)
    names = dict(python.__globals__)
    for name in python.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = on_device(names[name])
    return cuda.jit(device=True)(FunctionType(python.__code__, names, python.__name__))


@cache
def starts_kernel(n_points: int, n_clusters: int) -> Callable[..., None]:
    """The Python source of the kernel that solves every start, for one shape of problem."""
    pair_in_points, pair_in_gram = on_device(distance_in_points), on_device(distance_in_gram)
    draw, sort = on_device(kmeans_plus_plus), on_device(sort_centres)
    iterate, own, number = on_device(lloyd), on_device(own_centres), on_device(relabel)
    nodes = n_clusters + 1

    def solve_starts(
        data: Any,  # (n_problems, n_points, n_features or n_points) float  IN
        is_gram: Any,  # bool                                                IN
        seeds: Any,  # (n_seeds,) uint64                                     IN
        orders: Any,  # (n_seeds, n_points) int64                            IN
        n_init: Any,  # int64                                                IN
        size_min: Any,  # (n_clusters,) int64                                IN
        size_max: Any,  # (n_clusters,) int64                                IN
        alike: Any,  # bool                                                  IN
        euclidean: Any,  # bool                                              IN
        max_iter: Any,  # int64                                              IN
        labels: Any,  # (n_problems, n_seeds, n_init, n_points) int16        OUT
        inertia: Any,  # (n_problems, n_seeds, n_init) float64               OUT
        n_iter: Any,  # (n_problems, n_seeds, n_init) int64                  OUT
        status: Any,  # (n_problems, n_seeds, n_init) int64                  OUT
    ) -> None:
        distances = cuda.shared.array((n_points, n_points), float64)
        closest = cuda.local.array(n_points, float64)
        drawn = cuda.local.array(n_clusters, int64)
        centres = cuda.local.array(n_clusters, int64)
        planes = cuda.local.array((2, n_clusters, n_points), float64)
        node_floats = cuda.local.array((4, nodes), float64)
        node_ints = cuda.local.array((5, nodes), int64)
        point_ints = cuda.local.array((3, n_points), int64)
        found = cuda.local.array(n_points, int64)
        solution = cuda.local.array(n_points, int64)
        problem = cuda.blockIdx.x
        for pair in range(cuda.threadIdx.x, n_points * n_points, cuda.blockDim.x):
            i = pair // n_points
            j = pair - i * n_points
            if is_gram:
                distances[i, j] = pair_in_gram(data[problem], i, j)
            else:
                distances[i, j] = pair_in_points(data[problem], i, j)
        cuda.syncthreads()
        for task in range(cuda.threadIdx.x, seeds.shape[0] * n_init, cuda.blockDim.x):
            s = task // n_init
            start = task - s * n_init
            order = orders[s]
            draw(distances, order, seeds[s], start, closest, drawn)
            for c in range(n_clusters):
                centres[c] = drawn[c]
            if alike:
                sort(centres)
            value, iterations, state, _ = iterate(
                distances,
                order,
                centres,
                size_min,
                size_max,
                euclidean,
                max_iter,
                -1.0,  # nothing is remembered: equals may be met
                planes,
                node_floats,
                node_ints,
                point_ints,
                closest,
                found,
            )
            inertia[problem, s, start] = value
            n_iter[problem, s, start] = iterations
            status[problem, s, start] = state
            if state != FAILED:
                own(found, centres, order, solution)
                number(solution, order, drawn, labels[problem, s, start])

    return solve_starts


@cache
def best_kernel() -> Callable[..., None]:
    """The Python source of the kernel that keeps the best start of each seed."""
    is_better = on_device(better)

    def keep_best(
        all_labels: Any,  # (n_problems, n_seeds, n_init, n_points) int16  IN
        all_inertia: Any,  # (n_problems, n_seeds, n_init) float64         IN
        all_n_iter: Any,  # (n_problems, n_seeds, n_init) int64            IN
        all_status: Any,  # (n_problems, n_seeds, n_init) int64            IN
        labels: Any,  # (n_problems, n_seeds, n_points) int16              OUT
        inertia: Any,  # (n_problems, n_seeds) float64                     OUT
        n_iter: Any,  # (n_problems, n_seeds) int64                        OUT
        status: Any,  # (n_problems, n_seeds) int64                        OUT
    ) -> None:
        n_problems, n_seeds, n_init = all_inertia.shape
        for task in range(cuda.grid(1), n_problems * n_seeds, cuda.gridsize(1)):
            p = task // n_seeds
            s = task - p * n_seeds
            kept = 0
            for start in range(1, n_init):
                if is_better(all_inertia[p, s, start], all_inertia[p, s, kept]):
                    kept = start
            inertia[p, s] = all_inertia[p, s, kept]
            n_iter[p, s] = all_n_iter[p, s, kept]
            status[p, s] = all_status[p, s, kept]
            for i in range(labels.shape[2]):
                labels[p, s, i] = all_labels[p, s, kept, i]

    return keep_best


@cache
def _compiled(source: Callable[..., None]) -> Any:
    return cuda.jit(source)


def solve_on_cuda(
    data: NDArray[Any],
    is_gram: bool,
    starts: Starts,
    best: Best,
    threads: int = MAX_THREADS,
) -> None:
    """Solve all problems; outputs are on the host."""
    n_problems, n_seeds, n_points = best.labels.shape
    n_init = starts.n_init
    solve = _compiled(starts_kernel(n_points, len(starts.size_min)))
    keep = _compiled(best_kernel())
    on_card = starts._replace(
        size_min=cuda.to_device(np.ascontiguousarray(starts.size_min)),
        size_max=cuda.to_device(np.ascontiguousarray(starts.size_max)),
    )
    seeds_at_once = max(1, _SCRATCH_BYTES // max(1, n_problems * n_init * (2 * n_points + 24)))
    card_data = cuda.to_device(np.ascontiguousarray(data))
    for first in range(0, n_seeds if n_problems else 0, seeds_at_once):
        part = slice(first, first + seeds_at_once)
        on_card = on_card._replace(
            seeds=cuda.to_device(starts.seeds[part]), orders=cuda.to_device(starts.orders[part])
        )
        shape = (n_problems, len(starts.seeds[part]))
        everything = [
            cuda.device_array((*shape, n_init, n_points), np.int16),
            cuda.device_array((*shape, n_init), np.float64),
            cuda.device_array((*shape, n_init), np.int64),
            cuda.device_array((*shape, n_init), np.int64),
        ]
        kept = [
            cuda.device_array((*shape, n_points), np.int16),
            cuda.device_array(shape, np.float64),
            cuda.device_array(shape, np.int64),
            cuda.device_array(shape, np.int64),
        ]
        block = min(threads, -(-shape[1] * n_init // 32) * 32)
        solve[n_problems, block](card_data, is_gram, *on_card, *everything)
        keep[-(-n_problems * shape[1] // threads), threads](*everything, *kept)
        for host, card in zip(best, kept, strict=True):
            host[:, part] = card.copy_to_host()
