"""The parts of a large assignment, each against a plain computation of the same thing."""

from __future__ import annotations

import numpy as np
import pytest

from fourfold.kernels.ascent import newton_step
from fourfold.kernels.flow_arrays import Arcs, Cheapest, ClusterGraph, PairLists
from fourfold.kernels.pairs import list_pairs, sort_pairs
from fourfold.kernels.scan import gather_arcs, scan_rows
from fourfold.kernels.transport_dense import fill_lists, list_point_into


def run_scan(costs, prices):
    n_points, n_clusters = costs.shape
    row = np.empty(n_clusters)
    labels, seconds = np.empty((2, n_points), np.int64)
    gaps = np.empty(n_points)
    returned = scan_rows(costs, prices, row, row.view(np.int64), labels, seconds, gaps)
    return labels, seconds, gaps, returned


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 17, 128, 129])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_scan_finds_the_two_cheapest(n_clusters, dtype, scale):
    rng = np.random.default_rng(n_clusters)
    costs = (rng.normal(size=(400, n_clusters)) * scale).astype(dtype)
    costs[rng.random(costs.shape) < 0.1] = np.inf
    costs[np.isinf(costs).all(axis=1), 0] = 1
    prices = rng.normal(size=n_clusters) * scale
    labels, seconds, gaps, bad = run_scan(costs, prices)
    reduced = costs + prices
    rows = np.arange(400)
    np.testing.assert_array_equal(labels, reduced.argmin(axis=1))
    cheapest = reduced[rows, labels]
    reduced[rows, labels] = np.inf
    several = np.isfinite(reduced).any(axis=1)
    np.testing.assert_array_equal(seconds[several], reduced.argmin(axis=1)[several])
    true = (reduced.min(axis=1) - cheapest)[several]
    assert np.all(gaps[several] <= true)
    np.testing.assert_allclose(gaps[several], true, rtol=0, atol=1e-11 * scale)
    assert np.all(gaps[~several] == np.inf)
    assert bad == -1


@pytest.mark.parametrize("value", [np.nan, -np.nan, -np.inf])
@pytest.mark.parametrize("n_clusters", [1, 5, 70])
def test_scan_stops_at_a_bad_row(value, n_clusters):
    for column in {0, n_clusters // 2, n_clusters - 1}:
        costs = np.ones((9, n_clusters))
        costs[4, column] = value
        assert run_scan(costs, np.zeros(n_clusters))[3] == 4
        costs[2:4] = np.inf
        assert run_scan(costs, np.zeros(n_clusters))[3] == 2


@pytest.mark.parametrize("n_clusters", [5, 70])
def test_scan_is_not_misled_by_sums_that_overflow(n_clusters):
    costs = np.full((3, n_clusters), 1e308)
    costs[:, 3] = 0.9e308
    labels, _, gaps, bad = run_scan(costs, np.zeros(n_clusters))
    assert bad == -1
    np.testing.assert_array_equal(labels, 3)
    np.testing.assert_allclose(gaps, 0.1e308, rtol=1e-9)


def test_gather_keeps_what_is_in_reach_and_corrects_labels():
    rng = np.random.default_rng(3)
    # An offset of the rows that leaves no digits to a sum, but leaves differences whole.
    costs = rng.integers(0, 50, (300, 7)) + 2.0**52
    prices = rng.integers(-5, 5, 7) + 0.0
    rows = rng.permutation(300)[:120]
    guess = rng.integers(0, 7, 120)
    labels, ends = guess.copy(), np.empty(120, np.int64)
    clusters, values = np.empty(840, np.int64), np.empty(840)
    n_arcs, n_pairs = gather_arcs(costs, rows, prices, 4.0, np.empty(7), labels, ends, clusters, values)
    reduced = (costs - 2.0**52) + prices
    np.testing.assert_array_equal(labels, reduced[rows].argmin(axis=1))
    inside = reduced[rows] <= reduced[rows].min(axis=1, keepdims=True) + 4
    np.testing.assert_array_equal(np.diff(ends, prepend=0), inside.sum(axis=1))
    assert n_pairs == (inside.sum(axis=1) * (inside.sum(axis=1) - 1) // 2).sum()
    np.testing.assert_array_equal(clusters[:n_arcs], np.nonzero(inside)[1])
    expected = (costs[rows] - costs[rows, guess][:, None])[inside]
    np.testing.assert_array_equal(values[:n_arcs], expected)


@pytest.mark.slow
def test_pairs_are_grouped_sorted_and_linked():
    rng = np.random.default_rng(4)
    n_rows, k = 200, 9
    inside = rng.random((n_rows, k)) < 0.4
    inside[inside.sum(axis=1) == 0, 0] = True
    starts = np.append(0, np.cumsum(inside.sum(axis=1)))
    clusters = np.nonzero(inside)[1]
    costs = rng.integers(0, 6, len(clusters)) + 0.0
    degree = np.diff(starts)
    entry_start = np.append(0, np.cumsum(degree * (degree - 1) // 2))
    n_entries = entry_start[-1]
    low, high, entries, rows, place, pair = np.empty((6, n_entries), np.int64)
    arcs = Arcs(starts, clusters, costs)
    n_pairs = list_pairs(arcs, entry_start, np.empty(k + 1, np.int64), rows, low, high, entries)
    key = np.empty(n_entries)
    pair_start, ends = np.empty(n_pairs + 1, np.int64), np.empty((n_pairs, 2), np.int64)
    edge_start, edge_pair, edge_target = (np.empty(m, np.int64) for m in (k + 1, 2 * n_pairs, 2 * n_pairs))
    lists = PairLists(entry_start, low, high, place, pair, entries, key, rows, pair_start, ends)
    sort_pairs(arcs, lists, ClusterGraph(edge_start, edge_pair, edge_target), np.empty(k + 1, np.int64))
    table = {}
    for r in range(n_rows):
        arcs = range(starts[r], starts[r + 1])
        for x in arcs:
            for y in arcs:
                if x < y:
                    table.setdefault((clusters[x], clusters[y]), []).append((costs[y] - costs[x], r))
    assert [tuple(e) for e in ends] == sorted(table)
    for p, both in enumerate(sorted(table)):
        here = slice(pair_start[p], pair_start[p + 1])
        assert list(zip(key[here], rows[here], strict=True)) == sorted(table[both])
        assert np.all(pair[entries[here]] == p)
    np.testing.assert_array_equal(place[entries], np.arange(n_entries))
    links = {(a, edge_target[e]) for a in range(k) for e in range(edge_start[a], edge_start[a + 1])}
    assert links == {(a, b) for a, b in table} | {(b, a) for a, b in table}


def test_newton_step_solves_the_laplacian():
    rng = np.random.default_rng(5)
    n_points, k, window = 4000, 12, 0.5
    labels = rng.integers(k, size=n_points)
    seconds = (labels + 1 + rng.integers(k - 1, size=n_points)) % k
    gaps = rng.random(n_points)
    excess = rng.integers(-20, 20, k)
    excess[0] -= excess.sum()
    pinned = np.zeros(k, bool)
    pinned[3] = True
    step = np.empty(k)
    found = newton_step(
        Cheapest(labels, seconds, gaps), window, excess, pinned, np.empty((n_points, 2), np.int64),
        np.empty((4, k)), step,
    )  # fmt: skip
    assert found == (gaps <= window).sum()
    laplacian = np.zeros((k, k))
    for a, b in zip(labels[gaps <= window], seconds[gaps <= window], strict=True):
        laplacian[[a, b], [a, b]] += 1 / (2 * window)
        laplacian[[a, b], [b, a]] -= 1 / (2 * window)
    free = ~pinned
    want = np.linalg.solve(laplacian[np.ix_(free, free)], excess[free])
    assert step[3] == 0
    np.testing.assert_allclose(step[free], want, rtol=0.05, atol=0.02 * np.abs(want).max())


def test_lists_hold_the_cheapest_moves():
    rng = np.random.default_rng(6)
    costs = rng.integers(0, 30, (80, 5)) + 0.0
    after = np.append(np.arange(1, 60), -1)
    keys, points = np.empty((5, 4)), np.empty((5, 4), np.int64)
    sizes, limits = np.full(5, -1), np.empty(5)
    fill_lists(costs, 0, after, 2, keys, points, sizes, limits)
    for point in range(60, 80):
        list_point_into(costs, point, 2, keys, points, sizes, limits)
    moves = costs - costs[:, 2:3]
    for b in (0, 1, 3, 4):
        best = np.sort(moves[:, b])
        assert sizes[b] == 4
        np.testing.assert_array_equal(keys[b][::-1], best[:4])
        np.testing.assert_array_equal(moves[points[b], b], keys[b])
        assert best[3] <= limits[b] <= best[4]
    assert sizes[2] == 0
