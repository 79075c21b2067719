"""The best partitions, read off the values of a problem: of each number of groups the best beginnings.

``partition`` makes the values, ``partition_plan`` says where each is. The best are kept in a heap.
"""

from __future__ import annotations

import math

from .jit import kernel
from .partition import Floats
from .partition_plan import FIRST_OPTION, LAST_GROUP, LAST_REST, NEXT_LAYER, SIZE
from .subsets import Ints, Places, rank, take_groups, unrank


@kernel
def _sift_down(
    costs: Floats,  # (>= n_kept,) float64  IN, OUT
    orders: Ints,  # (>= n_kept,) int64  IN, OUT
    n_kept: int,
    cost: float,
    order: int,
) -> None:
    """Put (cost, order) in the place of the heap's first and largest, and restore the heap."""
    place = 0
    while 2 * place + 1 < n_kept:
        child = 2 * place + 1
        if child + 1 < n_kept and (
            costs[child + 1] > costs[child]
            or (costs[child + 1] == costs[child] and orders[child + 1] > orders[child])
        ):
            child += 1
        if costs[child] < cost or (costs[child] == cost and orders[child] < order):
            break
        costs[place], orders[place] = costs[child], orders[child]
        place = child
    costs[place], orders[place] = cost, order


@kernel
def _keep(
    costs: Floats,  # (top,) float64  IN, OUT
    orders: Ints,  # (top,) int64  IN, OUT
    n_kept: int,
    cost: float,
    order: int,  # above those of all earlier calls
) -> int:
    """Offer a cost to the heap of the ``top`` least; how many it then holds."""
    if n_kept == costs.shape[0]:
        if cost < costs[0]:  # of equal costs the earlier one stays
            _sift_down(costs, orders, n_kept, cost, order)
        return n_kept
    place = n_kept
    while place > 0 and costs[(place - 1) // 2] <= cost:  # orders rise: the later one is the larger
        costs[place], orders[place] = costs[(place - 1) // 2], orders[(place - 1) // 2]
        place = (place - 1) // 2
    costs[place], orders[place] = cost, order
    return n_kept + 1


@kernel
def _sort(
    costs: Floats,  # (>= n_kept,) float64  IN, OUT
    orders: Ints,  # (>= n_kept,) int64  IN, OUT
    n_kept: int,
) -> None:
    """Turn the heap into a list, least first."""
    for end in range(n_kept - 1, 0, -1):
        cost, order = costs[end], orders[end]
        costs[end], orders[end] = costs[0], orders[0]
        _sift_down(costs, orders, end, cost, order)


@kernel
def best_first(
    values: Floats,  # (n_values,) float64  IN, all layers relaxed but the whole set's
    layers: Ints,  # (n_layers + 1, 7) int64  IN
    options: Ints,  # (n_options, 4) int64  IN
    group_size: Ints,  # (n_groups,) int64  IN
    top: int,  # partitions wanted
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    steps: Ints,  # (2, n_points, n_points) int64  SCRATCH
    odometer: Ints,  # (3, n_points) int64  SCRATCH
    left: Ints,  # (n_points,) int64  SCRATCH
    members: Ints,  # (n_points,) int64  SCRATCH
    groups: Places,  # (most_moves,) uint64  SCRATCH
    rests: Places,  # (most_moves,) uint64  SCRATCH
    owners: Ints,  # (2, top, n_points) int64  SCRATCH, the group of each point, -1 if not placed
    spent: Floats,  # (2, top, n_groups) float64  SCRATCH, the cost of each group placed
    layer_of: Ints,  # (2, top) int64  SCRATCH
    orders: Ints,  # (top,) int64  SCRATCH
    labels: Ints,  # (top, n_points) int64  OUT
    costs: Floats,  # (top,) float64  OUT, rising; inf where there are no more
) -> int:
    """The ``top`` best partitions, and how many there were.

    The values tell the best completion of any beginning. So of the beginnings with one group, with two
    and so on, keep the ``top`` whose best completions are best: the best partitions all begin so, since
    a beginning outside would have ``top`` better partitions before it. Sums are folded from the last
    group to the first, as in the values, so that this holds for the rounded numbers as well.
    """
    n_points = labels.shape[1]
    n_groups = group_size.shape[0]
    n_beginnings = 1
    for point in range(n_points):
        owners[0, 0, point] = -1
    layer_of[0, 0] = layers.shape[0] - 2
    most_moves = groups.shape[0]
    costs[0] = values[0]
    for depth in range(n_groups - 1):
        old, new = depth % 2, (depth + 1) % 2
        n_kept = 0
        for b in range(n_beginnings):
            n_left = _points_left(owners, old, b, left)
            layer = layer_of[old, b]
            n_moves = 0
            for o in range(layers[layer, FIRST_OPTION], layers[layer + 1, FIRST_OPTION]):
                n_moves = take_groups(
                    left,
                    n_left,
                    options[o, SIZE],
                    n_points,
                    options[o, LAST_GROUP],
                    options[o, LAST_REST],
                    binomial,
                    steps,
                    odometer,
                    groups,
                    rests,
                    n_moves,
                )
            for move in range(n_moves):
                cost = values[groups[move]] + values[rests[move]]
                for earlier in range(depth - 1, -1, -1):
                    cost = spent[old, b, earlier] + cost
                if cost == math.inf:
                    continue
                order = b * most_moves + move
                n_kept = _keep(costs, orders, n_kept, cost, order)
        _sort(costs, orders, n_kept)

        for kept in range(n_kept):
            parent, move = orders[kept] // most_moves, orders[kept] % most_moves
            for point in range(n_points):
                owners[new, kept, point] = owners[old, parent, point]
            for earlier in range(depth):
                spent[new, kept, earlier] = spent[old, parent, earlier]
            n_left = _points_left(owners, old, parent, left)
            layer = layer_of[old, parent]
            option = layers[layer, FIRST_OPTION]
            size = options[option, SIZE]
            while move >= binomial[n_left - 1, size - 1]:
                move -= binomial[n_left - 1, size - 1]
                option += 1
                size = options[option, SIZE]
            # the group's other members by their places among the points left
            unrank(move, 1, n_left, size - 1, binomial, members)
            for i in range(size - 1, 0, -1):
                members[i] = left[members[i - 1]]
            members[0] = left[0]
            for i in range(size):
                owners[new, kept, members[i]] = depth
            group = options[option, LAST_GROUP] - (binomial[n_points, size] - 1)
            spent[new, kept, depth] = values[group + rank(members, size, n_points, binomial)]
            layer_of[new, kept] = options[option, NEXT_LAYER]
        n_beginnings = n_kept

    if n_groups == 1 and costs[0] == math.inf:
        n_beginnings = 0
    last = (n_groups - 1) % 2
    for kept in range(n_beginnings):
        number_groups(owners, last, kept, group_size, members, left, labels)
    for missing in range(n_beginnings, top):
        costs[missing] = math.inf
    return n_beginnings


@kernel
def _points_left(
    owners: Ints,  # (2, top, n_points) int64  IN
    side: int,
    place: int,
    left: Ints,  # (n_points,) int64  OUT, the points not placed, rising
) -> int:
    """How many points have no group yet, in the beginning at ``place``."""
    n_left = 0
    for point in range(owners.shape[2]):
        if owners[side, place, point] < 0:
            left[n_left] = point
            n_left += 1
    return n_left


@kernel
def number_groups(
    owners: Ints,  # (2, top, n_points) int64  IN: groups by their smallest point, -1 for the last
    side: int,
    place: int,
    group_size: Ints,  # (n_groups,) int64  IN
    sizes: Ints,  # (n_points,) int64  SCRATCH
    numbers: Ints,  # (n_points,) int64  SCRATCH
    labels: Ints,  # (top, n_points) int64  OUT, at place
) -> None:
    """Give group g ``group_size[g]`` points; groups of one size in the order of their smallest points."""
    n_points, n_groups = owners.shape[2], group_size.shape[0]
    for group in range(n_groups):
        sizes[group] = 0
    for point in range(n_points):
        owner = owners[side, place, point]
        labels[place, point] = owner if owner >= 0 else n_groups - 1
        sizes[labels[place, point]] += 1
    for group in range(n_groups):
        alike = 0  # earlier groups of this size
        for earlier in range(group):
            if sizes[earlier] == sizes[group]:
                alike += 1
        number = 0
        while group_size[number] != sizes[group] or alike > 0:
            if group_size[number] == sizes[group]:
                alike -= 1
            number += 1
        numbers[group] = number
    for point in range(n_points):
        labels[place, point] = numbers[labels[place, point]]
