"""Where a search for prices stands, and moving what is over or under along shortest paths from there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.ascent import measure
from ..kernels.flow_arrays import Arcs, Flow
from ..kernels.limits import PAUSED
from ..kernels.settling import settle_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 1 << 13  # augmentations between two looks at Ctrl-C


def begin_at(labels: Ints, low: Ints, high: Ints, prices: Floats) -> Flow:
    """Where labels and prices ``(k + 1,)`` stand."""
    slack, excess = np.empty(len(low), np.int64), np.empty(len(prices), np.int64)
    measure(labels, low, high, prices, slack, excess)
    return Flow(labels, prices.copy(), slack, excess)


def settle_near(flow: Flow, index: Ints, arcs: Arcs, anchor: Floats, reach: float, capacity: Ints) -> int:
    """Run the kernel on the rows named and their arcs; updates the flow."""
    status = PAUSED
    while status == PAUSED:
        status = settle_rows(index, arcs, capacity, anchor, reach, STEPS, flow)
    return status


def final_prices(flow: Flow, capacity: Ints) -> Floats:
    """Prices without the slack node's: exactly zero where a size is free, else around zero."""
    prices: Floats = flow.prices[:-1] - flow.prices[-1]
    if not np.any(capacity):
        prices -= prices.mean()
        return prices
    # Only rounding can leave a price where a size is free to change.
    prices[(prices > 0) & (flow.slack < capacity) | (prices < 0) & (flow.slack > 0)] = 0.0
    return prices
