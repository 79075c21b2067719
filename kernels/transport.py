"""Exact assignment to clusters with bounds, from the few points that can still move.

Shortest augmenting paths on the graph of the clusters (Ahuja, Magnanti, Orlin, Network Flows, 1993,
section 9.7). Prices near the optimum leave few points in doubt; only those are here, in the lists that
``pairs`` sorts. A search stops before prices have moved by more than the lists allow for, so what it
finds is optimal for all points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel
from .transport_dense import BEYOND, DONE, PAUSED, STUCK

Array = Any


@kernel
def settle(
    room: Array,  # (k,) int64: size_max - size_min  IN
    anchor: Array,  # (k,) float64: the prices that the lists were made at  IN
    reach: float,  # prices may spread from the anchor by this much
    steps: int,  # augmentations before a pause
    arc_start: Array,  # (n_rows + 1,) int64  IN
    arc_cluster: Array,  # (n_arcs,) int64  IN
    entry_start: Array,  # (n_rows + 1,) int64  IN
    entry_place: Array,  # (n_entries,) int64  IN
    entry_pair: Array,  # (n_entries,) int64  IN
    list_key: Array,  # (n_entries,) float64  IN
    list_row: Array,  # (n_entries,) int64  IN
    pair_start: Array,  # (n_pairs + 1,) int64  IN
    pair_ends: Array,  # (n_pairs, 2) int64  IN
    edge_start: Array,  # (k + 1,) int64  IN
    edge_pair: Array,  # (2 n_pairs,) int64  IN
    edge_target: Array,  # (2 n_pairs,) int64  IN
    next_up: Array,  # (n_pairs, 2) int64: place of the next point to move out of each end  IN/OUT
    dist: Array,  # (k + 1,) float64, inf  SCRATCH
    parent: Array,  # (k + 1,) int64: the node before  SCRATCH
    via: Array,  # (k + 1,) int64: the pair that leads here, -1 for the ground's links  SCRATCH
    touched: Array,  # (k + 1,) int64  SCRATCH
    heap_key: Array,  # (2 n_pairs + 2 k + 2,) float64  SCRATCH
    heap_node: Array,  # (2 n_pairs + 2 k + 2,) int64  SCRATCH
    labels: Array,  # (n_rows,) int64, cheapest at the prices  IN/OUT
    prices: Array,  # (k + 1,) float64; the last is the ground's  IN/OUT
    slack: Array,  # (k,) int64: points above size_min  IN/OUT
    excess: Array,  # (k + 1,) int64, sums to zero  IN/OUT
) -> int:
    """Move points along shortest paths until no node has excess.

    DONE; PAUSED after ``steps``; BEYOND where prices would leave ``reach``; STUCK where the lists hold
    no path. All but DONE leave a state to go on from. Node k is the ground: it takes the points above
    a cluster's minimum, up to ``room``. Each step settles at least one unit of excess whatever the
    rounding does, so the loop ends. The three places that relax an edge are written out: as a function of
    their own, which is handed a dozen arrays a call, they take twice the time.
    """
    ground = room.shape[0]
    lowest = np.inf
    for v in range(ground):
        lowest = min(lowest, prices[v] - anchor[v])
    source = 0
    for _ in range(steps):
        while source <= ground and excess[source] <= 0:
            source += 1
        if source > ground:
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
            if a == ground:
                for b in range(ground):
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
            if slack[a] < room[a]:
                length = max(base + prices[ground], here)
                if length < dist[ground] and length < bound:
                    if dist[ground] == np.inf:
                        touched[n_touched] = ground
                        n_touched += 1
                    if excess[ground] < 0:
                        bound = length
                    dist[ground] = length
                    parent[ground] = a
                    via[ground] = -1
                    size = _push(heap_key, heap_node, size, length, ground)
        total = dist[sink] if sink >= 0 else np.inf
        inside = sink >= 0
        for t in range(n_touched):  # would any price leave the reach?
            v = touched[t]
            if inside and v < ground and dist[v] < total:
                rise = (prices[v] + (total - dist[v])) - anchor[v]
                if rise - lowest > reach:
                    lowest = np.inf
                    for u in range(ground):
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
            elif u == ground:
                amount = min(amount, slack[b])
            else:
                amount = min(amount, room[u] - slack[u])
            b = u
        excess[source] -= amount
        excess[sink] += amount
        b = sink
        while parent[b] >= 0:
            u = parent[b]
            if via[b] < 0 and u == ground:
                slack[b] -= amount
            elif via[b] < 0:
                slack[u] += amount
            else:
                place = next_up[via[b], 0 if u < b else 1]
                _move(list_row[place], u, b, arc_start, arc_cluster, entry_start, entry_place, entry_pair,
                      list_row, pair_start, next_up, labels)  # fmt: skip
            b = u
    return PAUSED


@kernel
def start_lists(
    list_row: Array,  # (n_entries,) int64  IN
    pair_start: Array,  # (n_pairs + 1,) int64  IN
    pair_ends: Array,  # (n_pairs, 2) int64  IN
    labels: Array,  # (n_rows,) int64  IN
    next_up: Array,  # (n_pairs, 2) int64  OUT
) -> None:
    """The next point to move out of each pair's two clusters: the first of the one, the last of the other."""
    for pair in range(pair_ends.shape[0]):
        next_up[pair, 0] = _advance(
            list_row, labels, pair_ends[pair, 0], pair_start[pair], pair_start[pair + 1], 1
        )
        next_up[pair, 1] = _advance(
            list_row, labels, pair_ends[pair, 1], pair_start[pair + 1] - 1, pair_start[pair] - 1, -1
        )


@kernel
def _advance(list_row: Array, labels: Array, cluster: int, place: int, end: int, step: int) -> int:
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
    arc_start: Array,
    arc_cluster: Array,
    entry_start: Array,
    entry_place: Array,
    entry_pair: Array,
    list_row: Array,
    pair_start: Array,
    next_up: Array,  # IN/OUT
    labels: Array,  # IN/OUT
) -> None:
    """Move a row from cluster a to b and mend the positions in the lists that hold it."""
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
def _push(keys: Array, nodes: Array, size: int, key: float, node: int) -> int:
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
def _pop(keys: Array, nodes: Array, size: int) -> int:
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
