"""The exact minimum-cost-flow assignment of a few points to a few clusters with size bounds.

Every point starts at its cheapest cluster at the current prices, which is optimal but for the bounds.
What is over or under is then repaired by shortest augmenting paths on the graph of the clusters, whose
edge a -> b costs what the cheapest move of one point from a to b adds (successive shortest paths:
Ahuja, Magnanti, Orlin, "Network Flows", 1993, section 9.7). For problems of up to some hundred points;
``transport`` serves large ones.

Minimum sizes: every cluster is filled to its maximum, by points and by spare places. A cluster may have
``size_max - size_min`` of these at most (its capacity less its slack, in the words of ``FLOW.md``); one costs
nothing but the cluster's price. They move through one further node of the graph, the slack node, so that a
path may pass through them.
"""

from __future__ import annotations

import math

from .flow_arrays import Floats, Ints
from .jit import kernel


@kernel(inline=True)
def _start_at_cheapest(costs: Floats, prices: Floats, labels: Ints, sizes: Ints) -> None:
    """Send every point to its cheapest cluster at the current prices."""
    n_clusters, n_points = costs.shape
    for j in range(n_clusters):
        sizes[j] = 0
    for i in range(n_points):
        best = costs[0, i] + prices[0]
        label = 0
        for j in range(1, n_clusters):
            cost = costs[j, i] + prices[j]
            label = j if cost < best else label
            best = min(best, cost)
        labels[i] = label
        sizes[label] += 1


@kernel
def _start_spare(prices: Floats, size_min: Ints, size_max: Ints, n_spare: int, spare: Ints) -> float:
    """Put spare places into the cheapest clusters; the dearest of these gives the slack node its price."""
    n_clusters = spare.shape[0]
    for j in range(n_clusters):
        spare[j] = 0
    slack_price = prices[0]
    while n_spare > 0:
        best = -1
        for j in range(n_clusters):
            if spare[j] == 0 and size_max[j] > size_min[j] and (best < 0 or prices[j] < prices[best]):
                best = j
        if best < 0:
            break
        spare[best] = min(n_spare, size_max[best] - size_min[best])
        n_spare -= spare[best]
        slack_price = prices[best]
    return slack_price  # type: ignore[no-any-return]


@kernel(inline=True)
def _relax(
    a: int,
    costs: Floats,
    prices: Floats,
    labels: Ints,
    spare: Ints,
    size_min: Ints,
    size_max: Ints,
    n_nodes: int,
    lengths: Floats,
    parents: Ints,
    movers: Ints,
) -> None:
    """Try all edges a -> b of the cluster graph; its last node, if there are spare places, is the slack node.

    Settled nodes need no check: no length is below that of the node just settled.
    """
    n_clusters, n_points = costs.shape
    reached = lengths[a]
    if a == n_clusters:
        for b in range(n_clusters):
            length = reached + max(prices[b] - prices[a], 0.0)
            if spare[b] < size_max[b] - size_min[b] and length < lengths[b]:
                lengths[b] = length
                parents[b] = a
        return
    for i in range(n_points):
        if labels[i] == a:
            own = costs[a, i] + prices[a]
            for b in range(n_clusters):
                length = reached + max((costs[b, i] + prices[b]) - own, 0.0)  # below 0 by rounding alone
                if length < lengths[b]:
                    lengths[b] = length
                    parents[b] = a
                    movers[b] = i
    if n_nodes > n_clusters and spare[a] > 0:
        length = reached + max(prices[n_clusters] - prices[a], 0.0)
        if length < lengths[n_clusters]:
            lengths[n_clusters] = length
            parents[n_clusters] = a


@kernel(inline=True)
def _shortest_path(
    costs: Floats,
    prices: Floats,
    labels: Ints,
    sizes: Ints,
    spare: Ints,
    size_min: Ints,
    size_max: Ints,
    n_nodes: int,
    lengths: Floats,
    parents: Ints,
    movers: Ints,
    settled: Ints,
) -> int:
    """Dijkstra from all clusters that hold too much; the nearest that holds too little, or -1."""
    n_clusters = size_max.shape[0]
    for a in range(n_nodes):
        parents[a] = -1
        settled[a] = 0
        lengths[a] = 0.0 if a < n_clusters and sizes[a] + spare[a] > size_max[a] else math.inf
    for _ in range(n_nodes):
        nearest = -1
        shortest = math.inf
        for a in range(n_nodes):
            if settled[a] == 0 and lengths[a] < shortest:
                nearest = a
                shortest = lengths[a]
        if nearest < 0:
            return -1
        if nearest < n_clusters and sizes[nearest] + spare[nearest] < size_max[nearest]:
            return nearest
        settled[nearest] = 1
        _relax(nearest, costs, prices, labels, spare, size_min, size_max, n_nodes, lengths, parents, movers)
    return -1


@kernel(inline=True)
def _augment(end: int, parents: Ints, movers: Ints, labels: Ints, sizes: Ints, spare: Ints) -> None:
    """Move one unit along every edge of the path that ends at ``end``."""
    n_clusters = sizes.shape[0]
    b = end
    while parents[b] >= 0:
        a = parents[b]
        if b == n_clusters:
            spare[a] -= 1
        elif a == n_clusters:
            spare[b] += 1
        else:
            labels[movers[b]] = b
            sizes[a] -= 1
            sizes[b] += 1
        b = a


@kernel(inline=True)
def assign_small(
    costs: Floats,  # (n_clusters, n_points) float64  IN, finite
    size_min: Ints,  # (n_clusters,) int64  IN
    size_max: Ints,  # (n_clusters,) int64  IN, at most n_points
    prices: Floats,  # (n_clusters + 1,) float64  IN and OUT, any finite start; the last is the slack node's
    lengths: Floats,  # (n_clusters + 1,) float64  SCRATCH
    parents: Ints,  # (n_clusters + 1,) int64  SCRATCH
    movers: Ints,  # (n_clusters + 1,) int64  SCRATCH
    settled: Ints,  # (n_clusters + 1,) int64  SCRATCH
    spare: Ints,  # (n_clusters,) int64  SCRATCH
    sizes: Ints,  # (n_clusters,) int64  OUT
    labels: Ints,  # (n_points,) int64  OUT
) -> bool:
    """Find labels of least total cost among those that honour the bounds; return whether there are any.

    Prices kept from a similar problem leave little to repair; they never change the cost reached.
    """
    n_clusters, n_points = costs.shape
    _start_at_cheapest(costs, prices, labels, sizes)
    n_spare = -n_points
    for j in range(n_clusters):
        n_spare += size_max[j]
    prices[n_clusters] = _start_spare(prices, size_min, size_max, n_spare, spare)
    n_nodes = n_clusters + 1 if n_spare > 0 else n_clusters
    while True:
        balanced = True
        for j in range(n_clusters):
            balanced = balanced and sizes[j] + spare[j] == size_max[j]
        if balanced:
            return True
        end = _shortest_path(
            costs,
            prices,
            labels,
            sizes,
            spare,
            size_min,
            size_max,
            n_nodes,
            lengths,
            parents,
            movers,
            settled,
        )
        if end < 0:
            return False
        reach = lengths[end]
        for node in range(n_nodes):
            prices[node] -= min(lengths[node], reach)
        _augment(end, parents, movers, labels, sizes, spare)


@kernel(inline=True)
def has_equals(
    costs: Floats,  # (n_clusters, n_points) float64  IN
    size_min: Ints,  # (n_clusters,) int64  IN
    size_max: Ints,  # (n_clusters,) int64  IN
    prices: Floats,  # (n_clusters + 1,) float64  IN, those that assign_small left
    spare: Ints,  # (n_clusters,) int64  IN
    labels: Ints,  # (n_points,) int64  IN, those that assign_small found
    slack: float,  # what is less apart counts as equal
    moves: Ints,  # (>= n_clusters,) int64  SCRATCH
    reached: Ints,  # (>= n_clusters,) int64  SCRATCH
    limits: Floats,  # (n_points,) float64  SCRATCH
) -> bool:
    """Whether other labels cost the same, or so little more that rounding could choose them.

    Other labels differ by points that move round a circle of clusters, each at no cost at these prices; a
    spare place may move in place of a point, but not in place of all. Without such a circle the labels are
    the only ones of least cost. More clusters than there are bits in a number are not looked at.
    """
    n_clusters, n_points = costs.shape
    if n_clusters > 62:
        return True
    for i in range(n_points):
        limits[i] = costs[labels[i], i] + prices[labels[i]] + slack
    n_near = 0  # counted cluster by cluster, since that vectorises: mostly it is each point's own alone
    for j in range(n_clusters):
        for i in range(n_points):
            n_near += costs[j, i] + prices[j] <= limits[i]
    if n_near <= n_points:
        return False
    for j in range(n_clusters):
        moves[j] = 0
    for i in range(n_points):
        near = 0
        for j in range(n_clusters):
            near |= int(costs[j, i] + prices[j] <= limits[i]) << j
        moves[labels[i]] |= near
    for a in range(n_clusters):
        moves[a] &= ~(1 << a)
    slack_price = prices[n_clusters]
    for a in range(n_clusters):
        reached[a] = moves[a]
        if spare[a] > 0 and slack_price - prices[a] <= slack:
            for b in range(n_clusters):
                if b != a and spare[b] < size_max[b] - size_min[b] and prices[b] - slack_price <= slack:
                    reached[a] |= 1 << b
    for between in range(n_clusters):
        for a in range(n_clusters):
            if (reached[a] >> between) & 1:
                reached[a] |= reached[between]
    for a in range(n_clusters):
        for b in range(n_clusters):
            if (moves[a] >> b) & 1 and (reached[b] >> a) & 1:
                return True
    return False
