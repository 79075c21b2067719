"""The exact partition on the CPU: loops over problems, and over the states of one layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import kernel
from .partition import Floats, group_costs, list_moves, pair_distances, relax
from .partition_best import best_first
from .partition_plan import FIRST_MOVE, FIRST_OPTION, FIRST_VALUE, N_MOVES, N_STATES
from .subsets import Ints, Places

Flags = NDArray[np.bool_]


@kernel
def list_plan(
    layers: Ints,  # (n_layers + 1, 7) int64  IN
    options: Ints,  # (n_options, 4) int64  IN
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    groups: Places,  # (n_moves,) uint64  OUT
    rests: Places,  # (n_moves,) uint64  OUT
) -> None:
    """List the ways of every state of every layer below the whole set."""
    n_points = binomial.shape[0] - 1
    left = np.empty(n_points, np.int64)
    steps = np.empty((2, n_points, n_points), np.int64)
    odometer = np.empty((3, n_points), np.int64)
    for place in range(layers.shape[0] - 2):
        layer = layers[place]
        list_moves(
            layer,
            options,
            layers[place + 1, FIRST_OPTION] - layer[FIRST_OPTION],
            n_points,
            0,
            layer[N_STATES],
            binomial,
            left,
            steps,
            odometer,
            groups[layer[FIRST_MOVE] :],
            rests[layer[FIRST_MOVE] :],
        )


@kernel
def fill_group_costs(
    gram: Floats,  # (n_problems, n_points, n_points) float  IN
    sizes: Ints,  # (n_sizes,) int64, the different group sizes  IN
    group_first: Ints,  # (n_sizes,) int64, index of each size's first value  IN
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    cancelled: Flags,  # (1,) bool  IN
    values: Floats,  # (n_problems, n_values) float64  OUT
) -> None:
    """The costs of all groups of every problem."""
    n_points = gram.shape[1]
    distances = np.empty((n_points, n_points))
    members = np.empty(n_points, np.int64)
    sums = np.empty(n_points)
    for problem in range(values.shape[0]):
        if cancelled[0]:
            return
        pair_distances(gram[problem], 0, 1, distances)
        for k in range(sizes.shape[0]):
            n_groups = binomial[n_points, sizes[k]]
            group_costs(
                distances, sizes[k], group_first[k], 0, n_groups, binomial, members, sums, values[problem]
            )


@kernel
def relax_states(
    place: int,  # of the layer
    layers: Ints,  # (n_layers + 1, 7) int64  IN
    options: Ints,  # (n_options, 4) int64  IN
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    listed: int,  # ways listed at a time, about
    first: int,
    last: int,
    cancelled: Flags,  # (1,) bool  IN
    values: Floats,  # (n_problems, n_values) float64  IN, OUT
) -> None:
    """Relax the states ``first`` to ``last - 1`` of a layer for all problems, listing ways as needed."""
    n_points = binomial.shape[0] - 1
    layer = layers[place]
    n_moves = layer[N_MOVES]
    n_states = max(1, listed // n_moves)
    left = np.empty(n_points, np.int64)
    steps = np.empty((2, n_points, n_points), np.int64)
    odometer = np.empty((3, n_points), np.int64)
    groups = np.empty(n_states * n_moves, np.uint64)
    rests = np.empty(n_states * n_moves, np.uint64)
    for start in range(first, last, n_states):
        if cancelled[0]:
            return
        n_here = min(n_states, last - start)
        list_moves(
            layer,
            options,
            layers[place + 1, FIRST_OPTION] - layer[FIRST_OPTION],
            n_points,
            start,
            n_here,
            binomial,
            left,
            steps,
            odometer,
            groups,
            rests,
        )
        for problem in range(values.shape[0]):
            relax(values[problem], layer[FIRST_VALUE] + start, n_here, n_moves, groups, rests, 0, 0, 1)


@kernel
def relax_problems(
    layers: Ints,  # (n_layers + 1, 7) int64  IN
    groups: Places,  # (n_moves,) uint64, as list_plan makes it  IN
    rests: Places,  # like groups  IN
    cancelled: Flags,  # (1,) bool  IN
    values: Floats,  # (n_problems, n_values) float64  IN, OUT
) -> None:
    """Relax all layers of every problem."""
    for problem in range(values.shape[0]):
        if cancelled[0]:
            return
        for place in range(layers.shape[0] - 2):
            layer = layers[place]
            relax(
                values[problem],
                layer[FIRST_VALUE],
                layer[N_STATES],
                layer[N_MOVES],
                groups,
                rests,
                layer[FIRST_MOVE],
                0,
                1,
            )


@kernel
def read_best(
    layers: Ints,  # (n_layers + 1, 7) int64  IN
    options: Ints,  # (n_options, 4) int64  IN
    group_size: Ints,  # (n_groups,) int64  IN
    most_moves: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    values: Floats,  # (n_problems, n_values) float64  IN
    cancelled: Flags,  # (1,) bool  IN
    labels: Ints,  # (n_problems, top, n_points) int64  OUT
    costs: Floats,  # (n_problems, top) float64  OUT
    found: Ints,  # (n_problems,) int64  OUT, how many of the top there are
) -> None:
    """Read the best partitions of every problem off their values."""
    top, n_points = labels.shape[1], labels.shape[2]
    steps = np.empty((2, n_points, n_points), np.int64)
    odometer = np.empty((3, n_points), np.int64)
    left = np.empty(n_points, np.int64)
    members = np.empty(n_points, np.int64)
    groups = np.empty(most_moves, np.uint64)
    rests = np.empty(most_moves, np.uint64)
    owners = np.empty((2, top, n_points), np.int64)
    spent = np.empty((2, top, group_size.shape[0]))
    layer_of = np.empty((2, top), np.int64)
    orders = np.empty(top, np.int64)
    for problem in range(values.shape[0]):
        if cancelled[0]:
            return
        found[problem] = best_first(
            values[problem],
            layers,
            options,
            group_size,
            top,
            binomial,
            steps,
            odometer,
            left,
            members,
            groups,
            rests,
            owners,
            spent,
            layer_of,
            orders,
            labels[problem],
            costs[problem],
        )
