"""Constrained k-means from one start: assignments and means in turn, until nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.ascent import lower_gaps
from .centre_costs import CentreCosts, move_centres
from .costs import Costs, HeldCosts
from .prices import Optimum, find_prices
from .scanning import Scan, scan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SMALL = 1 << 17  # costs that are quicker to hold than to work out again for a few rows


@dataclass(frozen=True)
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

    @cached_property
    def lengths(self) -> NDArray[Any]:
        """The points' squared lengths, (n_points,), in the type of X."""
        return np.asarray(np.einsum("ij,ij->i", self.X, self.X))

    def costs(self, centres: Floats) -> CentreCosts:
        """What the points cost at the centres."""
        lengths = self.lengths if self.root else np.empty(0, self.X.dtype)
        return CentreCosts(self.X, lengths, self.weights, centres, self.kind, self.threads)

    def assign(self, centres: Floats, prices: Floats | None, known: Scan | None = None) -> Optimum:
        """Labels of least cost for the centres, and their prices."""
        centre_costs = self.costs(centres)
        costs: Costs = centre_costs
        if len(self.X) * len(centres) <= SMALL:
            costs = HeldCosts(centre_costs.whole(), self.threads)
        return find_prices(costs, self.low, self.high, prices, known)

    def label(self, centres: Floats, prices: Floats) -> Ints:
        """Labels that depend on nothing else: the same again for a fit's own rows, ties or not."""
        if self.low.any() or np.any(self.high < len(self.X)):
            return self.assign(centres, prices).labels
        # The nearest centre does not depend on a point's weight, and one of weight 0 has a nearest too.
        return scan(replace(self, weights=None).costs(centres), np.zeros(len(centres))).labels

    def still_known(self, found: Optimum, before: Floats, after: Floats, squares: Floats) -> Scan | None:
        """What holds of a scan after centres moved: gaps lowered by what the moves may have taken.

        With ``d`` for the moves, ``|c|^2 - 2 x c`` changes by ``|c + d|^2 - |c|^2 - 2 c' d - 2 (x - c') d``
        whatever ``c'``, here the point's own centre: all but the last term is known exactly, and that is
        at most ``2 |x - c'| |d|``. Hamerly's bounds ("Making k-means even faster", SDM 2010) the same way.
        """
        if found.scan is None:
            return None
        moves = after - before
        lengths = np.sqrt((moves**2).sum(axis=1))
        if self.root:
            base, slope = lengths + lengths.max(), np.zeros(len(moves))
        else:
            factor = 1.0 if self.cosine else 2.0
            own = 0.0 if self.cosine else (after**2).sum(axis=1) - (before**2).sum(axis=1)
            change = own - factor * before @ moves.T  # of cluster j, for a point at centre l
            base = change.diagonal() - change.min(axis=1)
            slope = factor * (lengths + lengths.max())
        # The rounding of costs, computed in the type of X, as if it were a move.
        size = np.sqrt((after**2).sum(axis=1).max())
        rounding = 16 * np.finfo(self.X.dtype).eps
        base, slope = base + rounding * size**2, slope + rounding * size
        none = np.empty(0)
        lower_gaps(
            found.labels, squares, none if self.weights is None else self.weights, base, slope,
            np.zeros(len(moves)), found.scan.gaps,
        )  # fmt: skip
        return found.scan

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
    inertia: float
    n_iter: int
    prices: Floats
    converged: bool  # labels stayed, or centres moved by no more than the tolerance


def iterate(
    problem: Problem,
    centres: Floats,
    max_iter: int,
    tolerance: float,
    report: Callable[..., None] | None,
    cancelled: NDArray[np.bool_],
    alone: bool = False,
) -> Fit:
    """Assign and move in turn until labels stay, or centres nearly do; a last assignment fits the labels.

    ``tolerance`` bounds the sum of the centres' squared moves. A start that is ``alone`` need not know its
    inertia and leaves the last assignment out. ``report`` gets each iteration's number and inertia, and
    once more those of the last, with the moves, where it converged. Returns early, unfinished, once
    ``cancelled[0]`` is set.
    """
    prices = np.zeros(len(centres))
    labels: Ints | None = None
    known: Scan | None = None
    converged = False
    turn = 0
    for turn in range(1, max_iter + 1):
        before = labels
        found = problem.assign(centres, prices if turn > 1 else None, known)
        labels, prices = found.labels, found.prices
        moved, squares, inertia = problem.move(labels, centres)
        known = problem.still_known(found, centres, moved, squares)
        shift = float(((moved - centres) ** 2).sum())
        centres = moved
        if report:
            report(turn, inertia)
        converged = shift <= tolerance or (before is not None and np.array_equal(before, labels))
        if converged or cancelled[0]:
            if report and converged:
                report(turn, inertia, shift)
            break
    inertia = np.nan
    if not alone:
        labels = problem.assign(centres, prices, known).labels
        inertia = problem.move(labels, centres)[2]
    return Fit(centres, inertia, turn, prices, converged)
