"""From the rows in doubt to a settled assignment in one call: pair lists, their graph, shortest paths.

``pairs`` and ``transport`` do the work. Here their arrays are made, which takes numpy's calls longer than
the work itself where a thousand points are at hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .pairs import list_pairs, sort_pairs
from .transport import settle, start_lists

Array = Any


@kernel
def settle_rows(
    index: Array,  # (n_rows,) int64: the points in doubt  IN
    arc_start: Array,  # (n_rows + 1,) int64  IN
    arc_cluster: Array,  # (n_arcs,) int64, ascending in a row  IN
    arc_cost: Array,  # (n_arcs,) float64  IN
    room: Array,  # (k,) int64: size_max - size_min  IN
    anchor: Array,  # (k,) float64: the prices at which the arcs were chosen  IN
    reach: float,  # prices may spread from the anchor by this much
    steps: int,  # augmentations before a pause
    labels: Array,  # (n_points,) int64  IN/OUT
    prices: Array,  # (k + 1,) float64; the last is the ground's  IN/OUT
    slack: Array,  # (k,) int64: points above size_min  IN/OUT
    excess: Array,  # (k + 1,) int64, sums to zero  IN/OUT
) -> int:
    """Move points along shortest paths until no node has excess; the status that ``settle`` returns.

    The arrays hold all that a further call needs to go on after a pause.
    """
    n_rows, k = index.shape[0], room.shape[0]
    entry_start = np.empty(n_rows + 1, np.int64)
    entry_start[0] = 0
    for r in range(n_rows):
        degree = arc_start[r + 1] - arc_start[r]
        entry_start[r + 1] = entry_start[r] + degree * (degree - 1) // 2
    n_entries = entry_start[n_rows]
    entry_low = np.empty(n_entries, np.int64)
    entry_high = np.empty(n_entries, np.int64)
    list_entry = np.empty(n_entries, np.int64)
    list_row = np.empty(n_entries, np.int64)
    nodes = np.empty(k + 1, np.int64)
    n_pairs = list_pairs(
        arc_start, arc_cluster, entry_start, nodes, list_row, entry_low, entry_high, list_entry
    )
    entry_place = np.empty(n_entries, np.int64)
    entry_pair = np.empty(n_entries, np.int64)
    list_key = np.empty(n_entries)
    pair_start = np.empty(n_pairs + 1, np.int64)
    pair_ends = np.empty((n_pairs, 2), np.int64)
    edge_start = np.empty(k + 1, np.int64)
    edge_pair = np.empty(2 * n_pairs, np.int64)
    edge_target = np.empty(2 * n_pairs, np.int64)
    sort_pairs(
        arc_start, arc_cluster, arc_cost, entry_start, entry_low, entry_high, list_entry, list_key, list_row,
        entry_place, entry_pair, pair_start, pair_ends, nodes, edge_start, edge_pair, edge_target,
    )  # fmt: skip
    own = np.empty(n_rows, np.int64)
    for r in range(n_rows):
        own[r] = labels[index[r]]
    next_up = np.empty((n_pairs, 2), np.int64)
    start_lists(list_row, pair_start, pair_ends, own, next_up)
    dist = np.full(k + 1, np.inf)
    parent = np.empty(k + 1, np.int64)
    via = np.empty(k + 1, np.int64)
    heap_key = np.empty(2 * n_pairs + 2 * k + 2)
    heap_node = np.empty(2 * n_pairs + 2 * k + 2, np.int64)
    status = settle(
        room, anchor, reach, steps, arc_start, arc_cluster, entry_start, entry_place, entry_pair, list_key,
        list_row, pair_start, pair_ends, edge_start, edge_pair, edge_target, next_up, dist, parent, via,
        nodes, heap_key, heap_node, own, prices, slack, excess,
    )  # fmt: skip
    for r in range(n_rows):
        labels[index[r]] = own[r]
    return int(status)
