"""Pearson's correlation of two lists of numbers, with confidence intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
LEVEL = 0.95
_AT_ONCE = 100  # draws


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over ``n`` pairs, and its intervals at 95%; None where a side does not vary.

    ``fisher`` takes the pairs for independent. ``bootstrap`` draws whole groups of them, since answers to
    one problem share what they are compared with.
    """

    n: int
    r: float | None
    fisher: tuple[float, float] | None = None
    bootstrap: tuple[float, float] | None = None


def correlation(
    scores: Sequence[float], labels: Sequence[float], groups: Sequence[Hashable], draws: int, seed: int = 0
) -> Correlation:
    """Pearson's r of scores and labels.

    Parameters
    ----------
    scores, labels
        The pairs.
    groups
        The group of each, such as its problem.
    draws
        Draws of the bootstrap; 0 for none.
    seed
        Of the draws.

    Raises
    ------
    ValueError
        If there are not as many of each, or no pairs.

    """
    if not len(scores) == len(labels) == len(groups) or not len(scores):
        raise ValueError(
            f"got {len(scores)} scores, {len(labels)} labels and {len(groups)} groups, expected as many of "
            "each, and some"
        )
    x, y = np.array(scores, np.float64), np.array(labels, np.float64)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(len(x), None)
    found = stats.pearsonr(x, y)
    fisher = None
    if len(x) > 3:
        low, high = found.confidence_interval(LEVEL)
        fisher = (float(low), float(high))
    bootstrap = None
    if draws:
        _, members = np.unique([str(group) for group in groups], return_inverse=True)
        bootstrap = _bootstrap(x, y, members, draws, seed)
    return Correlation(len(x), float(found.statistic), fisher, bootstrap)


def _bootstrap(
    x: Floats, y: Floats, members: NDArray[np.intp], draws: int, seed: int
) -> tuple[float, float] | None:
    """The percentile interval over draws of groups, each as often as it is drawn."""
    x, y = x - x.mean(), y - y.mean()
    n_groups = int(members.max()) + 1
    sums = np.stack(
        [np.bincount(members, values, n_groups) for values in (np.ones_like(x), x, y, x * x, y * y, x * y)]
    )
    rng = np.random.default_rng(seed)
    found: list[Floats] = []
    for start in range(0, draws, _AT_ONCE):
        size = min(_AT_ONCE, draws - start)
        weights = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=size)
        n, sx, sy, sxx, syy, sxy = (weights @ sums.T).T
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append((n * sxy - sx * sy) / np.sqrt((n * sxx - sx**2) * (n * syy - sy**2)))
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    low, high = np.quantile(np.clip(values, -1, 1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
