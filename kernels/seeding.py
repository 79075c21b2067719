"""Starting centres: greedy k-means++.

Sources: Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007, for the
draw; its section on experiments, and scikit-learn's default, for trying a few candidates a centre.
"""

from __future__ import annotations

import math

from .flow_arrays import Floats, Ints
from .jit import kernel
from .ordering import place
from .rng import uniform_pair

# Two candidates tie exactly where each gains only from itself and the other. Rounding must not decide,
# or the same seed would draw other centres on another machine.
DISTINCT = 1.0 - 1e-12


@kernel
def _draw_point(closest: Floats, target: float) -> int:
    """The first point at which the running sum of ``closest`` exceeds ``target``."""
    running = 0.0
    last = -1
    for point in range(closest.shape[0]):
        weight = closest[point]
        if weight > 0.0:
            running += weight
            last = point
            if running > target:
                break
    return last


@kernel
def _draw_unchosen(centres: Ints, n_chosen: int, n_points: int, fraction: float) -> int:
    """Draw evenly among the points that are no centre yet; for points that all lie on centres."""
    wanted = min(int(fraction * (n_points - n_chosen)), n_points - n_chosen - 1)
    point = -1
    for candidate in range(n_points):
        point = candidate
        taken = False
        for c in range(n_chosen):
            taken = taken or centres[c] == point
        if not taken:
            if wanted == 0:
                break
            wanted -= 1
    return point


@kernel(inline=True)
def kmeans_plus_plus(
    distances: Floats,  # (n_points, n_points) float64 IN, squared
    order: Ints | None,  # (n_points,) int64 or None  IN, the order in which the points are met
    seed: int,
    start: int,  # the number of the start
    closest: Floats,  # (n_points,) float64  SCRATCH
    centres: Ints,  # (n_clusters,) int64  OUT, places of distinct points in that order
) -> None:
    """Choose distinct points as centres: each the best of ``2 + log(k)`` draws by squared distance.

    Points go by their places in ``order``, so that the draws are those for the points in that order.
    """
    n_points = distances.shape[0]
    n_clusters = centres.shape[0]
    n_trials = 2 + int(math.log(n_clusters))
    draw = 0
    fraction, spare = uniform_pair(seed, start, draw)
    has_spare = True
    centres[0] = min(int(fraction * n_points), n_points - 1)
    total = 0.0
    for i in range(n_points):
        closest[i] = distances[place(order, centres[0]), place(order, i)]
        total += closest[i]
    for c in range(1, n_clusters):
        best = -1
        best_total = 0.0
        for _ in range(n_trials):
            if has_spare:
                fraction = spare
                has_spare = False
            else:
                draw += 1
                fraction, spare = uniform_pair(seed, start, draw)
                has_spare = True
            if total > 0.0:
                candidate = _draw_point(closest, fraction * total)
            else:
                candidate = _draw_unchosen(centres, c, n_points, fraction)
            new_total = 0.0
            for i in range(n_points):
                new_total += min(closest[i], distances[place(order, candidate), place(order, i)])
            if best < 0 or new_total < best_total * DISTINCT:
                best = candidate
                best_total = new_total
        centres[c] = best
        total = best_total
        for i in range(n_points):
            closest[i] = min(closest[i], distances[place(order, best), place(order, i)])
