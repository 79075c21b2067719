"""The exact partition of a larger set: the costs that prices of its points leave, and a search among groups.

A group's reduced cost is its cost less the prices of its points and of its size; a partition's cost is all
prices plus its reduced costs. ``engine.partition_search`` finds the prices and chooses the groups.
"""

from __future__ import annotations

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


@kernel
def search(
    masks: Ints,  # (n_columns,) int64, by smallest point, then by rising reduced cost  IN
    first: Ints,  # (n_points + 1,) int64, where the groups of each smallest point begin  IN
    kinds: Ints,  # (n_columns,) int64, which of the sizes  IN
    reduced: Floats,  # (n_columns,) float64  IN
    costs: Floats,  # (n_columns,) float64  IN
    n_left: Ints,  # (n_sizes,) int64, groups of each size  IN, changed and restored
    base: float,  # the sum of all prices
    floor: float,  # no reduced cost is below it; at most 0
    limit: float,  # of a partition's reduced costs together
    rounding: float,  # what these may be off by
    checks: int,  # groups to try at most
    state: Ints,  # (4, n_groups + 1) int64  SCRATCH
    spent: Floats,  # (n_groups + 1,) float64  SCRATCH
    found_columns: Ints,  # (top, n_groups) int64  OUT, in no order
    found_costs: Floats,  # (top,) float64  OUT, rising
    found_at: Ints,  # (top,) int64  OUT, the row of found_columns of each
) -> int:
    """The best partitions within the limit: how many of the top there are, or -1 after too many checks."""
    n_groups = spent.shape[0] - 1
    top = found_costs.shape[0]
    covered, points, places, chosen = state[0], state[1], state[2], state[3]
    n_found = 0
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
        if n_found == top and cost >= found_costs[top - 1]:
            continue
        row = n_found if n_found < top else found_at[top - 1]
        n_found = min(n_found + 1, top)
        place = n_found - 1
        while place > 0 and found_costs[place - 1] > cost:
            found_costs[place], found_at[place] = found_costs[place - 1], found_at[place - 1]
            place -= 1
        found_costs[place], found_at[place] = cost, row
        for i in range(n_groups):
            found_columns[row, i] = chosen[i]
        if n_found == top:
            limit = min(limit, found_costs[top - 1] - base + rounding)
    return n_found
