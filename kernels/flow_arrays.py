"""Arrays that travel together through the flow kernels. ``FLOW.md`` says what they stand for.

With k clusters, node k is the slack node. numba takes a named tuple of arrays apart, so that a kernel which
does so at its beginning is as fast as with the arrays themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Flow(NamedTuple):
    """Labels at some prices, and what is still over or under."""

    labels: Ints  # (n_points,), each cheapest at the prices
    prices: Floats  # (k + 1,); the last is the slack node's
    slack: Ints  # (k,): points above size_min
    excess: Ints  # (k + 1,): points too many, below zero too few; sums to zero


class Cheapest(NamedTuple):
    """What a pass over the costs finds in every row, at some prices."""

    labels: Ints  # (n_points,): the cheapest cluster
    seconds: Ints  # (n_points,): the next cheapest; not certain, unlike the others
    gaps: Floats  # (n_points,): at most what any other cluster costs more


class Arcs(NamedTuple):
    """The clusters that each point in doubt might move to."""

    start: Ints  # (n_rows + 1,): where each row's arcs start
    cluster: Ints  # (n_arcs,), ascending in a row
    cost: Floats  # (n_arcs,), relative to one of the row's


class PairLists(NamedTuple):
    """For each pair of clusters the points that might move between them, sorted by what that costs.

    An entry is one pair of arcs of one row; a place is a position in the lists, one after the other.
    """

    entry_start: Ints  # (n_rows + 1,): where each row's entries start
    entry_low: Ints  # (n_entries,): the arc with the lower cluster
    entry_high: Ints  # (n_entries,): the arc with the higher one
    entry_place: Ints  # (n_entries,): the place of each entry
    entry_pair: Ints  # (n_entries,): the pair of each entry
    entry: Ints  # (n_entries,): the entry at each place
    key: Floats  # (n_entries,): cost in the higher cluster less that in the lower, at each place
    row: Ints  # (n_entries,): the row at each place
    start: Ints  # (n_pairs + 1,): where each pair's list starts
    ends: Ints  # (n_pairs, 2): its two clusters, ascending


class ClusterGraph(NamedTuple):
    """The edges of each cluster: the pairs that it is in."""

    start: Ints  # (k + 1,): where each cluster's edges start
    pair: Ints  # (2 n_pairs,): the pair that an edge belongs to
    target: Ints  # (2 n_pairs,): the cluster that an edge leads to


class SearchScratch(NamedTuple):
    """Working memory of a search for a shortest path."""

    dist: Floats  # (k + 1,), inf between searches
    parent: Ints  # (k + 1,): the node before
    via: Ints  # (k + 1,): the pair that leads here, -1 for links of the slack node
    touched: Ints  # (k + 1,)
    heap_key: Floats  # (2 n_pairs + 2 k + 2,)
    heap_node: Ints  # (2 n_pairs + 2 k + 2,)


class MoveLists(NamedTuple):
    """For each ordered pair of clusters (a, b) the cheapest moves from a to b, the cheapest last."""

    key: Floats  # (k, k, length): what a move costs
    point: Ints  # (k, k, length): the points of those moves
    size: Ints  # (k, k): -1 where a list must be filled
    limit: Floats  # (k, k): moves not listed cost at least this much


class Members(NamedTuple):
    """The points of each cluster as a linked list."""

    after: Ints  # (n_points,): the next point in the same cluster, -1 at the end
    before: Ints  # (n_points,): the one before, -1 at the start
    heads: Ints  # (k,): the first point of each cluster, -1 for none


class DenseScratch(NamedTuple):
    """Working memory of a search that looks at every cluster."""

    dist: Floats  # (k + 1,)
    parent: Ints  # (k + 1,)
    closed: NDArray[np.bool_]  # (k + 1,)


class NewtonScratch(NamedTuple):
    """Working memory of a Newton step on the prices."""

    pinned: NDArray[np.bool_]  # (k,): prices that stay
    histogram: Ints  # (512,)
    ends: Ints  # (n_edges, 2)
    vectors: Any  # (5, k) float64
