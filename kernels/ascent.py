"""A Newton step on the prices: how much to raise and lower them to even out cluster sizes.

The number of points that change sides when a price moves follows from how many are nearly indifferent
between two clusters; that makes the second derivative of the dual a weighted Laplacian on the graph of
the clusters (Kitagawa, Mérigot, Thibert, "Convergence of a Newton algorithm for semi-discrete optimal
transport", 2019, section 1). No exactness here: it only brings prices near.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .flow_arrays import Cheapest, Flow, NewtonScratch
from .jit import kernel

Array = Any


@kernel
def newton_step(
    cheapest: Cheapest,  # IN
    window: float,  # points with a gap up to this count as nearly indifferent
    excess: Array,  # (k,) int64: points too many  IN
    pinned: Array,  # (k,) bool: prices that stay  IN
    ends: Array,  # (n_edges, 2) int64  SCRATCH
    vectors: Array,  # (4 or more, k) float64  SCRATCH
    step: Array,  # (k,) float64: what to add to the prices  OUT
) -> int:
    """Conjugate gradients on the Laplacian; returns the number of nearly indifferent points seen.

    Where more are found than ``ends`` holds, every second, fourth, ... point stands for the rest.
    """
    labels, seconds, gaps = cheapest
    residual, direction, image, scale = vectors[0], vectors[1], vectors[2], vectors[3]
    n_points = labels.shape[0]
    n_clusters = step.shape[0]
    found = 0
    for i in range(n_points):
        if gaps[i] <= window:
            found += 1
    every = 1
    while found > every * ends.shape[0]:
        every *= 2
    n_edges = 0
    seen = 0
    for i in range(n_points):
        if gaps[i] <= window:
            if seen % every == 0:
                ends[n_edges, 0] = labels[i]
                ends[n_edges, 1] = seconds[i]
                n_edges += 1
            seen += 1
    weight = every / (2.0 * window)
    tiny = 1e-3 * weight
    for c in range(n_clusters):
        scale[c] = tiny
        step[c] = 0.0
    for e in range(n_edges):
        scale[ends[e, 0]] += weight
        scale[ends[e, 1]] += weight
    rho = 0.0
    for c in range(n_clusters):
        residual[c] = 0.0 if pinned[c] else float(excess[c])
        direction[c] = residual[c] / scale[c]
        rho += residual[c] * direction[c]
    goal = 1e-4 * rho
    for _ in range(60):
        if rho <= goal:
            break
        for c in range(n_clusters):
            image[c] = tiny * direction[c]
        for e in range(n_edges):
            a = ends[e, 0]
            b = ends[e, 1]
            flow = weight * (direction[a] - direction[b])
            image[a] += flow
            image[b] -= flow
        curve = 0.0
        for c in range(n_clusters):
            if pinned[c]:
                image[c] = 0.0
            curve += direction[c] * image[c]
        length = rho / curve
        before = rho
        rho = 0.0
        for c in range(n_clusters):
            step[c] += length * direction[c]
            residual[c] -= length * image[c]
            rho += residual[c] * residual[c] / scale[c]
        for c in range(n_clusters):
            direction[c] = residual[c] / scale[c] + rho / before * direction[c]
    return found


@kernel
def measure(
    labels: Array,  # (n_points,) int64  IN
    low: Array,  # (k,) int64  IN
    high: Array,  # (k,) int64  IN
    prices: Array,  # (k + 1,) float64; the last is the slack node's  IN
    slack: Array,  # (k,) int64: points above size_min that the cluster may keep  OUT
    excess: Array,  # (k + 1,) int64: what is over, below zero what is lacking  OUT
) -> int:
    """Excess where clusters with a price must be full and those below zero at minimum; returns its sum."""
    k = low.shape[0]
    excess[:] = 0
    for i in range(labels.shape[0]):
        excess[labels[i]] += 1
    free = labels.shape[0]
    over = 0
    for c in range(k):
        above = excess[c] - low[c]
        slack[c] = min(max(above, 0), high[c] - low[c])
        if prices[c] > prices[k]:
            slack[c] = high[c] - low[c]
        elif prices[c] < prices[k]:
            slack[c] = 0
        excess[c] = above - slack[c]
        over += max(excess[c], 0)
        free -= low[c] + slack[c]
    excess[k] = -free
    if excess[k] > 0:
        over += excess[k]
    return over


@kernel
def gap_not_exceeded(
    bits: Array,  # (n_points,) int64: the memory of the gaps  IN
    count: int,
    histogram: Array,  # (512,) int64  SCRATCH
) -> float:
    """A gap, positive, that about ``count`` points do not exceed: a sixteenth too large at most.

    A float's highest bits are its exponent and the start of its digits: eighths of an octave, of which
    the 64 octaves below the largest gap are told apart.
    """
    n_points = bits.shape[0]
    every = max(1, n_points // 2048)
    top = np.int64(0)
    for i in range(0, n_points, every):
        if 0 < bits[i] < np.int64(0x7FF0000000000000):
            top = max(top, bits[i])
    if top == 0:
        return 1.0
    top >>= 49
    histogram[:] = 0
    for i in range(0, n_points, every):
        if bits[i] < np.int64(0x7FF0000000000000):
            histogram[min(max((bits[i] >> 49) - top + 511, 0), 511)] += every
    place = 0
    below = histogram[0]
    while below < count and place < 511:
        place += 1
        below += histogram[place]
    octaves, eighths = divmod(top - 511 + place + 1, 8)
    return (1.0 + eighths / 8.0) * 2.0 ** (octaves - 1023)


@kernel
def propose(
    cheapest: Cheapest,  # IN
    bits: Array,  # (n_points,) int64: the memory of the gaps  IN
    low: Array,  # (k,) int64  IN
    high: Array,  # (k,) int64  IN
    spread: float,  # how many times the overflow the step looks at
    flow: Flow,  # its prices IN, the last of them zero; slack and excess OUT
    scratch: NewtonScratch,  # SCRATCH
    moved: Array,  # (k + 1,) float64: better prices  OUT
) -> tuple[int, float, float]:
    """Better prices by one Newton step; returns what is over now, the step's window and its range."""
    labels = cheapest.labels
    prices, slack, excess = flow.prices, flow.slack, flow.excess
    pinned, histogram, ends, vectors = scratch
    k = low.shape[0]
    over = measure(labels, low, high, prices, slack, excess)
    count = int(min(max(spread * over, 4.0 * k), 0.6 * labels.shape[0]))
    window = gap_not_exceeded(bits, count, histogram)
    for c in range(k):
        pinned[c] = prices[c] == 0 and high[c] > low[c] and excess[c] == 0
    step = vectors[4]
    newton_step(cheapest, window, excess[:k], pinned, ends, vectors, step)
    lowest = highest = 0.0
    for c in range(k):
        lowest = min(lowest, step[c])
        highest = max(highest, step[c])
        target = prices[c] + min(max(step[c], -2 * window), 2 * window)
        # Zero is a corner where a size is free: a price stops there, and leaves it only to drive
        # points away from a cluster above its maximum, or to draw them into one below its minimum.
        side = prices[c] if prices[c] != 0 else float(excess[c])
        if high[c] > low[c] and target * side < 0:
            target = 0.0
        moved[c] = target
    moved[k] = 0.0
    return over, window, highest - lowest


@kernel
def lower_gaps(
    labels: Array,  # (n_points,) int64  IN
    squares: Array,  # (n_points,) float64: squared distances to the old centres  IN
    weights: Array,  # (n_points,) float64, or (0,) for ones  IN
    base: Array,  # (k,) float64: what a gap may shrink by in each cluster  IN
    slope: Array,  # (k,) float64: and by how much more for each unit of distance  IN
    shift: Array,  # (k,) float64: and by the prices  IN
    gaps: Array,  # (n_points,) float64  IN/OUT
) -> None:
    """Lower the gaps by what moves of centres and prices may have taken from them."""
    for i in range(labels.shape[0]):
        c = labels[i]
        shrink = base[c] + slope[c] * math.sqrt(squares[i])
        if weights.shape[0]:
            shrink *= weights[i]
        gaps[i] -= shrink + shift[c]
