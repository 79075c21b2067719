"""Prices for the points of a larger set, that leave its groups of least cost a reduced cost near 0.

A group's reduced cost is its cost less the prices of its points and of its size. The highest prices that
leave none below 0 are the dual of the set partitioning problem's linear relaxation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import kernel
from .partition import Floats
from .subsets import Ints, advance, binomials, unrank

_ROUNDS = 200
_SETTLED = 1e-7  # a reduced cost this little below 0, as a share of the largest cost, is as good as 0
_CLOSE = 1e-5  # prices whose sum is this share below the highest are high enough


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


def find_prices(
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
