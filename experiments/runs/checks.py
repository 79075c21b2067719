"""What the records of every kind must hold, beyond the types of their fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from math import fsum
from typing import TYPE_CHECKING

from ...conf.json_types import Json, shown, typed
from ..data.wall import HumanPerformance

if TYPE_CHECKING:
    from .record import DatasetEntry, MetricEntry


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
            raise ValueError(f"metrics.{name} has {len(values)} values for {n_seeds} runs")
        mean = fsum(values) / n_seeds
        spread = (fsum((value - mean) ** 2 for value in values) / n_seeds) ** 0.5
        slack = 1e-9 * max(1.0, *map(abs, values))
        for what, expected, given in (("mean", mean, metric.mean), ("std", spread, metric.std)):
            if abs(expected - given) > slack:
                raise ValueError(f"metrics.{name}.{what} is {given:g}, and that of its values {expected:g}")
