"""Costs at centres, sums of clusters, distances, orders and first centres, each against numpy."""

from __future__ import annotations

import naive_kmeans
import numpy as np
import pytest

from fourfold.kernels.centres import finish_costs, sum_clusters, sum_rows
from fourfold.kernels.distances import (
    BLOCK,
    distance_in_gram,
    distance_in_points,
    distances_from_gram,
    distances_from_points,
)
from fourfold.kernels.ordering import draw_orders, in_order
from fourfold.kernels.seeding import kmeans_plus_plus


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("roots", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_costs_are_finished(dtype, roots, weighted):
    rng = np.random.default_rng(0)
    points, centres = rng.normal(size=(20, 4)), rng.normal(size=(3, 4))
    centres[0] = points[0]
    weights = rng.random(20)
    costs = (-2 * points @ centres.T).astype(dtype)
    none = np.empty(0, dtype)
    finish_costs(
        (centres**2).sum(axis=1).astype(dtype),
        (points**2).sum(axis=1).astype(dtype) if roots else none,
        weights.astype(dtype) if weighted else none,
        costs,
    )
    expected = ((points[:, None] - centres) ** 2).sum(axis=2)
    expected = np.sqrt(expected) if roots else expected - (points**2).sum(axis=1, keepdims=True)
    expected *= weights[:, None] if weighted else 1
    rounding = 1e-5 if dtype == np.float32 else 1e-14
    # A root of what rounding left of 0 keeps half the digits.
    np.testing.assert_allclose(
        costs, expected, rtol=rounding, atol=30 * (rounding**0.5 if roots else rounding)
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_clusters_and_of_rows(weighted):
    rng = np.random.default_rng(1)
    points, labels, centres = rng.normal(size=(40, 3)), rng.integers(4, size=40), rng.normal(size=(5, 3))
    weights = rng.random(40) if weighted else np.ones(40)
    given = weights if weighted else np.empty(0)
    sums, totals, squares = np.full((5, 3), 9.0), np.full(5, 9.0), np.empty(40)
    inertia = sum_clusters(points, given, labels, centres, sums, totals, squares)
    for j in range(5):
        inside = labels == j
        np.testing.assert_allclose(sums[j], weights[inside] @ points[inside], rtol=1e-12, atol=1e-12)
        assert totals[j] == pytest.approx(weights[inside].sum(), rel=1e-12)
    expected = ((points - centres[labels]) ** 2).sum(axis=1)
    np.testing.assert_allclose(squares, expected, rtol=1e-12)
    assert inertia == pytest.approx(weights @ expected, rel=1e-12)
    first, second = np.ones(3), np.zeros(3)
    assert sum_rows(points, given, first, second) == pytest.approx(weights.sum(), rel=1e-12)
    np.testing.assert_allclose(first, 1 + weights @ points, rtol=1e-12)
    np.testing.assert_allclose(second, weights @ points**2, rtol=1e-12)


@pytest.mark.parametrize("n_features", [1, BLOCK, BLOCK + 3])
def test_distances(n_features):
    points = np.random.default_rng(2).normal(size=(7, n_features)) + 100
    points[3] = points[5]
    expected = ((points[:, None] - points) ** 2).sum(axis=2)
    distances = np.empty((7, 7))
    distances_from_points(points, np.empty((BLOCK, 7)), distances)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    assert distances[3, 5] == 0
    assert distance_in_points(points, 2, 6) == pytest.approx(expected[2, 6], rel=1e-12)
    gram = points @ points.T
    distances_from_gram(gram, distances)
    np.testing.assert_allclose(distances, expected, atol=1e-8 * n_features)
    assert distances.min() >= 0
    assert distance_in_gram(gram, 4, 4) == 0


def test_orders_hold_each_point_once_and_are_as_likely():
    orders = np.empty((6000, 3), np.int64)
    draw_orders(np.arange(6000, dtype=np.uint64), orders)
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert abs(counts - 1000).max() < 150  # five standard deviations
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(3), (6000, 1)))
    again = np.empty((1, 3), np.int64)
    draw_orders(np.array([77], np.uint64), again)
    np.testing.assert_array_equal(again[0], orders[77])


def test_distances_in_an_order():
    distances, order = np.random.default_rng(3).random((5, 5)), np.array([3, 0, 4, 1, 2])
    permuted = np.empty((5, 5))
    in_order(distances, order, permuted)
    np.testing.assert_array_equal(permuted, distances[np.ix_(order, order)])


def test_first_centres_are_the_oracles():
    rng = np.random.default_rng(4)
    for start in range(40):
        points, order = rng.normal(size=(12, 3)), rng.permutation(12)
        distances = ((points[:, None] - points) ** 2).sum(axis=2)
        centres = np.empty(4, np.int64)
        kmeans_plus_plus(distances, order, 2**40 + 1, start, np.empty(12), centres)
        expected = naive_kmeans.kmeans_plus_plus(points, 4, order, 2**40 + 1, start)
        np.testing.assert_array_equal(order[centres], expected)
