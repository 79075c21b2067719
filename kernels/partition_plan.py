"""What the exact partition of one shape runs over: layers of subsets, and the ways between them.

A partition is built by always giving the smallest point left a group, so that each partition is built
in one way only. After j groups the points 0 to j - 1 are placed, whatever was chosen: a layer, which is
one multiset of group sizes still to come, holds the sets of that many points out of the others. For four
groups of four that is 3,003 sets of 8 points with 35 ways each and 455 of 12 with 165: 180,180 sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np

from .limits import CUDA_POINTS
from .subsets import Ints, binomials

# Columns of Plan.layers and Plan.options, for the kernels.
N_LEFT, LOWEST, FIRST_VALUE, N_STATES, N_MOVES, FIRST_MOVE, FIRST_OPTION = range(7)
SIZE, LAST_GROUP, LAST_REST, NEXT_LAYER = range(4)

KEPT_MOVES = 1 << 21  # a shape with more ways does not keep their list, 16 bytes each, for the next call


@dataclass(frozen=True)
class Plan:
    """The layers of one shape, from those with two groups to come up to the whole set.

    A problem's values are one row: the cost of every group, size by size, then for every state of every
    layer the least cost of splitting its points. A layer is a row of ``layers``: points left, the points
    below which all are placed, index of its first value, states, ways a state, index of its first way,
    index of its first option. An option is the size of the group to take next: size, index of the last
    group of that size, index of the last set that may remain, the layer of what remains (-1: one group).
    """

    n_points: int
    group_size: tuple[int, ...]  # as given: group g takes group_size[g] points
    group_first: dict[int, int]  # size -> index of its first group among the values
    layers: Ints  # (n_layers + 1, 7): the last row only ends the options
    options: Ints  # (n_options, 4)
    n_values: int

    @property
    def n_groups(self) -> int:
        """Groups of all sizes together: the values that are given, not computed."""
        return sum(comb(self.n_points, size) for size in self.group_first)

    @property
    def n_moves(self) -> int:
        """Ways of all states of all layers below the whole set: additions a problem."""
        return sum(int(row[N_STATES]) * int(row[N_MOVES]) for row in self.layers[:-2])

    @property
    def most_moves(self) -> int:
        """Ways of the state that has most."""
        return max((int(row[N_MOVES]) for row in self.layers[:-1]), default=1)

    @cached_property
    def binomial(self) -> Ints:
        """The table of binomial coefficients that the kernels index."""
        return binomials(self.n_points)


def _multisets(group_size: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every multiset of two and more of the sizes, by its length."""
    found = {tuple(sorted(group_size))}
    newest = found
    for _ in range(len(group_size) - 2):
        newest = {left[:i] + left[i + 1 :] for left in newest for i in range(len(left))}
        found = found | newest
    return sorted((left for left in found if len(left) > 1), key=lambda left: (len(left), left))


def count_values(group_size: tuple[int, ...], enough: int) -> int:
    """How many values a problem of this shape has; where there are more than ``enough``, maybe fewer."""
    n_points, n_groups = sum(group_size), len(group_size)
    total = sum(comb(n_points, size) for size in set(group_size))
    if total <= enough:
        total += sum(comb(n_points - n_groups + len(left), sum(left)) for left in _multisets(group_size))
    return total


@lru_cache(maxsize=16)
def plan(group_size: tuple[int, ...]) -> Plan:
    """The plan for groups of these sizes, of which ``count_values`` is known to be within memory."""
    n_points, n_groups = sum(group_size), len(group_size)
    group_first: dict[int, int] = {}
    first_value = 0
    for size in sorted(set(group_size)):
        group_first[size] = first_value
        first_value += comb(n_points, size)

    places: dict[tuple[int, ...], int] = {}
    layers: list[list[int]] = []
    options: list[list[int]] = []
    first_move = 0
    for left in _multisets(group_size):
        places[left] = len(layers)
        n_left, lowest = sum(left), n_groups - len(left)
        n_states = comb(n_points - lowest, n_left)
        n_moves = sum(comb(n_left - 1, size - 1) for size in set(left))
        layers.append([n_left, lowest, first_value, n_states, n_moves, first_move, len(options)])
        first_value += n_states
        first_move += n_states * n_moves
        for size in sorted(set(left)):
            rest = list(left)
            rest.remove(size)
            next_layer = -1 if len(rest) == 1 else places[tuple(rest)]
            if next_layer < 0:
                end = group_first[rest[0]] + comb(n_points, rest[0])
            else:
                end = layers[next_layer][FIRST_VALUE] + layers[next_layer][N_STATES]
            options.append([size, group_first[size] + comb(n_points, size) - 1, end - 1, next_layer])
    layers.append([0, n_groups, first_value, 0, 0, first_move, len(options)])
    # A shape far beyond memory still has a plan, of which only the groups count.
    layers = [[min(number, 2**63 - 1) for number in row] for row in layers]
    options = [[min(number, 2**63 - 1) for number in row] for row in options]
    return Plan(
        n_points=n_points,
        group_size=group_size,
        group_first=group_first,
        layers=np.array(layers, np.int64),
        options=np.array(options, np.int64).reshape(-1, 4),
        n_values=first_value,
    )


def cuda_obstacle(shape: Plan) -> str | None:
    """Why a shape is too large for a card, or None."""
    if shape.n_points > CUDA_POINTS:
        return f"problems of {shape.n_points} points exceed the {CUDA_POINTS} that a thread has room for"
    if shape.n_moves > KEPT_MOVES:
        return f"{shape.n_moves:,} additions a problem exceed the {KEPT_MOVES:,} that are listed at once"
    return None
