"""The exact partition of a few points into groups of given sizes: dynamic programming over subsets.

The plan (``partition_plan``) says which sets occur. Here are the steps over one problem's row of values:
the cost of every group, and the least cost of splitting every set. ``partition_best`` reads the best
partitions off it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .jit import kernel
from .partition_plan import FIRST_OPTION, LAST_GROUP, LAST_REST, LOWEST, N_LEFT, SIZE
from .subsets import Ints, Places, advance, take_groups, unrank

Floats = NDArray[np.float64]


@kernel
def pair_distances(
    gram: Floats,  # (n_points, n_points) float  IN
    begin: int,  # this worker takes the rows begin, begin + stride, ...
    stride: int,
    distances: Floats,  # (n_points, n_points) float64  OUT, where the column is below the row
) -> None:
    """Squared distances, not held above 0: a matrix that is not a Gram matrix of points has negative ones."""
    for i in range(begin, gram.shape[0], stride):
        for j in range(i):
            distances[i, j] = float(gram[i, i]) + float(gram[j, j]) - (float(gram[i, j]) + float(gram[j, i]))


@kernel
def group_costs(
    distances: Floats,  # (n_points, n_points) float64  IN
    size: int,
    first_value: int,  # index of the first group's cost
    begin: int,  # the groups begin to end - 1
    end: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    members: Ints,  # (n_points,) int64  SCRATCH
    sums: Floats,  # (n_points,) float64  SCRATCH
    values: Floats,  # (n_values,) float64  OUT
) -> None:
    """The sum of squared distances within each of some groups of ``size`` points, over the size."""
    if begin >= end:
        return
    n_points = distances.shape[0]
    unrank(begin, 0, n_points, size, binomial, members)
    turned = 0
    for group in range(begin, end):
        # sums[i] is over the pairs among the first i + 1 members, of which few change from group to group
        for i in range(turned, size):
            pairs = sums[i - 1] if i > 0 else 0.0
            for j in range(i):
                pairs += distances[members[i], members[j]]
            sums[i] = pairs
        values[first_value + group] = sums[size - 1] / size
        turned = advance(members, size, n_points)


@kernel
def list_moves(
    layer: Ints,  # (7,) int64, a row of Plan.layers  IN
    options: Ints,  # (n_options, 4) int64, Plan.options  IN
    n_options: int,  # of this layer
    n_points: int,
    first_state: int,
    n_states: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    left: Ints,  # (n_points,) int64  SCRATCH
    steps: Ints,  # (2, n_points, n_points) int64  SCRATCH
    odometer: Ints,  # (3, n_points) int64  SCRATCH
    groups: Places,  # (n_states * n_moves,) uint64  OUT
    rests: Places,  # (n_states * n_moves,) uint64  OUT
) -> None:
    """For some states of a layer, where among the values every group stands, and what it leaves."""
    unrank(first_state, layer[LOWEST], n_points, layer[N_LEFT], binomial, left)
    at = 0
    for _ in range(n_states):
        for o in range(layer[FIRST_OPTION], layer[FIRST_OPTION] + n_options):
            at = take_groups(
                left,
                layer[N_LEFT],
                options[o, SIZE],
                n_points,
                options[o, LAST_GROUP],
                options[o, LAST_REST],
                binomial,
                steps,
                odometer,
                groups,
                rests,
                at,
            )
        advance(left, layer[N_LEFT], n_points)


@kernel
def relax(
    values: Floats,  # (n_values,) float64  IN, OUT
    first_value: int,  # index of the first state's value
    n_states: int,
    n_moves: int,  # of each state
    groups: Places,  # (>= first_move + n_states * n_moves,) uint64  IN
    rests: Places,  # like groups  IN
    first_move: int,
    begin: int,  # this worker takes the states begin, begin + stride, ...
    stride: int,
) -> None:
    """The least cost of splitting each state: over its groups, the group's cost and its rest's."""
    for state in range(begin, n_states, stride):
        start = first_move + state * n_moves
        group, rest = groups[start : start + n_moves], rests[start : start + n_moves]
        least = math.inf
        for move in range(n_moves):
            cost = values[group[move]] + values[rest[move]]
            least = min(least, cost)
        values[first_value + state] = least
