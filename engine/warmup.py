"""Compiling every kernel beforehand, by solving a small problem of each kind."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .assignment import assign
from .batch import cluster_batch
from .estimator import ConstrainedKMeans
from .partition import best_partitions

_METRICS: tuple[Literal["sqeuclidean", "cosine"], ...] = ("sqeuclidean", "cosine")
_COSTS: tuple[Literal["squared", "euclidean"], ...] = ("squared", "euclidean")


@dataclass(frozen=True, slots=True)
class Warmup:
    """What ``warm_up`` did.

    Attributes
    ----------
    compiled : int
        Functions that were compiled, each for one set of types; the others had been stored before.
    seconds : float
        How long it took.
    folder : Path or None
        Where the machine code is stored, unless that failed.
    failure : str or None
        Why it could not be stored, if so.
    """

    compiled: int
    seconds: float
    folder: Path | None
    failure: str | None


def warm_up() -> Warmup:
    """Compile what the public functions use on the CPU, for float32 and float64, and store it for later."""
    from ..kernels.compiled_code import code_folder, why_not_stored
    from ..kernels.jit import KERNELS

    begin = time.perf_counter()
    before = _misses(KERNELS)
    for job in _jobs():
        job()
    compiled = _misses(KERNELS) - before
    seconds, failure = time.perf_counter() - begin, why_not_stored()
    return Warmup(compiled, seconds, code_folder() if failure is None else None, failure)


def _misses(kernels: list[Any]) -> int:
    return sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels)


def _jobs() -> list[Callable[[], Any]]:
    """One call of each kind, small, but large enough for the steps that small problems do without."""
    rng = np.random.default_rng(0)
    walls = rng.normal(size=(2, 16, 3))
    jobs: list[Callable[[], Any]] = [
        partial(cluster_batch, n_clusters=4, gram=walls @ walls.transpose(0, 2, 1), device="cpu"),
        partial(cluster_batch, walls * 1e-140, 4, 4, 4, device="cpu"),  # too small: scaled up and done again
        partial(best_partitions, walls @ walls.transpose(0, 2, 1), 4, 3, device="cpu"),
        partial(best_partitions, group_cost=rng.random((2, 15)), group_size=2, device="cpu"),
        # Too many partitions to list, and so many that they are searched.
        *(
            partial(best_partitions, np.diag(rng.random(n)), size, device="cpu")
            for n, size in ((21, 3), (24, 4))
        ),
    ]
    for dtype in (np.float64, np.float32):
        jobs.append(partial(cluster_batch, walls.astype(dtype), 4, 4, 4, device="cpu"))
        costs = rng.random((4000, 12)).astype(dtype)
        equal = np.repeat(rng.random((2, 12)), 2000, axis=0).astype(dtype)
        sizes = (333, 334)
        jobs += [partial(assign, matrix, *sizes) for matrix in (costs, equal)]
        jobs.append(partial(assign, costs[:24], 2, 2))
        X = rng.normal(size=(14_000, 3)).astype(dtype)
        weights = rng.random(len(X))
        for metric, cost, weight in product(_METRICS, _COSTS, (None, weights)):
            model = ConstrainedKMeans(
                12, 1100, 1200, n_init=1, max_iter=3, metric=metric, assignment_cost=cost, random_state=0
            )
            jobs.append(partial(model.fit, X, sample_weight=weight))
    return jobs
