"""The order in which a run sees a wall's clues."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray


def clue_order(run: int, n_points: int) -> list[int]:
    """The places of a wall's clues in one run's order: those of ``random.Random(run).sample(clues, n)``."""
    return random.Random(run).sample(range(n_points), n_points)


def clue_orders(n_runs: int, n_points: int) -> NDArray[np.int64]:
    """The orders of runs 0 to ``n_runs - 1``, (n_runs, n_points)."""
    return np.array([clue_order(run, n_points) for run in range(n_runs)], dtype=np.int64)
