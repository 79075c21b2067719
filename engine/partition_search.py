"""The exact partition of a larger set: prices for the points, then a search among the groups they leave.

Any prices cut a group's cost into its points' shares and a reduced cost, and a partition's cost is all
prices plus its reduced costs. With prices that leave none of these below 0, as high as they can be (the dual
of the set partitioning problem's linear relaxation), a good partition has groups of small reduced cost only:
for 25 points some hundred of 53,130. All partitions of those, up to a limit, are looked at. Nothing rests on
the prices being the highest: worse ones leave more groups, and where there are too many, dynamic programming
(``kernels.partition``) takes over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.partition_best import number_groups
from ..kernels.partition_search import (
    BestColumns,
    Candidates,
    list_members,
    lower_shares,
    reduce_costs,
    search,
)
from ..kernels.subsets import binomials

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CHECKS = 50_000_000  # groups tried in one search, a second or less
_COLUMNS = (1 << 8, 1 << 11, 1 << 14, 1 << 17)  # groups searched, one number after the other
_ROUNDING = 1e-12  # what a sum may be off by, as a share of the largest cost and price
_ROUNDS = 200  # linear programs at most
_SETTLED = 1e-7  # a reduced cost this little below 0, as a share of the largest cost, is as good as 0
_CLOSE = 1e-5  # prices whose sum is this share below the highest are high enough


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
    best_costs = np.full(top, np.inf)
    if not all(np.isfinite(c).any() for c in costs.values()):
        return labels, best_costs, 0
    base, reduced = find_point_prices(costs, group_size, cancelled)
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
        candidates = Candidates(
            masks[order],
            np.searchsorted(smallest[order], np.arange(n_points + 1)),
            kinds[order],
            reduced[kept][order],
            every_cost[kept][order],
        )
        best = BestColumns(np.empty((top, n_groups), np.int64), best_costs, np.empty(top, np.int64))
        n_best = search(
            candidates,
            n_left,
            base,
            floor,
            cut + (n_groups - 1) * floor - rounding,  # what a partition with a group left out is above
            rounding,
            _CHECKS,
            np.empty((4, n_groups + 1), np.int64),
            np.empty(n_groups + 1),
            best,
        )
        if n_best < 0:
            break
        if n_best == top or whole:
            owners = np.empty((1, top, n_points), np.int64)
            for place in range(n_best):
                for group, column in enumerate(best.columns[best.at[place]]):
                    owners[0, place, (candidates.masks[column] >> np.arange(n_points)) & 1 == 1] = group
                number_groups(
                    owners, 0, place, np.array(group_size), np.empty(n_points, np.int64),
                    np.empty(n_points, np.int64), labels,
                )  # fmt: skip
            best_costs[n_best:] = np.inf
            return labels, best_costs, n_best
    return None


def find_point_prices(
    costs: Mapping[int, Floats], group_size: tuple[int, ...], cancelled: NDArray[np.bool_]
) -> tuple[float, Floats]:
    """Prices for the points, and for a group of each size, by a linear program that grows.

    It begins with the groups that look cheap, and takes up those that its prices leave below 0, until none
    is. The prices may go only so far from the best ones yet, else the first programs, which know few groups,
    would send them anywhere. Returns the sum of all prices, and the reduced costs of all groups, size by
    size.
    """
    from scipy.optimize import linprog

    n_points, sizes = sum(group_size), list(costs)
    binomial = binomials(n_points)
    scale = max(float(np.abs(c[np.isfinite(c)]).max()) for c in costs.values()) or 1.0
    scaled = [costs[size] / scale for size in sizes]
    edges = np.cumsum([0, *(len(c) for c in scaled)])
    members, sums = np.empty(n_points, np.int64), np.empty(n_points)
    wanted = np.array([*np.ones(n_points), *(group_size.count(size) for size in sizes)], np.float64)
    prices = np.zeros(len(wanted))
    shares = np.full(n_points, 1.0)
    for size, c in zip(sizes, scaled, strict=True):
        lower_shares(c, size, members, shares)
    prices[:n_points] = shares

    reduced = np.empty(edges[-1])
    best, best_value, best_reduced = prices, -np.inf, reduced
    held = np.empty(0, np.int64)
    reach = np.full(len(wanted), max(float(np.abs(shares).max()), 1e-3))
    if len(sizes) == 1:
        reach[n_points:] = 0.0  # what a group's size costs is in its points' prices
    for _ in range(_ROUNDS):
        for k, size in enumerate(sizes):
            part = reduced[edges[k] : edges[k + 1]]
            reduce_costs(scaled[k], size, prices[:n_points], prices[n_points + k], members, sums, part)
        least = float(reduced.min())
        value = float(wanted @ prices) + len(group_size) * min(0.0, least)  # no partition costs less
        at_edge = bool(len(held)) and bool((np.abs(prices - best) >= 0.999 * reach)[reach > 0].any())
        possible = float(wanted @ prices)  # of the program: no prices within reach are worth more
        if value > best_value:
            best, best_value, best_reduced = prices, value, reduced.copy()
            reach *= 2.0 if at_edge else 1.0
        else:
            reach *= 0.5
        close = bool(len(held)) and not at_edge and possible - best_value <= _CLOSE * abs(possible)
        if cancelled[0] or reach.max() < _SETTLED or close:
            break
        new = np.flatnonzero(reduced < -_SETTLED) if len(held) else np.arange(len(reduced))
        if len(new) > 30 * n_points:
            new = new[np.argpartition(reduced[new], 30 * n_points)[: 30 * n_points]]
        held = np.union1d(held, new[np.isfinite(reduced[new])])
        program, limits = _program(held, edges, scaled, sizes, binomial)
        solved = linprog(
            -wanted,
            A_ub=program,
            b_ub=limits,
            bounds=list(zip(best - reach, best + reach, strict=True)),
            method="highs-ds",
        )
        if solved.x is None:
            break
        prices = np.array(solved.x)
    return float(wanted @ best) * scale, best_reduced * scale


def _program(
    held: Ints, edges: Ints, scaled: list[Floats], sizes: list[int], binomial: Ints
) -> tuple[Any, Floats]:
    """A row for each of some groups: the prices of its points and its size are at most its cost."""
    from scipy.sparse import csr_array

    n_points = binomial.shape[0] - 1
    columns, limits, lengths = [], [], []
    for k, size in enumerate(sizes):
        ranks = held[(held >= edges[k]) & (held < edges[k + 1])] - edges[k]
        points = np.empty((len(ranks), size), np.int64)
        list_members(ranks, size, binomial, points)
        columns.append(np.column_stack([points, np.full(len(ranks), n_points + k)]).ravel())
        lengths.append(np.full(len(ranks), size + 1))
        limits.append(scaled[k][ranks])
    column = np.concatenate(columns)
    starts = np.cumsum([0, *np.concatenate(lengths)])
    program = csr_array((np.ones(len(column)), column, starts), (len(starts) - 1, n_points + len(sizes)))
    return program, np.concatenate(limits)
