"""Lloyd's iterations of size-constrained k-means on the squared distances between points alone.

A centre is the mean of its cluster's points, so that its squared distance to a point is the mean of the
point's squared distances to the members, less half the mean of those among the members. No step reads
the features again.

Source of the constrained steps: Bradley, Bennett, Demiriz, "Constrained k-means clustering",
Microsoft Research MSR-TR-2000-65.
"""

from __future__ import annotations

import math

from .assignment import assign_small, has_equals
from .flow_arrays import Floats, Ints
from .jit import kernel
from .limits import CONVERGED, FAILED, STOPPED
from .ordering import place


@kernel(inline=True)
def _update_centres(
    distances: Floats, order: Ints | None, labels: Ints, sizes: Ints, sums: Floats, spreads: Floats
) -> float:
    """Add up distances: in ``sums[j]`` each point's to the members of j, in ``spreads[j]`` the members' own.

    An empty cluster keeps its last centre.
    """
    n_clusters, n_points = sums.shape
    for j in range(n_clusters):
        if sizes[j] > 0:
            spreads[j] = 0.0
            for i in range(n_points):
                sums[j, i] = 0.0
    for i in range(n_points):
        row = sums[labels[i]]
        for p in range(n_points):
            row[p] += distances[place(order, i), place(order, p)]
    inertia = 0.0
    for i in range(n_points):
        spreads[labels[i]] += sums[labels[i], i]
    for j in range(n_clusters):
        if sizes[j] > 0:
            inertia += spreads[j] / (2.0 * sizes[j])
    return inertia


@kernel(inline=True)
def _centre_costs(sums: Floats, spreads: Floats, counts: Floats, euclidean: bool, costs: Floats) -> None:
    """Squared distances of the points to the centres, or their roots."""
    n_clusters, n_points = sums.shape
    for j in range(n_clusters):
        share = 1.0 / counts[j]
        offset = 0.5 * spreads[j] * share * share
        if euclidean:
            for i in range(n_points):
                costs[j, i] = math.sqrt(max(sums[j, i] * share - offset, 0.0))
        else:
            for i in range(n_points):
                costs[j, i] = sums[j, i] * share - offset


@kernel
def _first_prices(costs: Floats, size_min: Ints, size_max: Ints, prices: Floats) -> None:
    """Guess prices: for fixed sizes, those that make all clusters as dear on average, else none.

    Any prices give the same cost in the end. In many dimensions one centre is often the nearest of most
    points, and these halve the repairs.
    """
    n_clusters, n_points = costs.shape
    for j in range(n_clusters):
        prices[j] = 0.0
        if size_min[j] == size_max[j]:
            for i in range(n_points):
                prices[j] -= costs[j, i]
            prices[j] /= n_points


@kernel
def _same(a: Ints, b: Ints) -> bool:
    for i in range(a.shape[0]):
        if a[i] != b[i]:
            return False
    return True


@kernel
def _copy(source: Ints, target: Ints) -> None:
    for i in range(source.shape[0]):  # CUDA has no assignment of whole arrays
        target[i] = source[i]


@kernel(inline=True)
def lloyd(
    distances: Floats,  # (n_points, n_points) float64  IN, squared
    order: Ints | None,  # (n_points,) int64 or None  IN, the order in which the points are met
    centres: Ints,  # (n_clusters,) int64  IN, the points to start from, by their places in the order
    size_min: Ints,  # (n_clusters,) int64  IN
    size_max: Ints,  # (n_clusters,) int64  IN
    euclidean: bool,  # assign by distances, not by their squares
    max_iter: int,
    slack: float,  # costs less apart may be equal; below 0: do not look
    planes: Floats,  # (2, n_clusters, n_points) float64  SCRATCH
    node_floats: Floats,  # (4, n_clusters + 1) float64  SCRATCH
    node_ints: Ints,  # (5, n_clusters + 1) int64  SCRATCH
    point_ints: Ints,  # (3, n_points) int64  SCRATCH
    limits: Floats,  # (n_points,) float64  SCRATCH
    labels: Ints,  # (n_points,) int64  OUT, of the points in the order
) -> tuple[float, int, int, bool]:
    """Iterate until the labels stay; return inertia, iterations, status and whether equals were met.

    Equals are assignments of the same cost, between which the points' order decides: where none were met,
    any order gives these clusters.

    With squared costs no step raises the inertia. With Euclidean ones a step can, so that the best labels
    met are returned. Labels can run in a circle (with squared costs only among equals): it is found by
    comparing with a landmark that is moved ever more rarely (Brent), and ends the iterations, since
    nothing new can follow.
    """
    costs, sums = planes[0], planes[1]
    n_clusters, n_points = costs.shape
    spreads, counts = node_floats[0], node_floats[1]
    prices, lengths = node_floats[2], node_floats[3]
    parents, movers, settled = node_ints[0], node_ints[1], node_ints[2]
    spare, sizes = node_ints[3, :n_clusters], node_ints[4, :n_clusters]
    current, previous, landmark = point_ints[0], point_ints[1], point_ints[2]
    for j in range(n_clusters):
        spreads[j] = 0.0
        counts[j] = 1.0
        for i in range(n_points):
            sums[j, i] = distances[place(order, centres[j]), place(order, i)]
    best = math.inf
    equals = False
    next_landmark = 1
    for iteration in range(1, max_iter + 1):
        _centre_costs(sums, spreads, counts, euclidean, costs)
        if iteration == 1:
            _first_prices(costs, size_min, size_max, prices)
        if not assign_small(
            costs, size_min, size_max, prices, lengths, parents, movers, settled, spare, sizes, current
        ):
            return math.inf, iteration, FAILED, True
        if slack >= 0.0 and not equals:
            equals = has_equals(
                costs, size_min, size_max, prices, spare, current, slack, parents, movers, limits
            )
        if iteration > 1 and (_same(current, previous) or _same(current, landmark)):
            return best, iteration, CONVERGED, equals
        inertia = _update_centres(distances, order, current, sizes, sums, spreads)
        if not inertia < math.inf:  # NaN too; no labels are written that one could return
            return math.inf, iteration, FAILED, True
        for j in range(n_clusters):
            if sizes[j] > 0:
                counts[j] = float(sizes[j])
        # In squared units; a root's slack is 1e-6 of a distance, where a square's is 1e-10 of a square.
        equals = equals or abs(inertia - best) <= (100.0 * slack * slack if euclidean else slack)
        if inertia < best:
            best = inertia
            _copy(current, labels)
        _copy(current, previous)
        if iteration == next_landmark:
            _copy(current, landmark)
            next_landmark *= 2
    return best, max_iter, STOPPED, equals
