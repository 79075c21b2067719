"""Times assignments and a fit with each constant of ``engine/prices.py`` halved and doubled.

``python benchmarks/flow_constants.py [NAME ...]`` prints, for each constant and each problem, the time as a
share of that with the constant as it stands, measured just before, and the largest difference of the cost:
it must be rounding.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from fourfold import ConstrainedKMeans, assign
from fourfold.engine import prices

REPEATS = 5
STATUSES = {"DONE", "PAUSED", "STUCK", "BEYOND"}


def problems() -> dict[str, Callable[[], float]]:
    """What is timed: each returns the cost or the inertia that it reached."""
    rng = np.random.default_rng(0)
    even, floats = rng.random((20_000, 100)), rng.random((4000, 400)).astype(np.float32)
    groups = rng.normal(size=(12, 8)) * 6
    points = groups[rng.integers(12, size=10_000)] + rng.normal(size=(10_000, 8))
    near = ((points[:, None] - points[None, :60]) ** 2).sum(axis=2)
    tied = rng.integers(0, 6, (6000, 40)).astype(float)
    cloud = rng.normal(size=(20_000, 16))

    def fit() -> float:
        model = ConstrainedKMeans(50, size_min=380, size_max=420, n_init=1, max_iter=12, random_state=0)
        return float(model.fit(cloud).inertia_)

    return {
        "even 20,000x100": lambda: assign(even, 190, 210).cost,
        "float32 4,000x400": lambda: assign(floats, 9, 11).cost,
        "groups 10,000x60": lambda: assign(near, 150, 180).cost,
        "tied 6,000x40": lambda: assign(tied, 150, 150).cost,
        "fit 20,000x16, 50": fit,
    }


def timed(run: Callable[[], float]) -> tuple[float, float]:
    """The least time of some runs, and what was reached."""
    least, value = np.inf, run()
    for _ in range(REPEATS):
        begin = time.perf_counter()
        value = run()
        least = min(least, time.perf_counter() - begin)
    return least, value


def main(names: list[str]) -> None:
    """Print a line for each constant and factor."""
    runs = problems()
    print("| constant | value | factor | " + " | ".join(runs) + " | cost differs by |")
    print("|---|---|---|" + "---|" * (len(runs) + 1))
    constants = [n for n, v in vars(prices).items() if n.isupper() and isinstance(v, int | float)]
    for name in names or [n for n in constants if n not in STATUSES]:
        value = getattr(prices, name)
        standing = {problem: timed(run) for problem, run in runs.items()}
        for factor in (0.5, 2):
            changed = type(value)(value * factor)
            setattr(prices, name, changed)
            cells, apart = [], 0.0
            for problem, run in runs.items():
                seconds, reached = timed(run)
                cells.append(f"{seconds / standing[problem][0]:.2f}")
                apart = max(apart, abs(reached / standing[problem][1] - 1))
            setattr(prices, name, value)
            print(
                f"| {name} | {value:g} | {factor:g} | " + " | ".join(cells) + f" | {apart:.0e} |", flush=True
            )


if __name__ == "__main__":
    main(sys.argv[1:])
