"""Two records side by side: where settings differ, how far apart metrics are, how far groups agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...metrics.agreement import adjusted_rand, correct_groups, dense_ranks, overlap
from ...metrics.scores import METRICS
from ...tables.comparison import share_of
from ..envelope import DatasetEntry, MetricEntry
from ..settings import differences
from ..store import read_labels
from .record import Record

BLOCK_LABELS = 1 << 20  # compared at a time


class Measured(Protocol):
    """A record of any kind, as far as its metrics go."""

    @property
    def dataset(self) -> DatasetEntry:
        """Its walls."""
        ...

    @property
    def metrics(self) -> dict[str, MetricEntry]:
        """What was measured."""
        ...


@dataclass(frozen=True, slots=True)
class MetricPair:
    """A metric of two records; counts are shares where the records are of other walls."""

    a: float
    b: float
    spreads: float | None  # b less a in units of the root of the sum of both variances; None without a spread


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two records group the same walls alike, over the seeds that both have."""

    n_seeds: int
    same_walls: float  # the share of walls and seeds that are grouped alike altogether
    same_groups: float  # the share of groups that are in both
    ari: float  # the mean adjusted Rand index of the one against the other, at most 1


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What ``compare_runs`` found."""

    settings: dict[str, tuple[Any, Any]]
    versions: dict[str, tuple[str | None, str | None]]
    metrics: dict[str, MetricPair]
    in_shares: bool  # counts are percent of all walls or groups
    agreement: Agreement | None  # None where the walls are others


def compare_runs(a: tuple[Path, Record], b: tuple[Path, Record]) -> RunComparison:
    """Compare two records; UserError if the labels of one cannot be read."""
    first, second = a[1], b[1]
    same_walls = first.dataset.fingerprint == second.dataset.fingerprint
    return RunComparison(
        settings={key: (one, two) for key, (one, two) in differences([first, second]).items()},
        versions=version_differences(first.versions, second.versions),
        metrics=metric_pairs(first, second, not same_walls),
        in_shares=not same_walls,
        agreement=_agreement(read_labels(*a), read_labels(*b)) if same_walls else None,
    )


def version_differences(
    a: Mapping[str, str | None], b: Mapping[str, str | None]
) -> dict[str, tuple[str | None, str | None]]:
    """The packages whose versions are not the same, and both versions."""
    return {name: (a.get(name), b.get(name)) for name in {**a, **b} if a.get(name) != b.get(name)}


def metric_pairs(a: Measured, b: Measured, in_shares: bool) -> dict[str, MetricPair]:
    """The metrics that two records have in common, in the order of the paper's tables."""
    names = [*METRICS, *(name for name in a.metrics if name not in METRICS)]
    return {name: _pair(name, a, b, in_shares) for name in names if name in a.metrics and name in b.metrics}


def _pair(name: str, a: Measured, b: Measured, in_shares: bool) -> MetricPair:
    counts = in_shares and name in METRICS and METRICS[name].total
    of_a, of_b = (share_of(name, record.dataset) / 100 if counts else 1 for record in (a, b))
    one, two = a.metrics[name], b.metrics[name]
    apart = two.mean / of_b - one.mean / of_a
    spread = hypot(one.std / of_a, two.std / of_b)
    spreads = apart / spread if spread > 0 else (0.0 if apart == 0 else None)
    return MetricPair(one.mean / of_a, two.mean / of_b, spreads)


def _agreement(a: NDArray[Any], b: NDArray[Any]) -> Agreement:
    """Compare labels (n_walls, n_seeds, n_points); one seed is compared with each of the other's."""
    of_both = (a.shape[1], b.shape[1])
    n_seeds = max(of_both) if 1 in of_both else min(of_both)
    a, b = (labels[:, :n_seeds] for labels in (a, b))
    shape = (a.shape[0], n_seeds, a.shape[2])
    a, b = (np.broadcast_to(labels, shape) for labels in (a, b))
    at_once = max(1, BLOCK_LABELS // (n_seeds * shape[2]))
    n_same = n_groups = of_groups = 0
    ari = 0.0
    for start in range(0, shape[0], at_once):
        ranks = [dense_ranks(labels[start : start + at_once].astype(np.int64)) for labels in (a, b)]
        pair = overlap(*ranks)
        n_same += int(pair.equal.sum())
        n_groups += int(correct_groups(pair).sum())
        of_groups += int((ranks[0].max(axis=-1) + 1).sum())
        ari += float(adjusted_rand(pair).sum())
    n_fits = shape[0] * n_seeds
    return Agreement(n_seeds, n_same / n_fits, n_groups / of_groups, ari / n_fits)
