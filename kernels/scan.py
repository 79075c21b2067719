"""One pass over a block of costs: each row's cheapest cluster at the current prices, and by how much.

The pass is what an assignment spends most of its time on. For many clusters it is written for the vector
units: two sweeps of integer minima over a row that stays in the cache. For few it is one sweep without
branches, none of which could be foretold. What it reports is safe to build on, not exact to the last bit;
:func:`gather_arcs` works out the rows in doubt in full precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = Any

TOP = 0x7FFFFFFFFFFFFFFF
INFINITE = 0x7FF0000000000000  # the bits of float64 infinity
DOUBT = 4.0 * 2.0**-52  # of a sum of two costs, by which rounding may have raised a gap
FEW = 64  # clusters, up to which the one sweep is quicker


@kernel
def scan_rows(
    costs: Array,  # (n_block, n_clusters) float32 or float64  IN
    prices: Array,  # (n_clusters,) float64  IN
    row: Array,  # (n_clusters,) float64  SCRATCH
    keys: Array,  # (n_clusters,) int64, the memory of row  SCRATCH
    labels: Array,  # (n_block,) int64  OUT
    seconds: Array,  # (n_block,) int64: the next cheapest cluster  OUT
    gaps: Array,  # (n_block,) float64: the next cheapest costs at least this much more  OUT
) -> int:
    """The cheapest cluster of each row; returns a bad row, or -1.

    A row is bad where it holds NaN or -inf, or nothing but inf. A float's bits, read as an integer,
    sort like the float (negative ones once their other bits are flipped). The lowest bits are
    replaced by the cluster's number, so that one integer minimum finds value and place at once;
    ``gaps`` is lowered by what those bits may hide and by the rounding of cost + price.
    """
    n_block, n_clusters = costs.shape
    if n_clusters <= FEW:
        return int(_scan_few(costs, prices, labels, seconds, gaps))
    bits = 1
    while (1 << bits) < n_clusters:
        bits += 1
    low = (np.int64(1) << bits) - 1
    high = ~low
    doubt = 4.0 * 2.0 ** (bits - 52)
    for i in range(n_block):
        cost = costs[i]
        for j in range(n_clusters):
            row[j] = cost[j] + prices[j]
        first = np.int64(TOP)
        last = np.int64(-TOP)
        for j in range(n_clusters):
            key = keys[j]
            key ^= (key >> 63) & np.int64(TOP)
            key = (key & high) | j
            keys[j] = key
            first = min(first, key)
            last = max(last, key)
        if last >= np.int64(INFINITE) or first <= -np.int64(INFINITE):
            if _is_bad(cost):
                return i
        best = first & low
        labels[i] = best
        keys[best] = np.int64(TOP)
        second = np.int64(TOP)
        for j in range(n_clusters):
            second = min(second, keys[j])
        seconds[i] = second & low
        if second >= np.int64(INFINITE):
            seconds[i] = best
            gaps[i] = np.inf
            continue
        first &= high
        second &= high
        keys[0] = first ^ ((first >> 63) & np.int64(TOP))
        cheapest = row[0]
        keys[0] = second ^ ((second >> 63) & np.int64(TOP))
        gaps[i] = (row[0] - cheapest) - doubt * abs(cheapest) - doubt * abs(row[0])
    return -1


@kernel
def _scan_few(costs: Array, prices: Array, labels: Array, seconds: Array, gaps: Array) -> int:
    """The same for few clusters, by a running least and second least."""
    n_clusters = costs.shape[1]
    for i in range(costs.shape[0]):
        cost = costs[i]
        least = total = cost[0] + prices[0]
        next_least = np.inf
        best = 0
        second = 0
        for j in range(1, n_clusters):
            value = cost[j] + prices[j]
            total += value
            worse = max(least, value)
            place = best if value < least else j
            best = j if value < least else best
            least = min(least, value)
            second = place if worse < next_least else second
            next_least = min(next_least, worse)
        if not abs(total) < np.inf and _is_bad(cost):
            return i
        labels[i] = best
        if next_least < np.inf:
            seconds[i] = second
            gaps[i] = (next_least - least) - DOUBT * abs(least) - DOUBT * abs(next_least)
        else:
            seconds[i] = best
            gaps[i] = np.inf
    return -1


@kernel
def _is_bad(cost: Array) -> bool:
    """Whether a row holds NaN or -inf, or nothing but inf."""
    least = np.inf
    for j in range(cost.shape[0]):
        if cost[j] != cost[j] or cost[j] == -np.inf:
            return True
        least = min(least, cost[j])
    return least == np.inf


@kernel
def gather_arcs(
    costs: Array,  # (n_block, n_clusters) float32 or float64  IN
    rows: Array,  # (n_rows,) int64 rows of costs to look at  IN
    prices: Array,  # (n_clusters,) float64  IN
    reach: float,  # clusters that cost up to this much more than the cheapest are kept
    reduced: Array,  # (n_clusters,) float64  SCRATCH
    labels: Array,  # (n_rows,) int64: what scan_rows said IN, the cheapest in full precision OUT
    ends: Array,  # (n_rows,) int64: where each row's arcs end in the arrays below  OUT
    arc_cluster: Array,  # (n_rows * n_clusters,) int64, ascending in a row  OUT
    arc_cost: Array,  # (n_rows * n_clusters,) float64, relative to the label that came IN  OUT
) -> tuple[int, int]:
    """The clusters that each row might move to while prices change by at most ``reach``.

    Costs are compared as differences within a row, so that an offset common to a row costs no digits.
    Returns the number of arcs and of the rows' pairs of arcs.
    """
    n_clusters = costs.shape[1]
    n_arcs = 0
    n_pairs = 0
    for r in range(rows.shape[0]):
        start = n_arcs
        cost = costs[rows[r]]
        base = np.float64(cost[labels[r]])
        for j in range(n_clusters):
            reduced[j] = (np.float64(cost[j]) - base) + prices[j]
        best = labels[r]
        for j in range(n_clusters):
            if reduced[j] < reduced[best]:
                best = j
        # Ties go to the lower number, whatever the scan's packed keys made of them.
        cheapest = reduced[best]
        for j in range(best):
            if reduced[j] == cheapest:
                best = j
                break
        limit = cheapest + reach
        for j in range(n_clusters):
            if reduced[j] <= limit and reduced[j] < np.inf:
                arc_cluster[n_arcs] = j
                arc_cost[n_arcs] = np.float64(cost[j]) - base
                n_arcs += 1
        labels[r] = best
        ends[r] = n_arcs
        n_pairs += (n_arcs - start) * (n_arcs - start - 1) // 2
    return n_arcs, n_pairs


@kernel
def survey_gaps(gaps: Array) -> tuple[float, int]:
    """The largest finite gap, or zero, and how many are less than a billionth of it."""
    most = 0.0
    for i in range(gaps.shape[0]):
        gap = gaps[i]
        if gap > most and gap < np.inf:
            most = gap
    tied = 0
    for i in range(gaps.shape[0]):
        if gaps[i] <= most * 1e-9:
            tied += 1
    return most, tied
