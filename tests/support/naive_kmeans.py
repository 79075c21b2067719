"""Slow size-constrained k-means that nobody could get wrong, on points and explicit centres."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import linear_sum_assignment


def philox(counter, key):
    """Philox-4x32-10 on Python integers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b % 2**32, (a >> 32) ^ c[3] ^ k[1], a % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


def uniforms(seed, start):
    """The stream of doubles of one start."""
    for draw in itertools.count():
        words = philox((draw, 0, start % 2**32, start >> 32), (seed % 2**32, seed >> 32))
        yield ((words[0] << 32 | words[1]) >> 11) / 2**53
        yield ((words[2] << 32 | words[3]) >> 11) / 2**53


def kmeans_plus_plus(X, n_clusters, order, seed, start):
    """Greedy k-means++: each centre the best of 2 + log(k) draws."""
    draws = uniforms(seed, start)
    square = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    centres = [order[int(next(draws) * len(X))]]
    for _ in range(1, n_clusters):
        closest = square[centres].min(axis=0)
        candidates = []
        for _ in range(2 + int(math.log(n_clusters))):
            running = np.cumsum(closest[order])
            candidates.append(order[int(np.searchsorted(running, next(draws) * running[-1], side="right"))])
        totals = np.array([np.minimum(closest, square[c]).sum() for c in candidates])
        centres.append(candidates[int(np.argmax(totals <= totals.min() * (1 + 1e-12)))])
    return [int(c) for c in centres]


def assign(costs, size_min, size_max):
    """Labels of least cost, costs (n_points, n_clusters): SciPy on expanded seats.

    A cluster has ``size_max`` seats, of which the first ``size_min`` must be taken; blank rows take
    the seats that stay free, and are forbidden those that must not.
    """
    n_points, n_clusters = costs.shape
    cluster = np.repeat(np.arange(n_clusters), size_max)
    must = np.concatenate([np.arange(m) < low for m, low in zip(size_max, size_min, strict=True)])
    forbidden = 1e6 * (1.0 + np.abs(costs).max())
    blanks = np.where(must, forbidden, 0.0)[None].repeat(len(cluster) - n_points, axis=0)
    rows, seats = linear_sum_assignment(np.concatenate([costs[:, cluster], blanks]))
    labels = np.empty(n_points, int)
    labels[rows[rows < n_points]] = cluster[seats[rows < n_points]]
    return labels


def inertia(X, labels):
    """Sum of squared distances to the means of the clusters."""
    return sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in set(labels.tolist()))


def lloyd(X, centres, size_min, size_max, assignment_cost, max_iter=300):
    """Iterate from the points ``centres``; the best labels met and their inertia."""
    means = X[centres].astype(float)
    seen, best = [], (math.inf, None)
    for _ in range(max_iter):
        costs = ((X[:, None] - means[None]) ** 2).sum(axis=2)
        labels = assign(np.sqrt(costs) if assignment_cost == "euclidean" else costs, size_min, size_max)
        if any((labels == other).all() for other in seen):
            break
        seen.append(labels)
        for j in set(labels.tolist()):
            means[j] = X[labels == j].mean(axis=0)
        if inertia(X, labels) < best[0]:
            best = (inertia(X, labels), labels)
    return best


def cluster(X, n_clusters, size_min, size_max, seed, n_init, order, assignment_cost):
    """The best of ``n_init`` starts; the earlier one where two are equal."""
    best = (math.inf, None)
    for start in range(n_init):
        centres = kmeans_plus_plus(X, n_clusters, order, seed, start)
        found = lloyd(X, centres, size_min, size_max, assignment_cost)
        if found[0] < best[0] * (1 - 1e-12):
            best = found
    return best
