"""Constrained k-means from one start: assignments and means in turn, until nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .centre_costs import CentreCosts, move_centres
from .prices import find_prices

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Problem:
    """Points, centred or of length 1, and what is asked of their clusters."""

    X: NDArray[Any]  # (n_points, n_features) float32 or float64
    weights: Floats | None  # (n_points,)
    low: Ints  # (n_clusters,)
    high: Ints  # (n_clusters,)
    cosine: bool
    root: bool  # assign by distances, not by squared ones
    threads: int

    @property
    def kind(self) -> str:
        """The kind of ``CentreCosts``."""
        return "root" if self.root else "cosine" if self.cosine else "squared"

    def assign(self, centres: Floats, prices: Floats | None) -> tuple[Ints, Floats]:
        """Labels of least cost for the centres, and their prices."""
        costs = CentreCosts(self.X, centres, self.weights, self.kind, self.threads)
        return find_prices(costs, self.low, self.high, prices)

    def move(self, labels: Ints, centres: Floats) -> tuple[Floats, Floats, float]:
        """The clusters' new centres, each point's squared distance to its old one, the inertia there.

        A cluster without weight goes to the point that is farthest from its own centre, if any is; the
        next assignment can only gain from that.
        """
        sums, totals, squares, inertia = move_centres(self.X, self.weights, labels, centres, self.threads)
        if self.cosine:
            totals = np.sqrt((sums**2).sum(axis=1))
            inertia /= 2  # |x - c|^2 = 2 (1 - x c) for lengths 1
        filled = totals > 0
        moved = centres.copy()
        moved[filled] = sums[filled] / totals[filled, None]
        empty = np.flatnonzero(~filled)
        if len(empty):
            loss = squares if self.weights is None else squares * self.weights
            farthest = np.argsort(-loss, kind="stable")[: len(empty)]
            for c, i in zip(empty, farthest, strict=False):
                if loss[i] > 0:
                    moved[c] = self.X[i]
        return moved, squares, inertia


@dataclass(frozen=True, slots=True)
class Fit:
    """Where one start led."""

    centres: Floats
    labels: Ints
    inertia: float
    n_iter: int
    prices: Floats
    converged: bool


def iterate(
    problem: Problem,
    centres: Floats,
    max_iter: int,
    tolerance: float,
    report: Callable[[str], None] | None,
    cancelled: NDArray[np.bool_],
) -> Fit:
    """Assign and move in turn until labels stay, or centres nearly do; a last assignment fits the labels.

    ``tolerance`` bounds the sum of the centres' squared moves. Returns early, unfinished, once
    ``cancelled[0]`` is set.
    """
    prices: Floats | None = None
    labels: Ints | None = None
    converged = False
    turn = 0
    for turn in range(1, max_iter + 1):
        before = labels
        labels, prices = problem.assign(centres, prices)
        moved, _, inertia = problem.move(labels, centres)
        shift = float(((moved - centres) ** 2).sum())
        centres = moved
        if report:
            report(f"Iteration {turn:2d}, inertia {inertia:.6g}")
        converged = shift <= tolerance or (before is not None and np.array_equal(before, labels))
        if converged or cancelled[0]:
            if report and converged:
                report(f"Converged at iteration {turn}: centres moved by {shift:.3g} (squared)")
            break
    labels, _ = problem.assign(centres, prices)
    inertia = problem.move(labels, centres)[2]
    assert prices is not None
    return Fit(centres, labels, inertia, turn, prices, converged)
