"""Two records of one kind side by side: where settings differ, and how far apart metrics are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..metrics.scores import METRICS
from ..tables.comparison import share_of
from .envelope import MeasuredRecord
from .settings import setting_differences

if TYPE_CHECKING:
    from .kinds import Kind

R = TypeVar("R", bound=MeasuredRecord)


@dataclass(frozen=True, slots=True)
class MetricPair:
    """A metric of two records; counts are shares where the records are of other walls."""

    a: float
    b: float
    spreads: float | None  # b less a in units of the root of the sum of both variances; None without a spread


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two records give the same answers: numbers for programs, and a sentence."""

    numbers: dict[str, Any] | None  # None where they cannot be compared
    said: str


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """Two records side by side."""

    settings: dict[str, tuple[Any, Any]]
    versions: dict[str, tuple[str | None, str | None]]
    metrics: dict[str, MetricPair]
    in_shares: bool  # counts are percent of all walls or groups, since the walls are others
    agreement: Agreement

    def as_json(self) -> dict[str, Any]:
        """The comparison for programs."""
        return asdict(self) | {"agreement": self.agreement.numbers}


def compare_records(kind: Kind[R], a: tuple[Path, R], b: tuple[Path, R]) -> RecordComparison:
    """Compare two records of a kind; UserError if the files of one cannot be read."""
    first, second = a[1], b[1]
    same_walls = first.dataset.fingerprint == second.dataset.fingerprint
    changed = setting_differences([kind.settings(first), kind.settings(second)])
    return RecordComparison(
        settings={key: (one, two) for key, (one, two) in changed.items()},
        versions=version_differences(first.versions, second.versions),
        metrics=metric_pairs(first, second, not same_walls),
        in_shares=not same_walls,
        agreement=kind.agreement(a, b, same_walls),
    )


def version_differences(
    a: Mapping[str, str | None], b: Mapping[str, str | None]
) -> dict[str, tuple[str | None, str | None]]:
    """The packages whose versions are not the same, and both versions."""
    return {name: (a.get(name), b.get(name)) for name in {**a, **b} if a.get(name) != b.get(name)}


def metric_pairs(a: MeasuredRecord, b: MeasuredRecord, in_shares: bool) -> dict[str, MetricPair]:
    """The metrics that two records have in common, in the order of the paper's tables."""
    names = [*METRICS, *(name for name in a.metrics if name not in METRICS)]
    return {name: _pair(name, a, b, in_shares) for name in names if name in a.metrics and name in b.metrics}


def _pair(name: str, a: MeasuredRecord, b: MeasuredRecord, in_shares: bool) -> MetricPair:
    counts = in_shares and name in METRICS and METRICS[name].total
    of_a, of_b = (share_of(name, record.dataset) / 100 if counts else 1 for record in (a, b))
    one, two = a.metrics[name], b.metrics[name]
    apart = two.mean / of_b - one.mean / of_a
    spread = hypot(one.std / of_a, two.std / of_b)
    spreads = apart / spread if spread > 0 else (0.0 if apart == 0 else None)
    return MetricPair(one.mean / of_a, two.mean / of_b, spreads)
