"""The search for optimal prices, from a sample of the points to all of them.

At optimal prices every point sits in its cheapest cluster, ``argmin(costs + prices)``, and clusters
are over- or underfull only where points are indifferent. Near the optimum only a few points are in
doubt; a pass over the costs finds them, and ``kernels.transport`` settles those exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.ascent import newton_step
from ..kernels.transport_dense import DONE, PAUSED, STUCK, settle_dense
from .costs import Costs, HeldCosts, JitteredCosts, Scan, gather, scan, unit_noise
from .flow import begin_at, final_prices, settle_near

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class InfeasibleError(Exception):
    """Forbidden pairs leave no assignment within the bounds."""


def find_prices(costs: Costs, low: Ints, high: Ints, prices: Floats | None = None) -> tuple[Ints, Floats]:
    """Optimal labels (n_points,) and prices (n_clusters,) for bounds that fit the number of points.

    Raises InfeasibleError where forbidden pairs leave no assignment, ValueError for NaN or -inf.
    """
    n_points, n_clusters = costs.n_points, costs.n_clusters
    if prices is not None:
        prices = _usable(costs, low, high, prices)
    if n_points <= max(64, 8 * n_clusters):
        return _solve_dense(costs, low, high, prices)
    start = np.zeros(n_clusters) if prices is None else prices
    start = _sampled_prices(costs, low, high, start, warm=prices is not None)
    found = _solve_near(costs, low, high, start)
    if found is None and not isinstance(costs, JitteredCosts):
        return find_prices(JitteredCosts(costs, _noise(costs)), low, high, prices)
    return found or _solve_dense(costs, low, high, start)


def _usable(costs: Costs, low: Ints, high: Ints, prices: Floats) -> Floats | None:
    """Prices to start from, or None where they dwarf the costs, whose digits they would take away."""
    if np.array_equal(low, high):
        prices = prices - prices.mean()
    rows = np.arange(0, costs.n_points, max(1, costs.n_points // 256))
    sample = costs.rows(rows).astype(np.float64)
    finite = np.isfinite(sample)
    least = np.min(np.where(finite, sample, np.inf), axis=1, keepdims=True)
    spread = np.max(np.where(finite, sample - least, 0.0), initial=0.0)
    return prices if np.max(np.abs(prices)) <= 4 * spread else None


def _sampled_prices(costs: Costs, low: Ints, high: Ints, prices: Floats, warm: bool) -> Floats:
    """Prices that even out samples of the points, each five times the last, as far as samples can tell."""
    n_points, n_clusters = costs.n_points, costs.n_clusters
    size = max(20 * n_clusters, 256)
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
        chance = 0.4 * np.sqrt(size * n_clusters)  # what a fair draw leaves over on average
        near = approach(HeldCosts(costs.rows(rows)), sample_low, sample_high, prices, 1.3 * chance, 15)
        if warm and near.rounds == 0:
            break  # good prices already
        prices = near.prices
        size *= 5
    return prices


@dataclass(frozen=True, slots=True)
class Near:
    """Prices, what a pass over the costs found at them, and how far they may still be from the optimum."""

    prices: Floats
    scan: Scan
    distance: float
    rounds: int


def approach(costs: Costs, low: Ints, high: Ints, prices: Floats, enough: float, rounds: int) -> Near:
    """Newton steps until at most ``enough`` points are over, or a step no longer helps much."""
    n_points, k = costs.n_points, costs.n_clusters
    room = high - low
    spread = 3.0  # how many times the overflow the step looks at
    best: Near | None = None
    least, last = np.inf, np.inf
    edges, scratch, step = np.empty((200 * k, 2), np.int64), np.empty((4, k)), np.empty(k)
    for turn in range(rounds + 1):
        found = scan(costs, prices)
        state = begin_at(found.labels, low, high, np.append(prices, 0.0))
        over = int(state.excess[state.excess > 0].sum())
        window = _window(found.gaps, int(min(max(spread * over, 4 * k), 0.6 * n_points)))
        excess = state.excess[:-1]
        pinned = (prices == 0) & (room > 0) & (excess == 0)
        newton_step(found.labels, found.seconds, found.gaps, window, excess, pinned, edges, *scratch, step)
        if over < least:
            least = over
            best = Near(prices, found, 2.5 * min(np.ptp(step), 2 * window), turn)
        if over <= enough:
            break
        if over > 0.6 * last:
            if spread >= 12:
                break
            spread *= 2
        else:
            spread = 3.0
        last = over
        moved = prices + np.clip(step, -2 * window, 2 * window)
        crossed = (room > 0) & (np.sign(moved) * np.sign(prices) < 0)
        moved[crossed] = 0.0
        prices = moved
    assert best is not None
    return best


def _window(gaps: Floats, count: int) -> float:
    """A gap that about ``count`` rows do not exceed; positive."""
    stride = max(1, len(gaps) // 8192)
    sample = gaps[::stride]
    place = min(len(sample) - 1, max(1, count // stride))
    window = np.partition(sample, place)[place]
    if not 0 < window < np.inf:
        usable = sample[(sample > 0) & (sample < np.inf)]
        window = usable.min() if len(usable) else 1.0
    return float(window)


def _solve_near(costs: Costs, low: Ints, high: Ints, start: Floats) -> tuple[Ints, Floats] | None:
    """Settle what is over or under near the prices given; None where too many points are in doubt."""
    n_points, k = costs.n_points, costs.n_clusters
    room = high - low
    limit = max(1 << 20, 8 * n_points)
    prices = np.append(start, 0.0)
    for turn in range(30):
        near = approach(
            costs,
            low,
            high,
            prices[:-1] - prices[-1],
            max(4e-5 * n_points * k, 1.5 * k),
            6 if turn == 0 else 0,
        )
        prices = np.append(near.prices, 0.0)
        labels, gaps = near.scan.labels, near.scan.gaps
        state = begin_at(labels, low, high, prices)
        reach = near.distance
        most = np.max(gaps[np.isfinite(gaps)], initial=0.0)
        last = False
        while True:
            index = np.flatnonzero(gaps <= reach)
            arcs = gather(costs, index, state.labels, prices[:-1], reach, limit)
            if arcs is None:
                last = True
                reach = min(reach, 2 * most) / 4 if reach > most * 2.0**-40 else 0.0
                if reach == 0.0:
                    return None
                continue
            starts, clusters, values, exact = arcs
            if state.labels is labels and np.any(exact != labels[index]):
                labels[index] = exact
                state = begin_at(labels, low, high, prices)
            status = settle_near(state, index, starts, clusters, values, prices[:-1], reach, room)
            if status == DONE:
                return state.labels, final_prices(state, room)
            if last:
                break
            if reach >= most:
                if status == STUCK and reach == np.inf:
                    raise InfeasibleError
                reach = np.inf
            else:
                reach = max(2.5 * reach, 2 * float(np.min(gaps[gaps > reach], initial=most)))
        if np.array_equal(prices, state.prices):
            return None
        prices = state.prices
    return None


def _solve_dense(costs: Costs, low: Ints, high: Ints, prices: Floats | None) -> tuple[Ints, Floats]:
    """All points at once, without samples or lists."""
    n_points, k = costs.n_points, costs.n_clusters
    start = np.zeros(k + 1)
    if prices is not None:
        start[:-1] = prices
    scan(costs, start[:-1])  # refuses bad rows
    held = np.empty((n_points, k))
    for begin in range(0, n_points, costs.block_rows):
        end = min(n_points, begin + costs.block_rows)
        held[begin:end] = costs.block(begin, end)
    held -= held.min(axis=1, keepdims=True)
    labels = (held + start[:-1]).argmin(axis=1)
    state = begin_at(labels, low, high, start)
    members = np.empty(n_points, np.int64)
    heads = np.full(k, -1)
    for i, c in enumerate(labels):
        members[i] = heads[c]
        heads[c] = i
    links, movers, stale = np.empty((k, k)), np.empty((k, k), np.int64), np.ones(k, np.bool_)
    dist, parent, closed = np.empty(k + 1), np.empty(k + 1, np.int64), np.empty(k + 1, np.bool_)
    status = PAUSED
    while status == PAUSED:
        status = settle_dense(
            held, high - low, 64, links, movers, stale, members, heads, dist, parent, closed,
            labels, state.prices, state.slack, state.excess,
        )  # fmt: skip
    if status == STUCK:
        raise InfeasibleError
    return labels, final_prices(state, high - low)


def _noise(costs: Costs) -> float:
    """The size of noise that no digit of the costs would show."""
    spread = 0.0
    for begin in range(0, costs.n_points, costs.block_rows):
        block = costs.block(begin, min(costs.n_points, begin + costs.block_rows)).astype(np.float64)
        block -= block.min(axis=1, keepdims=True)
        spread = max(spread, np.max(block[np.isfinite(block)], initial=0.0))
    return float(spread or 1.0) * 2.0**-40
