"""The exact partition of a larger set: the costs that prices of its points leave, and a search among groups.

A group's reduced cost is its cost less the prices of its points and of its size; a partition's cost is all
prices plus its reduced costs. ``engine.partition_search`` finds the prices and chooses the groups.
"""

from __future__ import annotations

from typing import NamedTuple

from .jit import kernel
from .partition import Floats
from .subsets import Ints, advance, unrank


@kernel
def lower_shares(
    costs: Floats,  # (n_groups,) float64, of all groups of one size  IN
    size: int,
    members: Ints,  # (n_points,) int64  SCRATCH
    shares: Floats,  # (n_points,) float64  IN, OUT
) -> None:
    """Lower each point's share to the least that a group of it costs a point."""
    n_points = shares.shape[0]
    for i in range(size):
        members[i] = i
    for group in range(costs.shape[0]):
        share = costs[group] / size
        for i in range(size):
            shares[members[i]] = min(shares[members[i]], share)
        advance(members, size, n_points)


@kernel
def reduce_costs(
    costs: Floats,  # (n_groups,) float64, of all groups of one size  IN
    size: int,
    prices: Floats,  # (n_points,) float64  IN
    of_size: float,  # the price of a group of this size itself
    members: Ints,  # (n_points,) int64  SCRATCH
    sums: Floats,  # (n_points,) float64  SCRATCH
    reduced: Floats,  # (n_groups,) float64  OUT
) -> None:
    """Each group's cost less the prices of its points and of its size."""
    n_points = prices.shape[0]
    for i in range(size):
        members[i] = i
    turned = 0
    for group in range(costs.shape[0]):
        for i in range(turned, size):
            sums[i] = (sums[i - 1] if i > 0 else of_size) + prices[members[i]]
        reduced[group] = costs[group] - sums[size - 1]
        turned = advance(members, size, n_points)


@kernel
def list_members(
    ranks: Ints,  # (n_columns,) int64  IN
    size: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    members: Ints,  # (n_columns, size) int64  OUT
) -> None:
    """The points of some groups of one size."""
    for column in range(ranks.shape[0]):
        unrank(ranks[column], 0, binomial.shape[0] - 1, size, binomial, members[column])


class Candidates(NamedTuple):
    """The groups that are searched, by smallest point, then by rising reduced cost."""

    masks: Ints  # (n_columns,) int64, a bit a point
    first: Ints  # (n_points + 1,) int64, where the groups of each smallest point begin
    kinds: Ints  # (n_columns,) int64, which of the sizes
    reduced: Floats  # (n_columns,) float64
    costs: Floats  # (n_columns,) float64


class BestColumns(NamedTuple):
    """The best partitions of a search."""

    columns: Ints  # (top, n_groups) int64, the groups of each, in no order
    costs: Floats  # (top,) float64, rising
    at: Ints  # (top,) int64, the row of ``columns`` of each


@kernel
def search(
    candidates: Candidates,  # IN
    n_left: Ints,  # (n_sizes,) int64, groups of each size  IN, changed and restored
    base: float,  # the sum of all prices
    floor: float,  # no reduced cost is below it; at most 0
    limit: float,  # of a partition's reduced costs together
    rounding: float,  # what these may be off by
    checks: int,  # groups to try at most
    state: Ints,  # (4, n_groups + 1) int64  SCRATCH
    spent: Floats,  # (n_groups + 1,) float64  SCRATCH
    best: BestColumns,  # OUT
) -> int:
    """The best partitions within the limit: how many of the top there are, or -1 after too many checks."""
    masks, first, kinds, reduced, costs = candidates
    best_columns, best_costs, best_at = best
    n_groups = spent.shape[0] - 1
    top = best_costs.shape[0]
    covered, points, places, chosen = state[0], state[1], state[2], state[3]
    n_best = 0
    depth = 0
    covered[0] = 0
    points[0] = 0
    places[0] = first[0]
    spent[0] = 0.0
    while depth >= 0:
        column = places[depth]
        if column == first[points[depth] + 1] or (
            spent[depth] + reduced[column] + floor * (n_groups - 1 - depth) > limit
        ):
            depth -= 1
            if depth >= 0:
                n_left[kinds[chosen[depth]]] += 1
            continue
        places[depth] += 1
        checks -= 1
        if checks < 0:
            while depth > 0:
                depth -= 1
                n_left[kinds[chosen[depth]]] += 1
            return -1
        if masks[column] & covered[depth] or n_left[kinds[column]] == 0:
            continue
        chosen[depth] = column
        if depth < n_groups - 1:
            n_left[kinds[column]] -= 1
            covered[depth + 1] = covered[depth] | masks[column]
            spent[depth + 1] = spent[depth] + reduced[column]
            point = points[depth] + 1
            while (covered[depth + 1] >> point) & 1:
                point += 1
            depth += 1
            points[depth] = point
            places[depth] = first[point]
            continue
        cost = costs[column]
        for earlier in range(n_groups - 2, -1, -1):  # as in dynamic programming, to the last digit
            cost = costs[chosen[earlier]] + cost
        if n_best == top and cost >= best_costs[top - 1]:
            continue
        row = n_best if n_best < top else best_at[top - 1]
        n_best = min(n_best + 1, top)
        place = n_best - 1
        while place > 0 and best_costs[place - 1] > cost:
            best_costs[place], best_at[place] = best_costs[place - 1], best_at[place - 1]
            place -= 1
        best_costs[place], best_at[place] = cost, row
        for i in range(n_groups):
            best_columns[row, i] = chosen[i]
        if n_best == top:
            limit = min(limit, best_costs[top - 1] - base + rounding)
    return n_best
