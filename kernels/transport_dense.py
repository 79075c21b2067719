"""Exact assignment to clusters with bounds when all costs are at hand: small problems, last resorts.

Shortest augmenting paths on the graph of the clusters (Ahuja, Magnanti, Orlin, Network Flows, 1993,
section 9.7). Nothing is left out and little memory is taken, but each moved point costs a look at
every point of two clusters; ``transport`` is the quick way for many points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel

Array = Any

DONE = 0
PAUSED = 1
STUCK = 2
BEYOND = 3


@kernel
def settle_dense(
    costs: Array,  # (n_points, n_clusters) float32 or float64  IN
    room: Array,  # (n_clusters,) int64: size_max - size_min  IN
    steps: int,  # augmentations before a pause
    links: Array,  # (k, k) float64: cheapest move of one point from cluster a to b  SCRATCH
    movers: Array,  # (k, k) int64: the point of that move  SCRATCH
    stale: Array,  # (k,) bool: links of a cluster are out of date  IN/OUT
    members: Array,  # (n_points,) int64: the next point in the same cluster, -1 at the end  IN/OUT
    heads: Array,  # (k,) int64: the first point of each cluster  IN/OUT
    dist: Array,  # (k + 1,) float64  SCRATCH
    parent: Array,  # (k + 1,) int64  SCRATCH
    closed: Array,  # (k + 1,) bool  SCRATCH
    labels: Array,  # (n_points,) int64, cheapest at the prices  IN/OUT
    prices: Array,  # (k + 1,) float64; the last is the ground's  IN/OUT
    slack: Array,  # (k,) int64: points above size_min  IN/OUT
    excess: Array,  # (k + 1,) int64, sums to zero  IN/OUT
) -> int:
    """Move points along shortest paths until no node has excess; DONE, PAUSED or STUCK (infeasible).

    Node k is the ground: it takes the points above a cluster's minimum, up to ``room``. Each step
    settles at least one unit of excess whatever the rounding does, so the loop ends.
    """
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
                if stale[a]:
                    _relink(costs, heads[a], members, a, links[a], movers[a])
                    stale[a] = False
                link = links[a]
                for b in range(n_clusters):
                    length = max(link[b] + reach + prices[b], dist[a])
                    if length < dist[b] and not closed[b]:
                        dist[b] = length
                        parent[b] = a
                if slack[a] < room[a] and not closed[n_clusters]:
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
                amount = min(amount, room[u] - slack[u])
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
                point = movers[u, b]
                if heads[u] == point:
                    heads[u] = members[point]
                else:
                    before = heads[u]
                    while members[before] != point:
                        before = members[before]
                    members[before] = members[point]
                members[point] = heads[b]
                heads[b] = point
                labels[point] = b
                stale[u] = True
                stale[b] = True
            b = u
    return PAUSED


@kernel
def _relink(
    costs: Array,  # (n_points, n_clusters)  IN
    head: int,
    members: Array,  # (n_points,) int64  IN
    a: int,
    link: Array,  # (n_clusters,) float64  OUT
    mover: Array,  # (n_clusters,) int64  OUT
) -> None:
    """The cheapest point to move from cluster ``a`` to each other one."""
    n_clusters = link.shape[0]
    for b in range(n_clusters):
        link[b] = np.inf
        mover[b] = -1
    point = head
    while point >= 0:
        here = np.float64(costs[point, a])
        for b in range(n_clusters):
            move = np.float64(costs[point, b]) - here
            better = move < link[b]
            link[b] = move if better else link[b]
            mover[b] = point if better else mover[b]
        point = members[point]
