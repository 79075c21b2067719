"""All seeds and starts of one small problem, each distinct start solved once."""

from __future__ import annotations

import math

from .jit import kernel
from .limits import FAILED
from .lloyd import lloyd
from .ordering import in_order
from .seeding import DISTINCT, kmeans_plus_plus

# Costs of assignments less apart than this share of the largest distance may be equal but for rounding. A
# root of a squared distance keeps half the digits where it is near 0.
_SLACK, _ROOT_SLACK = 1e-10, 1e-6
_HASH = 0x9E3779B97F4A7C15 >> 1  # the golden ratio in 63 bits: spreads neighbouring keys


@kernel
def sort_centres(centres):
    """Sort in place; there are few."""
    for a in range(1, centres.shape[0]):
        centre = centres[a]
        b = a
        while b > 0 and centres[b - 1] > centre:
            centres[b] = centres[b - 1]
            b -= 1
        centres[b] = centre


@kernel
def better(inertia, best):
    """Whether a later start is better by more than rounding; any start is better than none (infinity)."""
    return inertia < best * DISTINCT or best == math.inf


@kernel
def equals_within(distances, euclidean):
    """How little apart two assignments of one problem may be to count as equal."""
    largest = 0.0
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            largest = max(largest, distances[i, j])
    return _ROOT_SLACK * math.sqrt(largest) if euclidean else _SLACK * largest


@kernel
def own_centres(found, centres, order, solution):
    """Each point's first centre, as points; ``found`` and ``centres`` are in the order."""
    for a in range(order.shape[0]):
        solution[order[a]] = order[centres[found[a]]]


@kernel
def relabel(solution, order, drawn, labels):
    """Number the clusters of ``solution`` by the order in which their first centres were drawn."""
    for i in range(solution.shape[0]):
        for c in range(drawn.shape[0]):
            if order[drawn[c]] == solution[i]:
                labels[i] = c


@kernel
def _inertia(permuted, order, labels, n_clusters, own, members):
    """That of the labels, added up in the order: whichever seed met a solution first, the digits agree."""
    n_points = order.shape[0]
    for a in range(n_points):
        own[a] = labels[order[a]]
    inertia = 0.0
    for j in range(n_clusters):
        size = 0
        for a in range(n_points):
            members[size] = a
            size += own[a] == j
        within = 0.0
        for x in range(1, size):
            row = permuted[members[x]]
            for y in range(x):
                within += row[members[y]]
        if size > 0:
            inertia += within / size
    return inertia


@kernel
def _find_slot(keys, key):
    """The slot that holds ``key``, or the free one (-1) where it belongs; one slot is always free."""
    mask = keys.shape[0] - 1
    slot = ((key * _HASH) >> 20) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def solve_starts(
    distances,  # (n_points, n_points) float64      IN, squared
    cancelled,  # (1,) bool                         IN
    seeds,  # (n_seeds,) uint64                     IN
    orders,  # (n_seeds, n_points) int64            IN
    n_init,  # int64                                IN
    size_min,  # (n_clusters,) int64                IN
    size_max,  # (n_clusters,) int64                IN
    alike,  # bool                                  IN, all clusters have the same bounds
    euclidean,  # bool                              IN
    max_iter,  # int64                              IN
    permuted,  # (n_points, n_points) float64       SCRATCH
    keys,  # (n_slots,) int64                       SCRATCH, n_slots a power of two; 1: remember nothing
    solutions,  # (n_slots + 1, n_points) int64     SCRATCH
    found_inertia,  # (n_slots + 1,) float64        SCRATCH
    found_n_iter,  # (n_slots + 1,) int64           SCRATCH
    found_status,  # (n_slots + 1,) int64           SCRATCH
    closest,  # (n_points,) float64                 SCRATCH
    drawn,  # (n_clusters,) int64                   SCRATCH
    centres,  # (n_clusters,) int64                 SCRATCH
    members,  # (n_clusters,) int64                 SCRATCH
    found,  # (n_points,) int64                     SCRATCH
    planes,  # as lloyd's                           SCRATCH
    node_floats,  # as lloyd's                      SCRATCH
    node_ints,  # as lloyd's                        SCRATCH
    point_ints,  # as lloyd's                       SCRATCH
    labels,  # (n_seeds, n_points) int64            OUT
    inertia,  # (n_seeds,) float64                  OUT
    n_iter,  # (n_seeds,) int64                     OUT
    status,  # (n_seeds,) int64                     OUT
):
    """Keep, for each seed, the best of its starts; the earlier one where two are equal.

    A seed meets the points in its order alone: all is computed on the distances in that order, so that what
    is equal is told apart by the order, never by where a point stands in the data.

    Where clusters have the same bounds, the solution depends on the set of first centres alone, so that
    it is computed from the sorted set, remembered, and numbered anew for each draw. Of 16 points 1,820
    sets of 4 can be drawn: many seeds cost little more than the draws. What met equals depends on the
    order too, and is not remembered.
    """
    n_points = distances.shape[0]
    n_clusters = centres.shape[0]
    n_slots = keys.shape[0]
    slack = equals_within(distances, euclidean) if n_slots > 1 else -1.0
    keys[:] = -1
    n_found = 0
    for s in range(seeds.shape[0]):
        order = orders[s]
        in_order(distances, order, permuted)
        inertia[s] = math.inf
        for start in range(n_init):
            if cancelled[0]:
                return
            kmeans_plus_plus(permuted, None, seeds[s], start, closest, drawn)
            centres[:] = drawn
            if alike:
                sort_centres(centres)
            slot = n_slots
            known = False
            key = 0
            if n_slots > 1:
                for c in range(n_clusters):
                    members[c] = order[drawn[c]]
                if alike:
                    sort_centres(members)
                for c in range(n_clusters):
                    key = key * n_points + members[c]
                place = _find_slot(keys, key)
                known = keys[place] == key
                if known:
                    slot = place
            if not known:
                value, iterations, state, equals = lloyd(
                    permuted,
                    None,
                    centres,
                    size_min,
                    size_max,
                    euclidean,
                    max_iter,
                    slack,
                    planes,
                    node_floats,
                    node_ints,
                    point_ints,
                    closest,
                    found,
                )
                if n_slots > 1 and not equals:
                    if 2 * n_found >= n_slots:
                        keys[:] = -1
                        n_found = 0
                    slot = _find_slot(keys, key)
                    keys[slot] = key
                    n_found += 1
                found_inertia[slot], found_n_iter[slot], found_status[slot] = value, iterations, state
                if state != FAILED:
                    own_centres(found, centres, order, solutions[slot])
            if better(found_inertia[slot], inertia[s]):
                inertia[s] = found_inertia[slot]
                n_iter[s] = found_n_iter[slot]
                status[s] = found_status[slot]
                if found_status[slot] != FAILED:
                    relabel(solutions[slot], order, drawn, labels[s])
        if status[s] != FAILED:
            inertia[s] = _inertia(permuted, order, labels[s], n_clusters, point_ints[0], found)
