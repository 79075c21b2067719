"""The assignment of few points against SciPy on expanded seats."""

import itertools

import naive_kmeans
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.kernels.assignment import assign_small, has_equals


def solve(costs, size_min, size_max, prices=None):
    """Labels, sizes and whether there are any; costs (n_points, n_clusters)."""
    n_points, k = costs.shape
    labels, sizes = np.empty(n_points, np.int64), np.empty(k, np.int64)
    found = assign_small(
        np.ascontiguousarray(costs.T, dtype=float),
        np.array(size_min, np.int64),
        np.array(size_max, np.int64),
        np.zeros(k + 1) if prices is None else prices,
        np.empty(k + 1),
        *np.empty((3, k + 1), np.int64),
        np.empty(k, np.int64),
        sizes,
        labels,
    )
    return labels, sizes, found


@st.composite
def problems(draw):
    """Costs (n_points, n_clusters), feasible bounds for each cluster, and prices to start from."""
    k = draw(st.integers(1, 6))
    n = draw(st.integers(k, 18))
    sizes = np.bincount(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)), minlength=k)
    size_min = [draw(st.integers(0, s)) for s in sizes]
    size_max = [draw(st.integers(s, n)) for s in sizes]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        costs = rng.integers(0, 4, (n, k)).astype(float)  # many ties
    else:
        costs = rng.random((n, k)) * 10.0 ** draw(st.integers(-12, 12))
    prices = rng.normal(size=k + 1) * costs.max() * draw(st.sampled_from([0.0, 1.0, 50.0]))
    return costs, size_min, size_max, prices


@settings(deadline=None, max_examples=150)
@given(problems())
def test_cost_equals_scipys_and_sizes_are_honoured(problem):
    costs, size_min, size_max, prices = problem
    labels, sizes, found = solve(costs, size_min, size_max, prices)
    assert found
    np.testing.assert_array_equal(sizes, np.bincount(labels, minlength=costs.shape[1]))
    assert (sizes >= size_min).all()
    assert (sizes <= size_max).all()
    best = naive_kmeans.assign(costs, size_min, size_max)
    rows = np.arange(len(costs))
    np.testing.assert_allclose(
        costs[rows, labels].sum(), costs[rows, best].sum(), rtol=1e-12, atol=1e-12 * costs.max()
    )


def test_squared_costs_not_distances():
    centres, rows = np.array([[0.0, 0.0], [10.0, 0.0]]), np.array([[11.0, 0.0], [20.0, 5.0]])
    costs = ((rows[:, None] - centres[None]) ** 2).sum(axis=2)
    labels, _, _ = solve(costs, [1, 1], [1, 1])
    assert labels.tolist() == [0, 1]
    assert costs[[0, 1], labels].sum() == 246.0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_costs_that_are_not_finite_end_without_a_solution(bad):
    _, _, found = solve(np.full((4, 2), bad), [2, 2], [2, 2])
    assert not found


def test_equals_are_met_where_other_labels_cost_as_little():
    rng = np.random.default_rng(0)
    outcomes = []
    for _ in range(150):
        k, n = rng.integers(1, 4), rng.integers(2, 6)
        costs = rng.integers(0, 4, (k, n)).astype(float)
        sizes = np.bincount(rng.integers(k, size=n), minlength=k)
        low, high = np.maximum(sizes - rng.integers(0, 2, k), 0), sizes + rng.integers(0, 2, k)
        labels, spare, prices = np.empty(n, np.int64), np.empty(k, np.int64), np.zeros(k + 1)
        scratch = np.empty((3, k + 1), np.int64)
        assert assign_small(
            costs, low, high, prices, np.empty(k + 1), *scratch, spare, np.empty(k, np.int64), labels
        )
        met = has_equals(costs, low, high, prices, spare, labels, 1e-9, *scratch[:2], np.empty(n))
        feasible = [
            sum(costs[j, i] for i, j in enumerate(each))
            for each in itertools.product(range(k), repeat=n)
            if (low <= (held := np.bincount(each, minlength=k))).all() and (held <= high).all()
        ]
        assert costs[labels, np.arange(n)].sum() == min(feasible)
        assert met == (feasible.count(min(feasible)) > 1)
        outcomes.append(met)
    assert 20 < sum(outcomes) < 130
