"""All seeds and starts of one small problem, each distinct start solved once."""

from __future__ import annotations

import math

from .jit import kernel
from .lloyd import FAILED, lloyd
from .seeding import DISTINCT, kmeans_plus_plus

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
def relabel(solution, drawn, centres, labels):
    """Number the clusters of ``solution`` by the order in which their first centres were drawn."""
    for i in range(solution.shape[0]):
        centre = centres[solution[i]]
        for c in range(drawn.shape[0]):
            if drawn[c] == centre:
                labels[i] = c


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
    orders,  # (n_seeds or 1, n_points) int64       IN
    n_init,  # int64                                IN
    size_min,  # (n_clusters,) int64                IN
    size_max,  # (n_clusters,) int64                IN
    alike,  # bool                                  IN, all clusters have the same bounds
    euclidean,  # bool                              IN
    max_iter,  # int64                              IN
    keys,  # (n_slots,) int64                       SCRATCH, n_slots a power of two; 1: remember nothing
    found_labels,  # (n_slots, n_points) int64      SCRATCH
    found_inertia,  # (n_slots,) float64            SCRATCH
    found_n_iter,  # (n_slots,) int64               SCRATCH
    found_status,  # (n_slots,) int64               SCRATCH
    closest,  # (n_points,) float64                 SCRATCH
    drawn,  # (n_clusters,) int64                   SCRATCH
    centres,  # (n_clusters,) int64                 SCRATCH
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

    Where clusters have the same bounds, the solution depends on the set of first centres alone, so that
    it is computed from the sorted set, remembered, and numbered anew for each draw. Of 16 points 1,820
    sets of 4 can be drawn: many seeds cost little more than the draws.
    """
    n_points = distances.shape[0]
    n_clusters = centres.shape[0]
    n_slots = keys.shape[0]
    keys[:] = -1
    n_found = 0
    for s in range(seeds.shape[0]):
        order = orders[s if orders.shape[0] > 1 else 0]
        inertia[s] = math.inf
        for start in range(n_init):
            if cancelled[0]:
                return
            kmeans_plus_plus(distances, order, seeds[s], start, closest, drawn)
            centres[:] = drawn
            if alike:
                sort_centres(centres)
            slot = 0
            known = False
            if n_slots > 1:
                key = 0
                for c in range(n_clusters):
                    key = key * n_points + centres[c]
                slot = _find_slot(keys, key)
                known = keys[slot] == key
                if not known:
                    if 2 * n_found >= n_slots:
                        keys[:] = -1
                        n_found = 0
                        slot = _find_slot(keys, key)
                    keys[slot] = key
                    n_found += 1
            if not known:
                found_inertia[slot], found_n_iter[slot], found_status[slot] = lloyd(
                    distances,
                    centres,
                    size_min,
                    size_max,
                    euclidean,
                    max_iter,
                    planes,
                    node_floats,
                    node_ints,
                    point_ints,
                    found_labels[slot],
                )
            if better(found_inertia[slot], inertia[s]):
                inertia[s] = found_inertia[slot]
                n_iter[s] = found_n_iter[slot]
                status[s] = found_status[slot]
                if found_status[slot] != FAILED:
                    relabel(found_labels[slot], drawn, centres, labels[s])
