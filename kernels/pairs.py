"""Sorted lists, one a pair of clusters, of the points that might move between the two.

The cost difference between two clusters does not depend on prices, so a list is sorted once; which of
its points is next to move is a position in it. ``transport`` walks these lists.
"""

from __future__ import annotations

from .flow_arrays import Arcs, ClusterGraph, Floats, Ints, PairLists
from .jit import kernel


@kernel
def list_pairs(
    arcs: Arcs,  # IN
    entry_start: Ints,  # (n_rows + 1,): where each row's pairs of arcs start  IN
    count: Ints,  # (n_clusters + 1,)  SCRATCH
    order: Ints,  # (n_entries,)  SCRATCH
    entry_low: Ints,  # (n_entries,): the arc with the lower cluster of each entry  OUT
    entry_high: Ints,  # (n_entries,): the arc with the higher one  OUT
    list_entry: Ints,  # (n_entries,): entries grouped by pair of clusters  OUT
) -> int:
    """Group every row's pairs of arcs by the two clusters; returns the number of different pairs.

    Entry ``entry_start[r] + ...`` runs over row r's pairs in the order (0,1), (0,2), ..., (1,2), ...
    Two stable counting sorts take time in proportion to the entries and clusters, not to the square
    of the clusters.
    """
    arc_start, arc_cluster = arcs.start, arcs.cluster
    n_rows = arc_start.shape[0] - 1
    n_clusters = count.shape[0] - 1
    for r in range(n_rows):
        e = entry_start[r]
        for x in range(arc_start[r], arc_start[r + 1]):
            for y in range(x + 1, arc_start[r + 1]):
                entry_low[e] = x
                entry_high[e] = y
                e += 1
    n_entries = entry_low.shape[0]
    count[:] = 0
    for e in range(n_entries):
        count[arc_cluster[entry_high[e]] + 1] += 1
    for c in range(n_clusters):
        count[c + 1] += count[c]
    for e in range(n_entries):
        c = arc_cluster[entry_high[e]]
        order[count[c]] = e
        count[c] += 1
    count[:] = 0
    for e in range(n_entries):
        count[arc_cluster[entry_low[e]] + 1] += 1
    for c in range(n_clusters):
        count[c + 1] += count[c]
    for s in range(n_entries):
        c = arc_cluster[entry_low[order[s]]]
        list_entry[count[c]] = order[s]
        count[c] += 1
    n_pairs = 0
    low = high = -1
    for s in range(n_entries):
        e = list_entry[s]
        if arc_cluster[entry_low[e]] != low or arc_cluster[entry_high[e]] != high:
            low = arc_cluster[entry_low[e]]
            high = arc_cluster[entry_high[e]]
            n_pairs += 1
    return n_pairs


@kernel
def sort_pairs(
    arcs: Arcs,  # IN
    lists: PairLists,  # what list_pairs made IN; entries sorted in each pair, and all the rest OUT
    graph: ClusterGraph,  # OUT
    degree: Ints,  # (n_clusters + 1,)  SCRATCH
) -> None:
    """Sort each pair's list by cost difference and lay out the graph of the clusters."""
    arc_start, arc_cluster, arc_cost = arcs
    entry_start, entry_low, entry_high, entry_place, entry_pair = (
        lists.entry_start, lists.entry_low, lists.entry_high, lists.entry_place, lists.entry_pair,
    )  # fmt: skip
    list_entry, list_key, list_row = lists.entry, lists.key, lists.row
    pair_start, pair_ends = lists.start, lists.ends
    edge_start, edge_pair, edge_target = graph
    n_clusters = edge_start.shape[0] - 1
    n_entries = list_entry.shape[0]
    n_rows = arc_start.shape[0] - 1
    for r in range(n_rows):  # list_row serves for a moment as the row of each entry
        for e in range(entry_start[r], entry_start[r + 1]):
            entry_pair[e] = r
    n_pairs = 0
    low = high = -1
    for s in range(n_entries):
        e = list_entry[s]
        x = entry_low[e]
        y = entry_high[e]
        if arc_cluster[x] != low or arc_cluster[y] != high:
            low = arc_cluster[x]
            high = arc_cluster[y]
            pair_start[n_pairs] = s
            pair_ends[n_pairs, 0] = low
            pair_ends[n_pairs, 1] = high
            n_pairs += 1
        list_key[s] = arc_cost[y] - arc_cost[x]
    pair_start[n_pairs] = n_entries
    degree[:] = 0
    for p in range(n_pairs):
        _sort(list_key, list_entry, pair_start[p], pair_start[p + 1])
        degree[pair_ends[p, 0]] += 1
        degree[pair_ends[p, 1]] += 1
    for s in range(n_entries):
        list_row[s] = entry_pair[list_entry[s]]
    for p in range(n_pairs):
        for s in range(pair_start[p], pair_start[p + 1]):
            entry_place[list_entry[s]] = s
            entry_pair[list_entry[s]] = p
    edge_start[0] = 0
    for c in range(n_clusters):
        edge_start[c + 1] = edge_start[c] + degree[c]
        degree[c] = edge_start[c]
    for p in range(n_pairs):
        for side in range(2):
            c = pair_ends[p, side]
            edge_pair[degree[c]] = p
            edge_target[degree[c]] = pair_ends[p, 1 - side]
            degree[c] += 1


@kernel
def _sort(keys: Floats, items: Ints, begin: int, end: int) -> None:
    """Sort keys[begin:end] in place, items along with them: Shell's sort, Ciura's gaps extended."""
    gap = 1
    while gap < (end - begin) // 3:
        gap = gap * 9 // 4 + 1
    while gap >= 1:
        for s in range(begin + gap, end):
            key = keys[s]
            item = items[s]
            t = s
            while t - gap >= begin and (
                keys[t - gap] > key or (keys[t - gap] == key and items[t - gap] > item)
            ):
                keys[t] = keys[t - gap]
                items[t] = items[t - gap]
                t -= gap
            keys[t] = key
            items[t] = item
        gap = 0 if gap == 1 else max(1, gap * 4 // 9)
