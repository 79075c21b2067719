"""From the rows in doubt to a settled assignment in one call: pair lists, their graph, shortest paths.

``pairs`` and ``transport`` do the work. Here their arrays are made, which takes numpy's calls longer than
the work itself where a thousand points are at hand.
"""

from __future__ import annotations

import numpy as np

from .flow_arrays import Arcs, ClusterGraph, Floats, Flow, Ints, PairLists, SearchScratch
from .jit import kernel
from .pairs import list_pairs, sort_pairs
from .transport import settle, start_lists


@kernel
def settle_rows(
    index: Ints,  # (n_rows,): the points in doubt  IN
    arcs: Arcs,  # of these rows  IN
    capacity: Ints,  # (k,): size_max - size_min  IN
    anchor: Floats,  # (k,): the prices at which the arcs were chosen  IN
    reach: float,  # prices may spread from the anchor by this much
    steps: int,  # augmentations before a pause
    flow: Flow,  # of all points  IN/OUT
) -> int:
    """Move points along shortest paths until no node has excess; the status that ``settle`` returns.

    The arrays hold all that a further call needs to go on after a pause.
    """
    n_rows, k = index.shape[0], capacity.shape[0]
    entry_start = np.empty(n_rows + 1, np.int64)
    entry_start[0] = 0
    for r in range(n_rows):
        degree = arcs.start[r + 1] - arcs.start[r]
        entry_start[r + 1] = entry_start[r] + degree * (degree - 1) // 2
    n_entries = entry_start[n_rows]
    low, high, entry, row = (
        np.empty(n_entries, np.int64), np.empty(n_entries, np.int64), np.empty(n_entries, np.int64),
        np.empty(n_entries, np.int64),
    )  # fmt: skip
    nodes = np.empty(k + 1, np.int64)
    n_pairs = list_pairs(arcs, entry_start, nodes, row, low, high, entry)
    lists = PairLists(
        entry_start, low, high, np.empty(n_entries, np.int64), np.empty(n_entries, np.int64), entry,
        np.empty(n_entries), row, np.empty(n_pairs + 1, np.int64), np.empty((n_pairs, 2), np.int64),
    )  # fmt: skip
    graph = ClusterGraph(
        np.empty(k + 1, np.int64), np.empty(2 * n_pairs, np.int64), np.empty(2 * n_pairs, np.int64)
    )
    sort_pairs(arcs, lists, graph, nodes)
    own = np.empty(n_rows, np.int64)
    for r in range(n_rows):
        own[r] = flow.labels[index[r]]
    next_up = np.empty((n_pairs, 2), np.int64)
    start_lists(lists, own, next_up)
    n_heap = 2 * n_pairs + 2 * k + 2
    scratch = SearchScratch(
        np.full(k + 1, np.inf), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64), nodes,
        np.empty(n_heap), np.empty(n_heap, np.int64),
    )  # fmt: skip
    rows = Flow(own, flow.prices, flow.slack, flow.excess)
    status = settle(capacity, anchor, reach, steps, arcs, lists, graph, next_up, scratch, rows)
    for r in range(n_rows):
        flow.labels[index[r]] = own[r]
    return int(status)
