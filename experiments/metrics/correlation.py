"""Rank correlation over walls, with an interval that knows that a wall's groups hang together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

DRAWS = 1_000
LEAST_WALLS = 10  # below which an interval would say nothing
_DIGITS = 6  # to which values are compared: rounding must not break ties
_BLOCK = 100  # draws at once


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's coefficient and its 95% interval, of as many pairs on as many walls."""

    rho: float
    low: float
    high: float
    n_pairs: int
    n_walls: int


def rank_correlation(first: ArrayLike, second: ArrayLike) -> RankCorrelation | None:
    """Spearman's rank correlation; None where one side is constant or there are too few walls.

    Parameters
    ----------
    first, second : (n_walls,) or (n_walls, n_groups)
        A value for each wall, or for each group of each wall.

    Notes
    -----
    The interval is that of the percentile bootstrap, which draws walls, not pairs, ``DRAWS`` times from a
    fixed seed: groups of one wall are not independent of each other.

    """
    x, y = (np.asarray(side, dtype=np.float64).round(_DIGITS) for side in (first, second))
    if x.shape != y.shape:
        raise ValueError(f"got values of shapes {x.shape} and {y.shape}: expected two of one shape")
    if len(x) < LEAST_WALLS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    x, y = x.reshape(len(x), -1), y.reshape(len(y), -1)
    generator = np.random.default_rng(0)
    drawn = []
    for _ in range(DRAWS // _BLOCK):
        walls = generator.integers(len(x), size=(_BLOCK, len(x)))
        drawn.append(_spearman(x[walls].reshape(_BLOCK, -1), y[walls].reshape(_BLOCK, -1)))
    low, high = np.nanpercentile(np.concatenate(drawn), [2.5, 97.5])
    rho = _spearman(x.reshape(1, -1), y.reshape(1, -1))[0]
    return RankCorrelation(float(rho), float(low), float(high), x.size, len(x))


def _spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row by row, (n_rows,); NaN where one side of a row is constant."""
    from scipy.stats import rankdata

    ranks = [rankdata(side, axis=1) for side in (x, y)]
    a, b = (side - side.mean(axis=1, keepdims=True) for side in ranks)
    spread = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.asarray(np.where(spread > 0, (a * b).sum(axis=1), np.nan) / np.where(spread > 0, spread, 1.0))
