"""Sets of points as sorted rows, numbered in the order of ``itertools.combinations``.

The last set has the number C(n, size) - 1, and a set's distance from it is a sum with one term a
member: C(n - 1 - point, members from this one on). So the number of a set that a group is taken out of
is a sum of terms a taken member, and every way to take a group costs two additions, without a search.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from .jit import kernel

Ints = NDArray[np.int64]
Places = NDArray[np.uint64]  # unsigned: numba then indexes without a check for negative numbers


@lru_cache(maxsize=16)
def binomials(n_points: int) -> Ints:
    """C(i, j) for 0 <= i, j <= ``n_points``, read-only; what int64 cannot hold is its largest value."""
    table = np.array(
        [[min(comb(i, j), 2**63 - 1) for j in range(n_points + 1)] for i in range(n_points + 1)], np.int64
    )
    table.flags.writeable = False
    return table


@kernel
def unrank(
    rank: int,  # the set's number among those of points lowest to n_points - 1
    lowest: int,
    n_points: int,
    size: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    members: Ints,  # (size,) int64  OUT, rising
) -> None:
    """The set with the number ``rank``."""
    point = lowest
    for i in range(size):
        while binomial[n_points - 1 - point, size - 1 - i] <= rank:
            rank -= binomial[n_points - 1 - point, size - 1 - i]
            point += 1
        members[i] = point
        point += 1


@kernel
def rank(
    members: Ints,  # (size,) int64  IN, rising
    size: int,
    n_points: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
) -> int:
    """The number of a set among those of ``size`` points out of ``n_points``."""
    from_last = 0
    for i in range(size):
        from_last += binomial[n_points - 1 - members[i], size - i]
    return binomial[n_points, size] - 1 - from_last  # type: ignore[no-any-return]


@kernel
def advance(
    members: Ints,  # (size,) int64  IN, OUT
    size: int,
    n_points: int,
) -> int:
    """Turn a set into the next one; the first place that changed, or -1 and no change after the last."""
    turned = size - 1
    while turned >= 0 and members[turned] == n_points - size + turned:
        turned -= 1
    if turned >= 0:
        members[turned] += 1
        for i in range(turned + 1, size):
            members[i] = members[i - 1] + 1
    return turned


@kernel
def places_in_order(
    order: Ints,  # (n_points,) int64  IN
    size: int,
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    members: Ints,  # (2, n_points) int64  SCRATCH
    places: Ints,  # (C(n_points, size),) int64  OUT
) -> None:
    """The number of the points of every set, where its members are places in an order."""
    n_points = order.shape[0]
    here, points = members[0], members[1]
    for i in range(size):
        here[i] = i
    for group in range(places.shape[0]):
        for i in range(size):
            point = order[here[i]]
            j = i
            while j > 0 and points[j - 1] > point:
                points[j] = points[j - 1]
                j -= 1
            points[j] = point
        places[group] = rank(points, size, n_points, binomial)
        advance(here, size, n_points)


@kernel
def take_groups(
    left: Ints,  # (n_left,) int64  IN, the points to take a group from, rising
    n_left: int,
    size: int,  # of the group
    n_points: int,
    last_group: int,  # index of the last set of `size` points
    last_rest: int,  # index of the last set of n_left - size points
    binomial: Ints,  # (n_points + 1, n_points + 1) int64  IN
    steps: Ints,  # (2, n_points, n_points) int64  SCRATCH
    odometer: Ints,  # (3, n_points + 1) int64  SCRATCH
    groups: Places,  # (>= start + C(n_left - 1, size - 1),) uint64  OUT
    rests: Places,  # like groups  OUT
    start: int,  # where to begin in groups and rests
) -> int:
    """Every group of ``size`` points that holds the smallest of ``left``, and what it leaves.

    The ways come in the order of ``itertools.combinations`` of the other members. Returns the end of
    what was written.
    """
    # A point that stays, at place p with t group members after it, weighs C(n - 1 - point, n_left - p - t).
    # Summed between one member and the next, these sums of weights fall apart into a term a member.
    total = 0
    for p in range(n_left):
        total += binomial[n_points - 1 - left[p], n_left - p]
    for i in range(size):
        before = 0  # weights of the points before p that stay, with members i.. still to come
        after = 0  # of those up to p, with members i + 1.. still to come
        for p in range(n_left):
            reach = n_points - 1 - left[p]
            share = n_left - p - (size - 1 - i)
            if share >= 0:
                after += binomial[reach, share]
            steps[0, i, p] = binomial[reach, size - i]
            steps[1, i, p] = before - after
            if share >= 1:
                before += binomial[reach, share - 1]
    if size == 1:
        groups[start] = last_group - steps[0, 0, 0]
        rests[start] = last_rest - total - steps[1, 0, 0]
        return start + 1
    places = odometer[0]
    group_sum = odometer[1]
    rest_sum = odometer[2]
    places[0] = 0
    group_sum[0] = last_group - steps[0, 0, 0]
    rest_sum[0] = last_rest - total - steps[1, 0, 0]
    turned = 1
    at = start
    for i in range(1, size - 1):
        places[i] = i
    while True:
        for i in range(turned, size - 1):
            group_sum[i] = group_sum[i - 1] - steps[0, i, places[i]]
            rest_sum[i] = rest_sum[i - 1] - steps[1, i, places[i]]
        group = group_sum[size - 2]
        rest = rest_sum[size - 2]
        for p in range(places[size - 2] + 1, n_left):
            groups[at] = group - steps[0, size - 1, p]
            rests[at] = rest - steps[1, size - 1, p]
            at += 1
        turned = size - 2
        while turned > 0 and places[turned] == n_left - size + turned:
            turned -= 1
        if turned <= 0:
            return at
        places[turned] += 1
        for i in range(turned + 1, size - 1):
            places[i] = places[i - 1] + 1
