"""Where a search for prices stands, and moving what is over or under along shortest paths from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.ascent import measure
from ..kernels.pairs import list_pairs, sort_pairs
from ..kernels.transport import settle, start_lists
from ..kernels.transport_dense import PAUSED

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 1 << 12  # augmentations between two looks at Ctrl-C


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
    k = len(room)
    degree = np.diff(starts)
    entry_start = np.concatenate([[0], np.cumsum(degree * (degree - 1) // 2)])
    n_entries = int(entry_start[-1])
    ints = np.empty((6, n_entries), np.int64)
    entry_low, entry_high, list_entry, list_row, entry_place, entry_pair = ints
    n_pairs = list_pairs(
        starts, clusters, entry_start, np.empty(k + 1, np.int64), list_row, entry_low, entry_high, list_entry
    )
    list_key = np.empty(n_entries)
    pair_start, pair_ends = np.empty(n_pairs + 1, np.int64), np.empty((n_pairs, 2), np.int64)
    edge_start, edge_pair, edge_target = (np.empty(m, np.int64) for m in (k + 1, 2 * n_pairs, 2 * n_pairs))
    sort_pairs(
        starts, clusters, values, entry_start, entry_low, entry_high, list_entry, list_key, list_row,
        entry_place, entry_pair, pair_start, pair_ends, np.empty(k + 1, np.int64),
        edge_start, edge_pair, edge_target,
    )  # fmt: skip
    labels = state.labels[index]
    next_up = np.empty((n_pairs, 2), np.int64)
    start_lists(list_row, pair_start, pair_ends, labels, next_up)
    heap = 2 * n_pairs + 2 * k + 2
    dist = np.full(k + 1, np.inf)
    parent, via, touched = np.empty((3, k + 1), np.int64)
    heap_key, heap_node = np.empty(heap), np.empty(heap, np.int64)
    status = PAUSED
    while status == PAUSED:
        status = settle(
            room, anchor, reach, STEPS, starts, clusters, entry_start, entry_place, entry_pair,
            list_key, list_row, pair_start, pair_ends, edge_start, edge_pair, edge_target, next_up,
            dist, parent, via, touched, heap_key, heap_node, labels, state.prices, state.slack, state.excess,
        )  # fmt: skip
    state.labels[index] = labels
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
