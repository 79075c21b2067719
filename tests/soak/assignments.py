"""Assignments with bounds beside a linear program that another library solves."""

from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from fourfold import assign


def trial(seed: int, folder: Path) -> Counter[str]:
    """One problem of random size, bounds and costs, many of them tied; its cost is the program's, to 1e-9."""
    del folder
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    low = rng.multinomial(rng.integers(0, n + 1), np.full(k, 1 / k))
    high = low + rng.multinomial(n - low.sum() + rng.integers(0, n + 1), np.full(k, 1 / k))
    costs = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-6, 7)
    if rng.random() < 0.5:
        costs = np.round(rng.integers(0, 4, size=(n, k)).astype(float))
    found = assign(costs, low, high)
    sizes = np.bincount(found.labels, minlength=k)
    assert (low <= sizes).all(), f"seed {seed}: sizes {sizes} below {low}"
    assert (sizes <= high).all(), f"seed {seed}: sizes {sizes} above {high}"
    rows, columns = np.divmod(np.arange(n * k), k)
    ones = np.ones(n * k)
    of_points = coo_matrix((ones, (rows, np.arange(n * k))))
    of_clusters = coo_matrix((ones, (columns, np.arange(n * k))))
    scale = np.abs(costs).max() or 1.0
    best = linprog(
        costs.ravel() / scale,
        A_eq=of_points,
        b_eq=np.ones(n),
        A_ub=np.vstack([of_clusters.toarray(), -of_clusters.toarray()]),
        b_ub=np.concatenate([high, -low]),
        method="highs",
    )
    assert best.status == 0, f"seed {seed}: {best.message}"
    own = costs[np.arange(n), found.labels].sum()
    assert abs(own / scale - best.fun) <= 1e-9 * n, f"seed {seed}: {own} and {best.fun * scale}"
    assert abs(found.cost - own) <= 1e-9 * n * scale, f"seed {seed}: said {found.cost}, is {own}"
    return Counter(trials=1, points=n)
