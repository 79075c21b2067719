"""Rank correlation and its interval."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from fourfold.experiments.metrics.correlation import rank_correlation


def test_the_coefficient_is_scipys_with_ties():
    generator = np.random.default_rng(1)
    x, y = generator.integers(0, 5, 200), generator.integers(0, 5, 200)
    y = y + x
    found = rank_correlation(x, y)
    assert found.rho == pytest.approx(spearmanr(x, y).statistic)
    assert found.low < found.rho < found.high
    assert (found.n_pairs, found.n_walls) == (200, 200)
    assert found == rank_correlation(x, y)
    assert rank_correlation(x, -y).rho == pytest.approx(-found.rho)


def test_the_interval_of_independent_walls_is_about_the_textbooks():
    generator = np.random.default_rng(2)
    x = generator.normal(size=400)
    found = rank_correlation(x, x + generator.normal(size=400))
    # Bonett and Wright 2000
    width = 2 * 1.96 * np.sqrt((1 + found.rho**2 / 2) / (400 - 3)) * (1 - found.rho**2)
    assert found.high - found.low == pytest.approx(width, rel=0.15)


def test_groups_that_hang_together_widen_the_interval():
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=(2, 100))
    alone = rank_correlation(x, y)
    fourfold = rank_correlation(
        np.repeat(x[:, np.newaxis], 4, axis=1), np.repeat(y[:, np.newaxis], 4, axis=1)
    )
    assert fourfold.rho == pytest.approx(alone.rho, abs=1e-9)
    assert fourfold.high - fourfold.low == pytest.approx(alone.high - alone.low, rel=0.01)
    assert (fourfold.n_pairs, fourfold.n_walls) == (400, 100)


def test_there_is_none_of_what_is_constant_or_of_few_walls():
    assert rank_correlation(np.ones(50), np.arange(50)) is None
    assert rank_correlation(np.arange(50), 0.1 + np.arange(50) * 1e-12) is None
    assert rank_correlation(np.arange(9), np.arange(9)) is None
    assert rank_correlation(np.arange(10), np.arange(10)).rho == pytest.approx(1)


def test_sides_that_do_not_fit_are_told():
    with pytest.raises(ValueError, match=r"shapes \(3,\) and \(4,\)"):
        rank_correlation(np.ones(3), np.ones(4))
