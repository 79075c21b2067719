"""assign, beside OR-Tools' SimpleMinCostFlow and beside one pass of costs.argmin(axis=1).

Run: pytest benchmarks/bench_assign.py -s

Squared distances of random points to some of them, equal sizes. Cold: without prices. Warm: with the
prices of the step before, after centres moved to their clusters' means. OR-Tools gets costs rounded to
whole numbers; the building of its graph is left out. Quality is the cost of the assignment.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from fourfold import assign


def squared_distances(X, centres):
    return (X**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * X @ centres.T


class Steps:
    """Costs of a cold step and of a warm one some iterations on, with the prices to start that from."""

    def __init__(self, n_points, n_clusters, n_features, dtype=np.float64, n_steps=3):
        rng = np.random.default_rng(0)
        self.size = n_points // n_clusters
        X = rng.normal(size=(n_points, n_features))
        self.cold = squared_distances(X, X[rng.choice(n_points, n_clusters, replace=False)]).astype(dtype)
        self.warm = self.cold
        self.prices = None
        for _ in range(n_steps):
            found = assign(self.warm, self.size, self.size, prices=self.prices)
            self.prices = found.prices
            centres = np.stack([X[found.labels == c].mean(axis=0) for c in range(n_clusters)])
            self.warm = squared_distances(X, centres).astype(dtype)

    def solve(self, kind):
        if kind == "cold":
            return assign(self.cold, self.size, self.size)
        return assign(self.warm, self.size, self.size, prices=self.prices)


@pytest.fixture(scope="module")
def small():
    return Steps(10_000, 100, 16)


@pytest.fixture(scope="module", params=["float64", "float32"])
def large(request):
    return Steps(300_000, 100, 16, request.param)


def flow_solver(costs, size):
    """An OR-Tools graph, built and ready to solve."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    n_points, n_clusters = costs.shape
    flow = SimpleMinCostFlow()
    points, clusters = (a.ravel() for a in np.mgrid[:n_points, n_points : n_points + n_clusters])
    flow.add_arcs_with_capacity_and_unit_cost(
        points, clusters, np.ones(points.size, int), np.round(costs * 1000).astype(int).ravel()
    )
    supplies = np.concatenate([np.ones(n_points, int), np.full(n_clusters, -size)])
    flow.set_nodes_supplies(np.arange(supplies.size), supplies)
    return flow


@pytest.mark.parametrize("kind", ["cold", "warm"])
def test_assign(compare, small, kind):
    compare(
        f"n=10,000 k=100, {kind} (quality: cost)",
        "assign",
        lambda: small.solve(kind),
        1,
        lambda found: found.cost,
        rounds=20,
    )


@pytest.mark.parametrize("kind", ["cold", "warm"])
def test_or_tools(compare, small, kind):
    costs = small.cold if kind == "cold" else small.warm
    flow = flow_solver(costs, small.size)
    compare(
        f"n=10,000 k=100, {kind} (quality: cost)",
        "OR-Tools SimpleMinCostFlow",
        flow.solve,
        1,
        lambda _: flow.optimal_cost() / 1000,
        peer=True,
        rounds=3,
    )


@pytest.mark.parametrize("kind", ["cold", "warm"])
def test_assign_in_passes(compare, large, kind):
    group = f"n=300,000 k=100 {large.cold.dtype}, {kind} (quality: cost)"
    compare(group, "assign", lambda: large.solve(kind), 1, lambda found: found.cost, rounds=7)


@pytest.mark.parametrize("kind", ["cold", "warm"])
def test_one_pass(compare, large, kind):
    costs = large.cold if kind == "cold" else large.warm
    group = f"n=300,000 k=100 {costs.dtype}, {kind} (quality: cost)"
    compare(
        group,
        "costs.argmin(axis=1), no sizes",
        lambda: costs.argmin(axis=1),
        1,
        lambda labels: np.take_along_axis(costs, labels[:, None], axis=1).sum(dtype=float),
        peer=True,
        rounds=7,
    )


def test_time_grows_no_faster_than_n_log_n():
    """Prints the slope of log time on log n; n log n has 1.09 over these sizes."""
    sizes, times = (10_000, 100_000, 1_000_000), []
    rng = np.random.default_rng(0)
    for n_points in sizes:
        X = rng.normal(size=(n_points, 16)).astype(np.float32)
        costs = squared_distances(X, X[:50])
        took = []
        for _ in range(4):
            start = time.perf_counter()
            assign(costs, n_points // 50, n_points // 50)
            took.append(time.perf_counter() - start)
        times.append(min(took))
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"\nassign k=50, n = 10^4, 10^5, 10^6: {', '.join(f'{t:.4f} s' for t in times)}; slope {slope:.2f}")
    assert slope < 1.15
