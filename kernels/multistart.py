"""All seeds and starts of one small problem, each distinct start solved once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .batch import Starts, Workspace
from .flow_arrays import Floats, Ints
from .jit import kernel
from .limits import FAILED
from .lloyd import lloyd
from .ordering import in_order
from .seeding import DISTINCT, kmeans_plus_plus

Flags = NDArray[np.bool_]

# Costs of assignments less apart than this share of the largest distance may be equal but for rounding. A
# root of a squared distance keeps half the digits where it is near 0.
_SLACK, _ROOT_SLACK = 1e-10, 1e-6
_HASH = 0x9E3779B97F4A7C15 >> 1  # the golden ratio in 63 bits: spreads neighbouring keys


@kernel
def sort_centres(centres: Ints) -> None:
    """Sort in place; there are few."""
    for a in range(1, centres.shape[0]):
        centre = centres[a]
        b = a
        while b > 0 and centres[b - 1] > centre:
            centres[b] = centres[b - 1]
            b -= 1
        centres[b] = centre


@kernel
def better(inertia: float, best: float) -> bool:
    """Whether a later start is better by more than rounding; any start is better than none (infinity)."""
    return inertia < best * DISTINCT or best == math.inf


@kernel
def equals_within(distances: Floats, euclidean: bool) -> float:
    """How little apart two assignments of one problem may be to count as equal."""
    largest = 0.0
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            largest = max(largest, distances[i, j])
    return _ROOT_SLACK * math.sqrt(largest) if euclidean else _SLACK * largest


@kernel
def own_centres(labels: Ints, centres: Ints, order: Ints, solution: Ints) -> None:
    """Each point's first centre, as points; ``labels`` and ``centres`` are in the order."""
    for a in range(order.shape[0]):
        solution[order[a]] = order[centres[labels[a]]]


@kernel
def relabel(solution: Ints, order: Ints, drawn: Ints, labels: Ints) -> None:
    """Number the clusters of ``solution`` by the order in which their first centres were drawn."""
    for i in range(solution.shape[0]):
        for c in range(drawn.shape[0]):
            if order[drawn[c]] == solution[i]:
                labels[i] = c


@kernel
def _inertia(permuted: Floats, order: Ints, labels: Ints, n_clusters: int, own: Ints, members: Ints) -> float:
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
def _find_slot(keys: Ints, key: int) -> int:
    """The slot that holds ``key``, or the free one (-1) where it belongs; one slot is always free."""
    mask = keys.shape[0] - 1
    slot = ((key * _HASH) >> 20) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot  # type: ignore[no-any-return]


@kernel
def solve_starts(
    distances: Floats,  # (n_points, n_points) float64  IN, squared
    cancelled: Flags,  # (1,) bool  IN
    starts: Starts,  # IN
    workspace: Workspace,  # SCRATCH
    labels: Ints,  # (n_seeds, n_points) int64  OUT
    inertia: Floats,  # (n_seeds,) float64  OUT
    n_iter: Ints,  # (n_seeds,) int64  OUT
    status: Ints,  # (n_seeds,) int64  OUT
) -> None:
    """Keep, for each seed, the best of its starts; the earlier one where two are equal.

    A seed meets the points in its order alone: all is computed on the distances in that order, so that what
    is equal is told apart by the order, never by where a point stands in the data.

    Where clusters have the same bounds, the solution depends on the set of first centres alone, so that
    it is computed from the sorted set, remembered, and numbered anew for each draw. Of 16 points 1,820
    sets of 4 can be drawn: many seeds cost little more than the draws. What met equals depends on the
    order too, and is not remembered.
    """
    seeds, orders, n_init, size_min, size_max, alike, euclidean, max_iter = starts
    (
        permuted, keys, solutions, solved_inertia, solved_n_iter, solved_status, closest, drawn, centres,
        members, current, planes, node_floats, node_ints, point_ints,
    ) = workspace  # fmt: skip
    n_points = distances.shape[0]
    n_clusters = centres.shape[0]
    n_slots = keys.shape[0]
    slack = equals_within(distances, euclidean) if n_slots > 1 else -1.0
    keys[:] = -1
    n_solved = 0
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
            slot: int = n_slots
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
                    current,
                )
                if n_slots > 1 and not equals:
                    if 2 * n_solved >= n_slots:
                        keys[:] = -1
                        n_solved = 0
                    slot = _find_slot(keys, key)
                    keys[slot] = key
                    n_solved += 1
                solved_inertia[slot], solved_n_iter[slot], solved_status[slot] = value, iterations, state
                if state != FAILED:
                    own_centres(current, centres, order, solutions[slot])
            if better(solved_inertia[slot], inertia[s]):
                inertia[s] = solved_inertia[slot]
                n_iter[s] = solved_n_iter[slot]
                status[s] = solved_status[slot]
                if solved_status[slot] != FAILED:
                    relabel(solutions[slot], order, drawn, labels[s])
        if status[s] != FAILED:
            inertia[s] = _inertia(permuted, order, labels[s], n_clusters, point_ints[0], current)
