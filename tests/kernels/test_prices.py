"""The steps between prices, each against a plain computation of the same thing."""

from __future__ import annotations

import numpy as np
import pytest

from fourfold.kernels.ascent import gap_not_exceeded, lower_gaps, measure
from fourfold.kernels.scan import survey_gaps


def test_measure_says_what_is_over_and_keeps_what_the_prices_allow():
    rng = np.random.default_rng(0)
    for _ in range(200):
        k, n = rng.integers(1, 6), rng.integers(1, 30)
        labels = rng.integers(k, size=n)
        low = rng.integers(0, 4, k)
        high = low + rng.integers(0, 4, k)
        prices = np.append(rng.integers(-1, 2, k), 0.0).astype(float)
        slack, excess = np.full(k, -9), np.full(k + 1, -9)
        over = measure(labels, low, high, prices, slack, excess)
        sizes = np.bincount(labels, minlength=k)
        for c in range(k):
            if prices[c] > 0:
                assert slack[c] == high[c] - low[c]
            elif prices[c] < 0:
                assert slack[c] == 0
            else:
                assert slack[c] == np.clip(sizes[c] - low[c], 0, high[c] - low[c])
            assert excess[c] == sizes[c] - low[c] - slack[c]
        assert excess.sum() == 0
        assert over == excess[excess > 0].sum()


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_about_as_many_gaps_are_within_the_one_returned(scale):
    rng = np.random.default_rng(1)
    gaps = rng.random(2000) * scale
    gaps[:20], gaps[20:40] = np.inf, -scale
    for count in (30, 200, 1000, 1900):
        gap = gap_not_exceeded(gaps.view(np.int64), count, np.empty(512, np.int64))
        exact = np.sort(gaps)[count - 1]
        assert exact <= gap <= exact * (1 + 1 / 8)


def test_without_a_gap_above_zero_any_will_do():
    gaps = np.array([0.0, -1.0, np.inf])
    assert gap_not_exceeded(gaps.view(np.int64), 2, np.empty(512, np.int64)) == 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_gaps_are_lowered_by_what_the_moves_may_take(weighted):
    rng = np.random.default_rng(2)
    labels, squares, gaps = rng.integers(3, size=50), rng.random(50), rng.random(50)
    base, slope, shift = rng.random((3, 3))
    weights = rng.random(50) if weighted else np.empty(0)
    expected = gaps - (base[labels] + slope[labels] * np.sqrt(squares)) * (weights if weighted else 1)
    expected -= shift[labels]
    lower_gaps(labels, squares, weights, base, slope, shift, gaps)
    np.testing.assert_allclose(gaps, expected, rtol=1e-14, atol=1e-15)


def test_the_largest_gap_and_the_ties():
    assert survey_gaps(np.array([0.0, 1e-10, 1e-8, 2.0, np.inf, -1.0])) == (2.0, 3)
    assert survey_gaps(np.array([np.inf])) == (0.0, 0)
