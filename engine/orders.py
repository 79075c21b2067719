"""Orders of points as they are given: what both ``cluster_batch`` and ``best_partitions`` check."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def refuse_other_rows(orders: NDArray[Any]) -> None:
    """Raise ValueError unless each row of ``orders`` (n_orders, n_points) holds each of its places once."""
    places = np.arange(orders.shape[1])
    held = np.sort(orders, axis=1)
    wrong = np.flatnonzero((held != places).any(axis=1))
    if not wrong.size:
        return
    row = held[wrong[0]]
    outside = row[(row < 0) | (row >= len(row))]
    got = f"{outside[0]}" if outside.size else f"{row[1:][row[1:] == row[:-1]][0]} more than once"
    raise ValueError(
        f"row {wrong[0]} of orders must hold each of 0 to {len(row) - 1} once, got {got}: give the places of "
        "all points in the order in which they are to be met, counted from 0"
    )
