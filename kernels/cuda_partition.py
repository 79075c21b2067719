"""The exact partition on a CUDA card: one block of threads a problem, running the kernels of ``partition``.

A wall's squared distances and values lie in its block's shared memory (four by four: 44 kB); the values
of a larger shape lie in the card's memory. Only shapes whose ways can be listed run here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numba import cuda, float64, int64
from numba.core.errors import NumbaPerformanceWarning

from .cuda import on_device
from .limits import CUDA_POINTS
from .partition import Floats, group_costs, pair_distances, relax
from .partition_best import best_first
from .partition_plan import FIRST_MOVE, FIRST_VALUE, N_MOVES, N_STATES, Plan
from .subsets import Ints, Places

SHARED_BYTES = 48 * 1024  # what any card gives a block
BLOCK_BYTES = 1 << 30  # scratch of all blocks together; the more blocks, the more problems at a time
MOST_BLOCKS = 2048
N_THREADS = 256  # of a block


@cache
def partition_kernel() -> Callable[..., None]:
    """The Python source of the kernel."""
    measure, price = on_device(pair_distances), on_device(group_costs)
    improve, read = on_device(relax), on_device(best_first)

    def partition_block(
        gram: Any,  # (n_problems, n_points, n_points) float64  IN, without rows if the costs are given
        given: Any,  # (n_problems, n_groups) float64, all groups' costs by size  IN, without rows if not
        sizes: Any,  # (n_sizes,) int64, the different group sizes  IN
        group_first: Any,  # (n_sizes,) int64, index of each size's first value  IN
        layers: Any,  # (n_layers + 1, 7) int64  IN
        options: Any,  # (n_options, 4) int64  IN
        group_size: Any,  # (n_groups,) int64  IN
        binomial: Any,  # (n_points + 1, n_points + 1) int64  IN
        groups: Any,  # (n_moves,) uint64  IN
        rests: Any,  # (n_moves,) uint64  IN
        in_shared: Any,  # bool, whether the values lie in shared memory
        far_values: Any,  # (n_blocks, n_values) float64  SCRATCH if they do not
        steps: Any,  # (n_blocks, 2, n_points, n_points) int64  SCRATCH
        rows: Any,  # (n_blocks, 5, n_points) int64  SCRATCH
        places: Any,  # (n_blocks, 2, most_moves) uint64  SCRATCH
        owners: Any,  # (n_blocks, 2, top, n_points) int64  SCRATCH
        spent: Any,  # (n_blocks, 2, top, n_groups) float64  SCRATCH
        layer_of: Any,  # (n_blocks, 2, top) int64  SCRATCH
        orders: Any,  # (n_blocks, top) int64  SCRATCH
        labels: Any,  # (n_problems, top, n_points) int64  OUT
        costs: Any,  # (n_problems, top) float64  OUT
        found: Any,  # (n_problems,) int64  OUT, how many of the top there are
    ) -> None:
        """Solve the problems of this block, one after the other."""
        block, thread, n_threads = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
        n_points = labels.shape[2]
        shared = cuda.shared.array(0, float64)
        distances = shared[: n_points * n_points].reshape(n_points, n_points)
        values = shared[n_points * n_points :] if in_shared else far_values[block]
        members = cuda.local.array(CUDA_POINTS, int64)
        sums = cuda.local.array(CUDA_POINTS, float64)
        for problem in range(block, labels.shape[0], cuda.gridDim.x):
            if gram.shape[0] > 0:
                measure(gram[problem], thread, n_threads, distances)
                cuda.syncthreads()
                for k in range(sizes.shape[0]):
                    n_groups = binomial[n_points, sizes[k]]
                    price(
                        distances, sizes[k], group_first[k], n_groups * thread // n_threads,
                        n_groups * (thread + 1) // n_threads, binomial, members, sums, values,
                    )  # fmt: skip
            else:
                for group in range(thread, given.shape[1], n_threads):
                    values[group] = given[problem, group]
            cuda.syncthreads()
            for place in range(layers.shape[0] - 2):
                improve(
                    values, layers[place, FIRST_VALUE], layers[place, N_STATES], layers[place, N_MOVES],
                    groups, rests, layers[place, FIRST_MOVE], thread, n_threads,
                )  # fmt: skip
                cuda.syncthreads()
            if thread == 0:
                found[problem] = read(
                    values, layers, options, group_size, labels.shape[1], binomial, steps[block],
                    rows[block, :3], rows[block, 3], rows[block, 4], places[block, 0], places[block, 1],
                    owners[block], spent[block], layer_of[block], orders[block],
                    labels[problem], costs[problem],
                )  # fmt: skip
            cuda.syncthreads()

    return partition_block


@cache
def _compiled() -> Any:
    return cuda.jit(partition_kernel())


def solve_on_cuda(
    shape: Plan,  # without a ``cuda_obstacle``
    gram: Floats | None,  # (n_problems, n_points, n_points) float64  IN
    group_cost: Mapping[int, Floats],  # without gram: size -> (n_problems, n_groups) float64  IN
    lists: tuple[Places, Places],  # (n_moves,) uint64 each, the ways of the shape  IN
    labels: Ints,  # (n_problems, top, n_points) int64  OUT
    costs: Floats,  # (n_problems, top) float64  OUT
    counts: Ints,  # (n_problems,) int64  OUT, how many of the top there are
) -> None:
    """Find the best partitions of every problem; all arrays are on the host."""
    n_problems, top, n_points = labels.shape
    n_groups = len(shape.group_size)
    if n_problems == 0:
        return
    given = np.empty((0, shape.n_groups))
    if gram is None:
        gram = np.empty((0, n_points, n_points))
        given = np.concatenate([group_cost[size] for size in shape.group_first], axis=1)
    distance_bytes, value_bytes = 8 * n_points**2, 8 * shape.n_values
    in_shared = distance_bytes + value_bytes <= SHARED_BYTES
    block_bytes = 16 * (n_points**2 + shape.most_moves + top * (n_points + n_groups + 2))
    block_bytes += 0 if in_shared else value_bytes
    n_blocks = max(1, min(n_problems, MOST_BLOCKS, BLOCK_BYTES // block_bytes))

    def scratch(*axes: int, dtype: Any = np.int64) -> Any:
        return cuda.device_array((n_blocks, *axes), dtype)

    inputs = (
        gram,
        given,
        np.array(list(shape.group_first)),
        np.array(list(shape.group_first.values())),
        shape.layers,
        shape.options,
        np.array(shape.group_size),
        shape.binomial,
        *lists,
    )
    results = (labels, costs, counts)
    outputs = [cuda.device_array_like(array) for array in results]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)  # few problems leave a card idle: so be it
        _compiled()[n_blocks, N_THREADS, 0, distance_bytes + (value_bytes if in_shared else 0)](
            *(cuda.to_device(array) for array in inputs),
            in_shared,
            scratch(1 if in_shared else shape.n_values, dtype=np.float64),
            scratch(2, n_points, n_points),
            scratch(5, n_points),
            scratch(2, shape.most_moves, dtype=np.uint64),
            scratch(2, top, n_points),
            scratch(2, top, n_groups, dtype=np.float64),
            scratch(2, top),
            scratch(top),
            *outputs,
        )
    for result, output in zip(results, outputs, strict=True):
        output.copy_to_host(result)
