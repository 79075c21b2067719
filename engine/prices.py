"""The search for optimal prices, from a sample of the points to all of them.

At optimal prices every point sits in its cheapest cluster, ``argmin(costs + prices)``, and clusters
are over- or underfull only where points are indifferent. Near the optimum only a few points are in
doubt; a pass over the costs finds them, and ``kernels.transport`` settles those exactly.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.ascent import propose
from ..kernels.flow_arrays import Arcs, Cheapest, DenseScratch, Flow, Members, MoveLists, NewtonScratch
from ..kernels.limits import DONE, PAUSED, STUCK
from ..kernels.scan import survey_gaps
from ..kernels.transport_dense import settle_dense
from .costs import Costs, HeldCosts, JitteredCosts, hold, unit_noise
from .flow import begin_at, final_prices, settle_near
from .scanning import Scan, gather, scan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# All below decide how long a search takes, never what it finds: kernels/FLOW.md says why, and what each was
# measured on. `python benchmarks/flow_constants.py` times them at half and twice their values.
FEW_POINTS, FEW_PER_CLUSTER = 64, 8  # points up to which the dense search starts at once
TOO_FAR = 8  # more than one point in so many over: prices come from samples first
WARM_POINTS = 1000  # points a cluster up to which a first pass over all costs no more than samples
SAMPLE_PER_CLUSTER, LEAST_SAMPLE, SAMPLE_GROWTH = 20, 256, 5  # the first sample, and each after it
CHANCE = 0.4  # times sqrt(points * clusters): what a fair draw leaves over on average
NEAR_CHANCE, FAR_CHANCE = 1.3, 2.5  # times chance: a sample's prices are good; or need the dense search
ROUNDS, SAMPLE_ROUNDS = 6, 15  # Newton steps at most: on all points, on a sample
SPREAD, WIDEST, SAMPLE_WIDEST = 3.0, 6.0, 12.0  # times what is over: points that a Newton step looks at
HELPED = 0.6  # a step that leaves more than this share over helped little
EDGES = 200  # nearly indifferent points a cluster that a Newton step keeps
REACH, WINDOWS = 2.5, 2.0  # times the last step, at most so many windows: how far the optimum may be
ENOUGH_WORK, ENOUGH_PER_CLUSTER, ENOUGH_POINTS = 4e-5, 2.0, 60.0  # points over that a flow settles best
TIED = 4  # more than one gap in so many is a tie: noise tells equal rows apart
NOISE = 2.0**-40  # of the largest difference in a row, about 1e-12
TRIES = 3  # flows among the points in reach, each with a wider reach, before the dense search
REACH_GROWTH, GAP_GROWTH = 2.5, 2.0  # times the reach, or the least gap beyond it
LEAST_PAIRS, PAIRS_PER_POINT = 1 << 18, 2  # pairs of arcs up to which the lists of a flow pay
LONGEST_LIST, LIST_ENTRIES = 64, 1 << 22  # moves in a list of the dense search, and in all of its lists
DENSE_STEPS = 64  # augmentations of the dense search between two looks at Ctrl-C
USABLE, USABLE_ROWS = 4.0, 64  # times the spread of so many rows: larger prices would take costs' digits


class InfeasibleError(Exception):
    """Forbidden pairs leave no assignment within the bounds."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """An assignment of least cost."""

    labels: Ints  # (n_points,)
    prices: Floats  # (n_clusters,)
    scan: Scan | None = None  # gaps at these prices, where they are known


def find_prices(
    costs: Costs, low: Ints, high: Ints, prices: Floats | None = None, known: Scan | None = None
) -> Optimum:
    """Optimal labels and prices, for bounds that fit the number of points.

    Parameters
    ----------
    costs : Costs
        What each point costs in each cluster.
    low : (n_clusters,) int64
        Minimum sizes.
    high : (n_clusters,) int64
        Maximum sizes.
    prices : (n_clusters,) float64, optional
        Where to start. They do not change the cost of what is found.
    known : Scan, optional
        What is certain of the rows at ``prices``, such as ``Optimum.scan`` of costs that were nearly the
        same, with gaps lowered by what may have changed.

    Raises
    ------
    InfeasibleError
        Forbidden pairs leave no assignment.
    ValueError
        A row with NaN, -inf or no finite cost.
    """
    n_points, n_clusters = costs.n_points, costs.n_clusters
    if prices is not None and known is None:
        prices = _usable(costs, low, high, prices)
    if n_points <= max(FEW_POINTS, FEW_PER_CLUSTER * n_clusters):
        return _solve_dense(costs, low, high, prices)
    start = np.zeros(n_clusters) if prices is None else prices
    free = not low.any() and np.all(high == n_points)
    too_far = np.inf if free else n_points // TOO_FAR
    near: Near | None = None
    if known is not None or free or (prices is not None and n_points <= WARM_POINTS * n_clusters):
        # As quick to look at all as at a sample.
        near = approach(costs, low, high, start, _enough(costs), ROUNDS, too_far, known)
    if near is None or near.over > too_far:
        start = _sampled_prices(costs, low, high, start, warm=prices is not None)
        near = approach(costs, low, high, start, _enough(costs), ROUNDS)
    most, tied = survey_gaps(near.scan.gaps)
    if TIED * tied > n_points and near.over > n_clusters and not isinstance(costs, JitteredCosts):
        return find_prices(JitteredCosts(costs, _noise(costs)), low, high, prices)
    return _solve_near(costs, low, high, near, most)


def _usable(costs: Costs, low: Ints, high: Ints, prices: Floats) -> Floats | None:
    """Prices to start from, or None where they dwarf the costs, whose digits they would take away."""
    if np.array_equal(low, high):
        prices = prices - prices.mean()
    rows = np.arange(0, costs.n_points, max(1, costs.n_points // USABLE_ROWS))
    sample = costs.rows(rows).astype(np.float64)
    finite = np.isfinite(sample)
    least = np.min(np.where(finite, sample, np.inf), axis=1, keepdims=True)
    spread = np.max(np.where(finite, sample - least, 0.0), initial=0.0)
    return prices if np.max(np.abs(prices)) <= USABLE * spread else None


def _sampled_prices(costs: Costs, low: Ints, high: Ints, prices: Floats, warm: bool) -> Floats:
    """Prices that even out ever larger samples of the points, as far as samples can tell."""
    n_points, n_clusters = costs.n_points, costs.n_clusters
    size = max(SAMPLE_PER_CLUSTER * n_clusters, LEAST_SAMPLE)
    while size * 2 <= n_points:
        start = np.arange(size + 1) * n_points // size
        width = np.diff(start)
        offset = (unit_noise(start[:-1].astype(np.uint64)) * width).astype(np.int64)
        rows = start[:-1] + np.minimum(offset, width - 1)
        # Clusters of one allowed size share the sample's points in proportion; the others' bounds
        # widen to whole numbers. Both together always fit.
        fixed = low == high
        shares = np.concatenate([[0], np.cumsum(np.where(fixed, low, 0))]) * size // n_points
        sample_low = np.where(fixed, np.diff(shares), low * size // n_points)
        sample_high = np.where(fixed, np.diff(shares), -(-high * size // n_points))
        chance = CHANCE * np.sqrt(size * n_clusters)
        sample = HeldCosts(costs.rows(rows), costs.threads)
        enough = NEAR_CHANCE * chance
        near = approach(sample, sample_low, sample_high, prices, enough, SAMPLE_ROUNDS, widest=SAMPLE_WIDEST)
        if warm and near.turn == 0 and near.over <= enough:
            break  # good prices already
        prices = near.prices[:-1]
        if near.over > FAR_CHANCE * chance:
            # Groups of clusters far apart: no small step shows the way from one to the other.
            with suppress(InfeasibleError):  # forbidden pairs of a sample need not bind the whole
                prices = _solve_dense(sample, sample_low, sample_high, prices).prices
        size *= SAMPLE_GROWTH
    return prices


@dataclass(frozen=True, slots=True)
class Near:
    """Prices, what a pass over the costs found at them, and how far they may still be from the optimum."""

    prices: Floats  # (n_clusters + 1,), the last is zero
    scan: Scan
    distance: float
    over: int  # points that some cluster has too many
    turn: int  # the steps it took


def approach(
    costs: Costs,
    low: Ints,
    high: Ints,
    start: Floats,
    enough: float,
    rounds: int,
    too_far: float = np.inf,
    known: Scan | None = None,
    widest: float | None = None,
) -> Near:
    """Newton steps until at most ``enough`` points are over, or a step no longer helps much.

    A step that helped little is followed by one that looks at twice as many points, up to ``widest`` times
    those that are over (``WIDEST`` by default). Where more than ``too_far`` are over at the start, it ends
    there. What is ``known`` at the start saves looking at all rows; so does, later, that prices move by
    little.
    """
    k = costs.n_clusters
    spread = SPREAD
    widest = WIDEST if widest is None else widest
    last = np.inf
    slack, excess = np.empty(k, np.int64), np.empty(k + 1, np.int64)
    scratch = NewtonScratch(
        np.empty(k, np.bool_), np.empty(512, np.int64), np.empty((EDGES * k, 2), np.int64), np.empty((5, k))
    )
    prices = np.append(start, 0.0)
    found = scan(costs, prices[:-1], known)
    best = Near(prices, found, np.inf, 2**62, 0)
    for turn in range(rounds + 1):
        moved = np.empty(k + 1)
        over, window, distance = propose(
            Cheapest(found.labels, found.seconds, found.gaps), found.gaps.view(np.int64), low, high, spread,
            Flow(found.labels, prices, slack, excess), scratch, moved,
        )  # fmt: skip
        if over < best.over:
            best = Near(prices, found, REACH * min(distance, WINDOWS * window), over, turn)
        if over <= enough or turn == rounds or (turn == 0 and over > too_far):
            break
        if over > HELPED * last:
            if spread >= widest:
                break
            spread *= 2
        else:
            spread = SPREAD
        last = over
        change = moved[:-1] - prices[:-1]
        prices = moved
        still = Scan(found.labels, found.seconds, found.gaps - (change.max() - change.min()))
        found = scan(costs, prices[:-1], still, margin=window)
    return best


def _enough(costs: Costs) -> float:
    """How many points may be over before another pass over the costs pays."""
    return max(
        ENOUGH_WORK * costs.n_points * costs.work, ENOUGH_PER_CLUSTER * costs.n_clusters, ENOUGH_POINTS
    )


def _solve_near(costs: Costs, low: Ints, high: Ints, near: Near, most: float) -> Optimum:
    """Settle what is over or under near the prices given; ``most`` is the largest gap there."""
    n_points = costs.n_points
    capacity = high - low
    prices = near.prices
    labels, gaps = near.scan.labels, near.scan.gaps
    state = begin_at(labels, low, high, prices)
    reach = near.distance
    for _ in range(TRIES):
        index = _scattered(np.flatnonzero(gaps <= reach))
        gathered = gather(
            costs, index, labels, prices[:-1], reach, max(LEAST_PAIRS, PAIRS_PER_POINT * n_points)
        )
        if gathered is None:
            break
        starts, clusters, values, exact = gathered
        if np.any(exact != labels[index]):
            labels[index] = exact
        if state.labels is labels:
            state = begin_at(labels.copy(), low, high, prices)
        status = settle_near(state, index, Arcs(starts, clusters, values), prices[:-1], reach, capacity)
        if status == DONE:
            change = state.prices[:-1] - prices[:-1]
            gaps = gaps - (change.max() - change.min())
            gaps[index] = -1.0  # what moved must be looked at again
            final = final_prices(state, capacity)
            return Optimum(state.labels, final, Scan(state.labels, near.scan.seconds, gaps))
        reach = max(REACH_GROWTH * reach, GAP_GROWTH * float(np.min(gaps[gaps > reach], initial=most)))
    return _solve_dense(costs, low, high, state.prices, state)


def _solve_dense(
    costs: Costs, low: Ints, high: Ints, prices: Floats | None, state: Flow | None = None
) -> Optimum:
    """Settle what is over or under, whatever points must move: from the state, or all anew."""
    n_points, k = costs.n_points, costs.n_clusters
    held = hold(costs)
    if state is None:
        start = np.zeros(k + 1)
        if prices is not None:
            start[:-1] = prices[:k]
        scan(costs, start[:-1])  # refuses bad rows
        labels = np.empty(n_points, np.int64)
        for first in range(0, n_points, 4096):
            block = held[first : first + 4096].astype(np.float64)
            block -= block.min(axis=1, keepdims=True)
            labels[first : first + 4096] = (block + start[:-1]).argmin(axis=1)
        state = begin_at(labels, low, high, start)
    order = np.lexsort((unit_noise(np.arange(n_points, dtype=np.uint64)), state.labels))
    ends = np.flatnonzero(np.diff(state.labels[order], append=-1))
    after, before, heads = np.full(n_points, -1), np.full(n_points, -1), np.full(k, -1)
    after[order[:-1]] = order[1:]
    after[order[ends]] = -1
    before[order[1:]] = order[:-1]
    first_of_each = order[np.append(0, ends[:-1] + 1)]
    before[first_of_each] = -1
    heads[state.labels[first_of_each]] = first_of_each
    length = int(max(1, min(LONGEST_LIST, -(-n_points // k), LIST_ENTRIES // k**2)))
    lists = MoveLists(
        np.empty((k, k, length)), np.empty((k, k, length), np.int64), np.full((k, k), -1), np.empty((k, k))
    )
    members = Members(after, before, heads)
    scratch = DenseScratch(np.empty(k + 1), np.empty(k + 1, np.int64), np.empty(k + 1, np.bool_))
    status = PAUSED
    while status == PAUSED:
        status = settle_dense(held, high - low, DENSE_STEPS, lists, members, scratch, state)
    if status == STUCK:
        raise InfeasibleError
    return Optimum(state.labels, final_prices(state, high - low))


def _scattered(index: Ints) -> Ints:
    """The rows in an order without a pattern, which decides which of equal rows is moved.

    Data often lie sorted by class: rows taken by their places would put equal rows of a class together.
    """
    return index[np.argsort(unit_noise(index.astype(np.uint64)))]


def _noise(costs: Costs) -> float:
    """The size of noise that no digit of the costs would show."""
    spread = size = 0.0
    for first in range(0, costs.n_points, costs.block_rows):
        block = costs.block(first, min(costs.n_points, first + costs.block_rows)).astype(np.float64)
        size = max(size, np.max(np.abs(block[np.isfinite(block)]), initial=0.0))
        block -= block.min(axis=1, keepdims=True)
        spread = max(spread, np.max(block[np.isfinite(block)], initial=0.0))
    return float(spread or size or 1e-280) * NOISE
