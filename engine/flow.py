"""Where a search for prices stands, and moving what is over or under along shortest paths from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.ascent import measure
from ..kernels.settling import settle_rows
from ..kernels.transport_dense import PAUSED

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 1 << 13  # augmentations between two looks at Ctrl-C


@dataclass(slots=True)
class State:
    """Labels at some prices, and what is still over or under."""

    labels: Ints
    prices: Floats  # (k + 1,), the last is the ground's
    slack: Ints  # (k,)
    excess: Ints  # (k + 1,)


def begin_at(labels: Ints, low: Ints, high: Ints, prices: Floats) -> State:
    """Where labels and prices ``(k + 1,)`` stand."""
    slack, excess = np.empty(len(low), np.int64), np.empty(len(prices), np.int64)
    measure(labels, low, high, prices, slack, excess)
    return State(labels, prices.copy(), slack, excess)


def settle_near(
    state: State,
    index: Ints,
    starts: Ints,
    clusters: Ints,
    values: Floats,
    anchor: Floats,
    reach: float,
    room: Ints,
) -> int:
    """Run the kernel on the arcs given; updates the state."""
    status = PAUSED
    while status == PAUSED:
        status = settle_rows(
            index, starts, clusters, values, room, anchor, reach, STEPS,
            state.labels, state.prices, state.slack, state.excess,
        )  # fmt: skip
    return status


def final_prices(state: State, room: Ints) -> Floats:
    """Prices without the ground's: exactly zero where a size is free, else around zero."""
    prices: Floats = state.prices[:-1] - state.prices[-1]
    if not np.any(room):
        prices -= prices.mean()
        return prices
    # Only rounding can leave a price where a size is free to change.
    prices[(prices > 0) & (state.slack < room) | (prices < 0) & (state.slack > 0)] = 0.0
    return prices
