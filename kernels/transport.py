"""Exact assignment to clusters with bounds, from the few points that can still move.

Shortest augmenting paths on the graph of the clusters (Ahuja, Magnanti, Orlin, Network Flows, 1993,
section 9.7). Prices near the optimum leave few points in doubt; only those are here, in the lists that
``pairs`` sorts. A search stops before prices have moved by more than the lists allow for, so what it
finds is optimal for all points.
"""

from __future__ import annotations

import numpy as np

from .flow_arrays import Arcs, ClusterGraph, Floats, Flow, Ints, PairLists, SearchScratch
from .jit import kernel
from .limits import BEYOND, DONE, PAUSED, STUCK


@kernel
def settle(
    capacity: Ints,  # (k,): size_max - size_min  IN
    anchor: Floats,  # (k,): the prices that the lists were made at  IN
    reach: float,  # prices may spread from the anchor by this much
    steps: int,  # augmentations before a pause
    arcs: Arcs,  # IN
    lists: PairLists,  # IN
    graph: ClusterGraph,  # IN
    next_up: Ints,  # (n_pairs, 2): place of the next point to move out of each end  IN/OUT
    scratch: SearchScratch,  # SCRATCH
    flow: Flow,  # IN/OUT
) -> int:
    """Move points along shortest paths until no node has excess.

    DONE; PAUSED after ``steps``; BEYOND where prices would leave ``reach``; STUCK where the lists hold
    no path. All but DONE leave a state to go on from. Node k is the slack node: it takes the points above
    a cluster's minimum, up to ``capacity``. Each step settles at least one unit of excess whatever the
    rounding does, so the loop ends. The three places that relax an edge are written out: as a function of
    their own, which is handed a dozen arrays a call, they take twice the time.
    """
    labels, prices, slack, excess = flow
    dist, parent, via, touched, heap_key, heap_node = scratch
    edge_start, edge_pair, edge_target = graph
    list_key, list_row = lists.key, lists.row
    slack_node = capacity.shape[0]
    lowest = np.inf
    for v in range(slack_node):
        lowest = min(lowest, prices[v] - anchor[v])
    source = 0
    for _ in range(steps):
        while source <= slack_node and excess[source] <= 0:
            source += 1
        if source > slack_node:
            return DONE
        # Dijkstra from the source to the nearest node that lacks points.
        n_touched = 1
        touched[0] = source
        dist[source] = 0.0
        parent[source] = -1
        heap_key[0] = 0.0
        heap_node[0] = source
        size = 1
        bound = np.inf  # the nearest such node so far: nothing farther matters
        sink = -1
        while size > 0:
            a = heap_node[0]
            here = heap_key[0]
            size = _pop(heap_key, heap_node, size)
            if here > dist[a]:
                continue  # an older, longer way to a
            if excess[a] < 0:
                sink = a
                break
            base = here - prices[a]
            if a == slack_node:
                for b in range(slack_node):
                    if slack[b] > 0:
                        length = max(base + prices[b], here)
                        if length < dist[b] and length < bound:
                            if dist[b] == np.inf:
                                touched[n_touched] = b
                                n_touched += 1
                            if excess[b] < 0:
                                bound = length
                            dist[b] = length
                            parent[b] = a
                            via[b] = -1
                            size = _push(heap_key, heap_node, size, length, b)
                continue
            for e in range(edge_start[a], edge_start[a + 1]):
                b = edge_target[e]
                pair = edge_pair[e]
                side = 0 if a < b else 1
                place = next_up[pair, side]
                if place < 0:
                    continue
                move = list_key[place] if side == 0 else -list_key[place]
                length = max(base + (move + prices[b]), here)
                if length < dist[b] and length < bound:
                    if dist[b] == np.inf:
                        touched[n_touched] = b
                        n_touched += 1
                    if excess[b] < 0:
                        bound = length
                    dist[b] = length
                    parent[b] = a
                    via[b] = pair
                    size = _push(heap_key, heap_node, size, length, b)
            if slack[a] < capacity[a]:
                length = max(base + prices[slack_node], here)
                if length < dist[slack_node] and length < bound:
                    if dist[slack_node] == np.inf:
                        touched[n_touched] = slack_node
                        n_touched += 1
                    if excess[slack_node] < 0:
                        bound = length
                    dist[slack_node] = length
                    parent[slack_node] = a
                    via[slack_node] = -1
                    size = _push(heap_key, heap_node, size, length, slack_node)
        total = dist[sink] if sink >= 0 else np.inf
        inside = sink >= 0
        for t in range(n_touched):  # would any price leave the reach?
            v = touched[t]
            if inside and v < slack_node and dist[v] < total:
                rise = (prices[v] + (total - dist[v])) - anchor[v]
                if rise - lowest > reach:
                    lowest = np.inf
                    for u in range(slack_node):
                        lowest = min(lowest, prices[u] - anchor[u])
                    inside = rise - lowest <= reach
        for t in range(n_touched):
            v = touched[t]
            if inside and dist[v] < total:
                prices[v] += total - dist[v]
            dist[v] = np.inf
        if sink < 0:
            return STUCK
        if not inside:
            return BEYOND
        amount = min(excess[source], -excess[sink])
        b = sink
        while parent[b] >= 0:  # how much fits along the whole path
            u = parent[b]
            if via[b] >= 0:
                amount = 1
            elif u == slack_node:
                amount = min(amount, slack[b])
            else:
                amount = min(amount, capacity[u] - slack[u])
            b = u
        excess[source] -= amount
        excess[sink] += amount
        b = sink
        while parent[b] >= 0:
            u = parent[b]
            if via[b] < 0 and u == slack_node:
                slack[b] -= amount
            elif via[b] < 0:
                slack[u] += amount
            else:
                place = next_up[via[b], 0 if u < b else 1]
                _move(list_row[place], u, b, arcs, lists, next_up, labels)
            b = u
    return PAUSED


@kernel
def start_lists(
    lists: PairLists,  # IN
    labels: Ints,  # (n_rows,)  IN
    next_up: Ints,  # (n_pairs, 2)  OUT
) -> None:
    """The next point to move out of each pair's two clusters: the first of the one, the last of the other."""
    row, start, ends = lists.row, lists.start, lists.ends
    for pair in range(ends.shape[0]):
        next_up[pair, 0] = _advance(row, labels, ends[pair, 0], start[pair], start[pair + 1], 1)
        next_up[pair, 1] = _advance(row, labels, ends[pair, 1], start[pair + 1] - 1, start[pair] - 1, -1)


@kernel
def _advance(list_row: Ints, labels: Ints, cluster: int, place: int, end: int, step: int) -> int:
    """The first place from ``place`` on whose point is in ``cluster``; -1 if there is none."""
    while place != end:
        if labels[list_row[place]] == cluster:
            return place
        place += step
    return -1


@kernel
def _move(
    row: int,
    a: int,
    b: int,
    arcs: Arcs,  # IN
    lists: PairLists,  # IN
    next_up: Ints,  # IN/OUT
    labels: Ints,  # IN/OUT
) -> None:
    """Move a row from cluster a to b and mend the positions in the lists that hold it."""
    arc_start, arc_cluster = arcs.start, arcs.cluster
    entry_start, entry_place, entry_pair = lists.entry_start, lists.entry_place, lists.entry_pair
    list_row, pair_start = lists.row, lists.start
    labels[row] = b
    entry = entry_start[row]
    for x in range(arc_start[row], arc_start[row + 1]):
        for y in range(x + 1, arc_start[row + 1]):
            low = arc_cluster[x]
            high = arc_cluster[y]
            pair = entry_pair[entry]
            place = entry_place[entry]
            entry += 1
            if low == a and next_up[pair, 0] == place:
                next_up[pair, 0] = _advance(list_row, labels, a, place + 1, pair_start[pair + 1], 1)
            elif high == a and next_up[pair, 1] == place:
                next_up[pair, 1] = _advance(list_row, labels, a, place - 1, pair_start[pair] - 1, -1)
            if low == b and (next_up[pair, 0] < 0 or next_up[pair, 0] > place):
                next_up[pair, 0] = place
            elif high == b and next_up[pair, 1] < place:
                next_up[pair, 1] = place


@kernel
def _push(keys: Floats, nodes: Ints, size: int, key: float, node: int) -> int:
    """Add to a binary heap; returns the new size."""
    place = size
    while place > 0:
        up = (place - 1) // 2
        if keys[up] <= key:
            break
        keys[place] = keys[up]
        nodes[place] = nodes[up]
        place = up
    keys[place] = key
    nodes[place] = node
    return size + 1


@kernel
def _pop(keys: Floats, nodes: Ints, size: int) -> int:
    """Remove the least of a binary heap; returns the new size."""
    size -= 1
    key = keys[size]
    node = nodes[size]
    place = 0
    while 2 * place + 1 < size:
        down = 2 * place + 1
        if down + 1 < size and keys[down + 1] < keys[down]:
            down += 1
        if key <= keys[down]:
            break
        keys[place] = keys[down]
        nodes[place] = nodes[down]
        place = down
    keys[place] = key
    nodes[place] = node
    return size
