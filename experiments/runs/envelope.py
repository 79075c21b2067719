"""What the records of every kind have in common: walls, metrics, usage, and the checks of these."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import fsum
from typing import Protocol

from ...conf.json_types import Json, shown, typed
from ..data.wall import HumanPerformance, LeftOut
from ..terminal.writing import counted


@dataclass(frozen=True, slots=True)
class DatasetEntry:
    """The walls of a run. ``human`` counts what people solved, where the data says so for every wall.

    ``left_out`` are walls of its files that could not be used, and ``absent`` files of splits without walls.
    """

    name: str
    path: str | None
    split: str | None
    layout: str
    fingerprint: str
    n_walls: int
    n_points: int
    n_groups: int
    human: dict[str, int] | None
    left_out: list[LeftOut] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return counted(self.n_walls, "wall") + self.lacks

    @property
    def lacks(self) -> str:
        """What stands beside the number of walls where its files hold others: `` (1 left out)``."""
        lacks = [f"{len(self.left_out):,} left out"] if self.left_out else []
        lacks += [f"without {' and '.join(self.absent)}"] if self.absent else []
        return f" ({', '.join(lacks)})" if lacks else ""


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """One metric: its value in each run, their mean and their population standard deviation."""

    per_seed: list[float]
    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class UsageEntry:
    """Tokens of all replies and of those that this run paid for; ``cost`` of the latter where it is known.

    ``unknown`` counts the replies that told no number of tokens.
    """

    read: int
    written: int
    paid_read: int
    paid_written: int
    unknown: int
    cost: float | None


class RunRecord(Protocol):
    """A record of any kind, as far as the store, lists and filters need to know it."""

    @property
    def name(self) -> str:
        """16 hexadecimal digits that stand for the run."""
        ...

    @property
    def created(self) -> str:
        """When it was made, ISO 8601."""
        ...

    @property
    def config(self) -> dict[str, Json]:
        """The resolved configuration."""
        ...

    @property
    def dataset(self) -> DatasetEntry:
        """Its walls."""
        ...

    @property
    def versions(self) -> dict[str, str | None]:
        """The versions of what a result may depend on."""
        ...

    @property
    def timings(self) -> dict[str, float]:
        """Seconds a step."""
        ...

    def to_json(self) -> str:
        """The text of the record's file."""
        ...


class MeasuredRecord(RunRecord, Protocol):
    """A record with metrics, a value for each run (or seed)."""

    @property
    def n_seeds(self) -> int:
        """How many runs are scored."""
        ...

    @property
    def metrics(self) -> dict[str, MetricEntry]:
        """By name."""
        ...


def json_object(text: str) -> dict[str, Json]:
    """The JSON object that a record's file holds; ValueError where it holds none."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("no whole JSON: brackets nested too deeply") from error
    except ValueError as error:  # of the JSON, or a number of more digits than Python reads
        raise ValueError(f"no whole JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, got {shown(value)}")
    return value


def check_name(name: str, created: str) -> None:
    """Raise ValueError unless these are a record's name and the time at which it was made."""
    if not re.fullmatch("[0-9a-f]{16}", name):
        raise ValueError(f"name: expected 16 hexadecimal digits, got {shown(name)}")
    try:
        datetime.fromisoformat(created).astimezone()
    except (ValueError, OverflowError) as error:
        raise ValueError(f"created: expected a date and time, got {shown(created)}") from error


def check_dataset(entry: DatasetEntry) -> None:
    """Raise ValueError where there are no walls, or what people solved is not counted."""
    for name in ("n_walls", "n_points", "n_groups"):
        if getattr(entry, name) < 1:
            raise ValueError(f"dataset.{name}: expected at least 1, got {getattr(entry, name)}")
    if entry.human is not None:
        typed(HumanPerformance, entry.human, "dataset.human")


def check_metrics(metrics: Mapping[str, MetricEntry], n_seeds: int) -> None:
    """Raise ValueError where a metric has not a value for each run, or a mean or spread of other values."""
    if n_seeds < 1:
        raise ValueError(f"n_seeds: expected at least 1, got {n_seeds}")
    for name, metric in metrics.items():
        values = metric.per_seed
        if len(values) != n_seeds:
            raise ValueError(
                f"metrics.{name} has {counted(len(values), 'value')} for {counted(n_seeds, 'run')}"
            )
        mean = fsum(values) / n_seeds
        spread = (fsum((value - mean) ** 2 for value in values) / n_seeds) ** 0.5
        slack = 1e-9 * max(1.0, *map(abs, values))
        for what, expected, given in (("mean", mean, metric.mean), ("std", spread, metric.std)):
            if abs(expected - given) > slack:
                raise ValueError(f"metrics.{name}.{what} is {given:g}, and that of its values {expected:g}")
