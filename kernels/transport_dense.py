"""Exact assignment to clusters with bounds when any point may move: small problems, far moves.

Shortest augmenting paths on the graph of the clusters (Ahuja, Magnanti, Orlin, Network Flows, 1993,
section 9.7). For each ordered pair of clusters a short list holds the cheapest moves; a list that runs
out is filled again by a look at all points of its cluster. ``transport`` is quicker where only a few
points are in doubt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .flow_arrays import DenseScratch, Flow, Ints, Members, MoveLists
from .jit import kernel
from .limits import DONE, PAUSED, STUCK

Array = Any


@kernel
def settle_dense(
    costs: Array,  # (n_points, n_clusters) float32 or float64  IN
    capacity: Ints,  # (k,): size_max - size_min  IN
    steps: int,  # augmentations before a pause
    lists: MoveLists,  # IN/OUT
    members: Members,  # IN/OUT
    scratch: DenseScratch,  # SCRATCH
    flow: Flow,  # IN/OUT
) -> int:
    """Move points along shortest paths until no node has excess; DONE, PAUSED or STUCK (infeasible).

    Node k is the slack node: it takes the points above a cluster's minimum, up to ``capacity``. Each step
    settles at least one unit of excess whatever the rounding does, so the loop ends.
    """
    labels, prices, slack, excess = flow
    list_key, list_point, list_size, list_limit = lists
    after, before, heads = members
    dist, parent, closed = scratch
    n_clusters = heads.shape[0]
    source = 0
    for _ in range(steps):
        while source <= n_clusters and excess[source] <= 0:
            source += 1
        if source > n_clusters:
            return DONE
        for v in range(n_clusters + 1):
            dist[v] = np.inf
            closed[v] = False
        dist[source] = 0.0
        parent[source] = -1
        a = source
        while True:  # Dijkstra from the source to the nearest node that lacks points
            closed[a] = True
            if excess[a] < 0:
                break
            reach = dist[a] - prices[a]
            if a == n_clusters:
                for b in range(n_clusters):
                    if slack[b] > 0 and not closed[b]:
                        length = max(reach + prices[b], dist[a])
                        if length < dist[b]:
                            dist[b] = length
                            parent[b] = a
            else:
                for b in range(n_clusters):
                    if closed[b]:
                        continue
                    size = list_size[a, b]
                    while size > 0 and labels[list_point[a, b, size - 1]] != a:
                        size -= 1
                    list_size[a, b] = size
                    if size < 0 or (size == 0 and list_limit[a, b] < np.inf):
                        fill_lists(costs, heads[a], after, a, list_key[a], list_point[a], list_size[a],
                                   list_limit[a])  # fmt: skip
                        size = list_size[a, b]
                    if size == 0:
                        continue
                    length = max(list_key[a, b, size - 1] + reach + prices[b], dist[a])
                    if length < dist[b]:
                        dist[b] = length
                        parent[b] = a
                if slack[a] < capacity[a] and not closed[n_clusters]:
                    length = max(reach + prices[n_clusters], dist[a])
                    if length < dist[n_clusters]:
                        dist[n_clusters] = length
                        parent[n_clusters] = a
            a = -1
            for v in range(n_clusters + 1):
                if not closed[v] and dist[v] < np.inf and (a < 0 or dist[v] < dist[a]):
                    a = v
            if a < 0:
                return STUCK
        # The cheaper nodes rise to the sink's level: reduced costs stay non-negative.
        total = dist[a]
        for v in range(n_clusters + 1):
            if closed[v]:
                prices[v] += total - dist[v]
        amount = min(excess[source], -excess[a])
        b = a
        while parent[b] >= 0:  # how much fits along the whole path
            u = parent[b]
            if u == n_clusters:
                amount = min(amount, slack[b])
            elif b == n_clusters:
                amount = min(amount, capacity[u] - slack[u])
            else:
                amount = 1
            b = u
        excess[source] -= amount
        excess[a] += amount
        b = a
        while parent[b] >= 0:
            u = parent[b]
            if u == n_clusters:
                slack[b] -= amount
            elif b == n_clusters:
                slack[u] += amount
            else:
                point = list_point[u, b, list_size[u, b] - 1]
                left, right = before[point], after[point]
                if left >= 0:
                    after[left] = right
                else:
                    heads[u] = right
                if right >= 0:
                    before[right] = left
                if heads[b] >= 0:
                    before[heads[b]] = point
                before[point] = -1
                after[point] = heads[b]
                heads[b] = point
                labels[point] = b
                list_point_into(costs, point, b, list_key[b], list_point[b], list_size[b], list_limit[b])
            b = u
    return PAUSED


@kernel
def fill_lists(
    costs: Array,  # (n_points, n_clusters)  IN
    head: int,
    after: Array,  # (n_points,) int64  IN
    a: int,
    keys: Array,  # (n_clusters, length) float64  OUT
    points: Array,  # (n_clusters, length) int64  OUT
    sizes: Array,  # (n_clusters,) int64  OUT
    limits: Array,  # (n_clusters,) float64  OUT
) -> None:
    """List the cheapest moves from cluster ``a`` to each other one."""
    for b in range(sizes.shape[0]):
        sizes[b] = 0
        limits[b] = np.inf
    point = head
    while point >= 0:
        list_point_into(costs, point, a, keys, points, sizes, limits)
        point = after[point]


@kernel
def list_point_into(
    costs: Array,  # (n_points, n_clusters)  IN
    point: int,
    a: int,
    keys: Array,  # (n_clusters, length) float64  IN/OUT
    points: Array,  # (n_clusters, length) int64  IN/OUT
    sizes: Array,  # (n_clusters,) int64  IN/OUT
    limits: Array,  # (n_clusters,) float64  IN/OUT
) -> None:
    """Enter a point of cluster ``a`` in the lists of ``a`` where it is among the cheapest moves."""
    length = keys.shape[1]
    here = np.float64(costs[point, a])
    for b in range(sizes.shape[0]):
        key = np.float64(costs[point, b]) - here
        if key >= limits[b] or sizes[b] < 0 or b == a:
            continue
        size = sizes[b]
        if size == length:
            # The dearest goes: it is first, and all others move up by one.
            if key >= keys[b, 0]:
                limits[b] = key
                continue
            limits[b] = keys[b, 0]
            place = 1
            while place < length and keys[b, place] > key:
                keys[b, place - 1] = keys[b, place]
                points[b, place - 1] = points[b, place]
                place += 1
            keys[b, place - 1] = key
            points[b, place - 1] = point
            continue
        place = size
        while place > 0 and keys[b, place - 1] < key:
            keys[b, place] = keys[b, place - 1]
            points[b, place] = points[b, place - 1]
            place -= 1
        keys[b, place] = key
        points[b, place] = point
        sizes[b] = size + 1
