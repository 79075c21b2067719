"""The order in which a run sees a wall's clues, and the order that decides between what is equal.

Files of walls list clues by group: nothing may be told apart by a clue's place in them. Runs of k-means meet
the clues in the paper's orders. What has no order of its own (exact partitions, features, nearest clues,
games) meets them in an order drawn by the wall's clues themselves, so that a file in another order changes
nothing, and equal vectors on different walls are told apart independently.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def clue_order(run: int, n_points: int) -> list[int]:
    """The places of a wall's clues in one run's order: those of ``random.Random(run).sample(clues, n)``."""
    return random.Random(run).sample(range(n_points), n_points)


def clue_orders(n_runs: int, n_points: int) -> NDArray[np.int64]:
    """The orders of runs 0 to ``n_runs - 1``, (n_runs, n_points), the same on all walls, as in the paper."""
    return np.array([clue_order(run, n_points) for run in range(n_runs)], dtype=np.int64)


def wall_order(clues: Sequence[str], run: int = 0) -> list[int]:
    """The places of a wall's clues in an order drawn at random by the run and the clues' texts.

    The texts in this order do not depend on the order that the wall lists them in. A clue that stands on
    the wall twice has the place that is listed first at a place of the order that is drawn.
    """
    listed = sorted(range(len(clues)), key=clues.__getitem__)
    key = json.dumps([run, [clues[place] for place in listed]])
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    return random.Random(seed).sample(listed, len(listed))


def wall_orders(walls: Sequence[Sequence[str]], n_runs: int = 1) -> NDArray[np.int64]:
    """``wall_order`` of each wall in runs 0 to ``n_runs - 1``, (n_walls, n_runs, n_points)."""
    return np.array([[wall_order(clues, run) for run in range(n_runs)] for clues in walls], dtype=np.int64)
