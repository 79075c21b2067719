"""The exact partition of a larger set: prices for the points, then a search among the groups they leave.

Any prices cut a group's cost into its points' shares and a reduced cost, and a partition's cost is all
prices plus its reduced costs. With prices that leave none of these below 0, as high as they can be (the dual
of the set partitioning problem's linear relaxation), a good partition has groups of small reduced cost only:
for 25 points some hundred of 53,130. All partitions of those, up to a limit, are looked at. Nothing rests on
the prices being the highest: worse ones leave more groups, and where there are too many, dynamic programming
(``partition``) takes over.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .jit import kernel
from .partition import Floats
from .partition_best import number_groups
from .partition_prices import find_prices, list_members
from .subsets import Ints, binomials

_CHECKS = 50_000_000  # groups tried in one search, a second or less
_COLUMNS = (1 << 8, 1 << 11, 1 << 14, 1 << 17)  # groups searched, one number after the other
_ROUNDING = 1e-12  # what a sum may be off by, as a share of the largest cost and price


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


def best_by_prices(
    costs: Mapping[int, Floats],  # size -> (n_groups,) float64, the costs of all groups of that size
    group_size: tuple[int, ...],
    top: int,
    cancelled: NDArray[np.bool_],
) -> tuple[Ints, Floats, int] | None:
    """The ``top`` best partitions of one problem, or None where too many groups compete.

    Returns labels (top, n_points), costs (top,), rising, and how many of the top there are.
    """
    n_points, n_groups, sizes = sum(group_size), len(group_size), list(costs)
    labels = np.empty((top, n_points), np.int64)
    found_costs = np.full(top, np.inf)
    if not all(np.isfinite(c).any() for c in costs.values()):
        return labels, found_costs, 0
    base, reduced = find_prices(costs, group_size, cancelled)
    every_cost = np.concatenate([costs[size] for size in sizes])
    edges = np.cumsum([0, *(len(costs[size]) for size in sizes)])
    n_finite = int(np.isfinite(reduced).sum())
    floor = min(0.0, float(reduced.min()))
    largest = np.abs(every_cost[np.isfinite(every_cost)]).max()
    rounding = _ROUNDING * n_groups * (abs(base) + largest)
    n_left = np.array([group_size.count(size) for size in sizes])
    binomial = binomials(n_points)
    for n_columns in _COLUMNS:
        if cancelled[0]:
            break
        whole = n_columns >= n_finite
        if whole:
            kept, cut = np.flatnonzero(np.isfinite(reduced)), np.inf
        else:
            parted = np.argpartition(reduced, n_columns)
            kept, cut = np.sort(parted[:n_columns]), float(reduced[parted[n_columns]])
        kinds = np.searchsorted(edges, kept, "right") - 1
        smallest, masks = np.empty((2, len(kept)), np.int64)
        for k, size in enumerate(sizes):
            points = np.empty((int((kinds == k).sum()), size), np.int64)
            list_members(kept[kinds == k] - edges[k], size, binomial, points)
            smallest[kinds == k] = points[:, 0]
            masks[kinds == k] = (1 << points).sum(axis=1)
        order = np.lexsort((reduced[kept], smallest))
        found_columns, found_at = np.empty((top, n_groups), np.int64), np.empty(top, np.int64)
        columns = masks[order]
        found = search(
            columns,
            np.searchsorted(smallest[order], np.arange(n_points + 1)),
            kinds[order],
            reduced[kept][order],
            every_cost[kept][order],
            n_left,
            base,
            floor,
            cut + (n_groups - 1) * floor - rounding,  # what a partition with a group left out is above
            rounding,
            _CHECKS,
            np.empty((4, n_groups + 1), np.int64),
            np.empty(n_groups + 1),
            found_columns,
            found_costs,
            found_at,
        )
        if found < 0:
            break
        if found == top or whole:
            owners = np.empty((1, top, n_points), np.int64)
            for place in range(found):
                for group, column in enumerate(found_columns[found_at[place]]):
                    owners[0, place, (columns[column] >> np.arange(n_points)) & 1 == 1] = group
                number_groups(
                    owners, 0, place, np.array(group_size), np.empty(n_points, np.int64),
                    np.empty(n_points, np.int64), labels,
                )  # fmt: skip
            found_costs[found:] = np.inf
            return labels, found_costs, found
    return None
