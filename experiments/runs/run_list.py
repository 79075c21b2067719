"""Records as rows: chosen by their settings and age, sorted by a metric, and laid out as a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from ..metrics.scores import METRICS
from ..tables.comparison import model_title, share_of
from ..tables.sheet import Block, Cell, Line, Sheet
from .encoder.record import Record
from .envelope import DatasetEntry, MetricEntry
from .settings import setting_differences, settings_of, written

NONE = "–"
NAME_SHOWN = 8  # digits of a record's name: enough to tell thousands apart

# The paper's metrics; all are in the record and in JSON.
_SHOWN = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups")

FoundRecord = tuple[Path, Record]


def since(records: Iterable[FoundRecord], when: datetime) -> list[FoundRecord]:
    """The records that were made then or later."""
    return [found for found in records if made_at(found[1]) >= when]


def made_at(record: Record) -> datetime:
    """When a record was made, with its time zone; local time where a hand-made one names none."""
    return moment(record.created)


def moment(created: str) -> datetime:
    """What a record says of when it was made, as a time with its zone."""
    found = datetime.fromisoformat(created)
    return found if found.tzinfo else found.astimezone()


def date_shown(created: str) -> str:
    """The day on which a record was made, here."""
    return moment(created).astimezone().strftime("%Y-%m-%d")


def by_metric(records: Iterable[FoundRecord], metric: str) -> list[FoundRecord]:
    """Best first; counts as shares, so that data sets of other sizes stand where they belong.

    Records without the metric come last, and of equal ones the newest first.
    """

    def place(found: FoundRecord) -> tuple[bool, float]:
        return place_of(metric, found[1].metrics.get(metric), found[1].dataset)

    return sorted(by_age(records), key=place)


def by_age(records: Iterable[FoundRecord]) -> list[FoundRecord]:
    """The newest first."""
    return sorted(records, key=lambda found: made_at(found[1]), reverse=True)


def list_sheet(records: Sequence[FoundRecord], title: str) -> Sheet:
    """A row a record: model, data set, seeds, metrics as mean ± spread, the beginning of its name."""
    lines = []
    heads = _heads([record for _, record in records])
    for (folder, record), head in zip(records, heads, strict=True):
        cells = [
            data_shown(record.dataset),
            f"{record.n_seeds:,}",
            *(metric_shown(record.metrics.get(name), record.n_seeds) for name in _SHOWN),
            date_shown(record.created),
            folder.name[:NAME_SHOWN],
        ]
        lines.append(Line(head, folder.name[:NAME_SHOWN], tuple(map(Cell, cells))))
    return Sheet(
        title=title,
        columns=("Data (walls)", "Seeds", *(METRICS[name].title for name in _SHOWN), "Made", "Record"),
        blocks=tuple(Block(line.head, (line,)) for line in lines),
        caption=("Mean±population standard deviation over the seeds.",) if lines else (),
        aside=(0, 2 + len(_SHOWN)),  # the data and when it was made
    )


def _heads(records: Sequence[Record]) -> list[str]:
    """Each record's model with, where others would look the same, the settings that tell it from them."""
    rows = [(model_title(each), data_shown(each.dataset), str(each.n_seeds)) for each in records]
    return told_apart(rows, [settings_of(record) for record in records])


def told_apart(rows: Sequence[tuple[str, ...]], settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The first of each row's cells with, where rows look the same, the settings that tell them apart."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(rows):
        alike.setdefault(row, []).append(place)
    heads = [row[0] for row in rows]
    for places in alike.values():
        told = setting_differences([settings[place] for place in places])
        for position, place in enumerate(places):
            words = [f"{_short(key)}={written(values[position])}" for key, values in told.items()]
            heads[place] = "\n".join([heads[place], *words])
    return heads


def _short(key: str) -> str:
    return key.rpartition(".")[2]


def data_shown(entry: DatasetEntry) -> str:
    """A record's data set, its split and its number of walls, and of those that were left out."""
    lacks = f", {len(entry.left_out):,} left out" if entry.left_out else ""
    return f"{entry.name}{f' {entry.split}' if entry.split else ''} ({entry.n_walls:,}{lacks})"


def metric_shown(entry: MetricEntry | None, n_seeds: int) -> str:
    """A metric's mean, and its spread where there are several seeds."""
    if entry is None:
        return NONE
    return f"{entry.mean:.1f}±{entry.std:.1f}" if n_seeds > 1 else f"{entry.mean:.1f}"


def place_of(metric: str, entry: MetricEntry | None, dataset: DatasetEntry) -> tuple[bool, float]:
    """Sorts by a metric, best first: counts as shares of their data set, and what lacks the metric last."""
    if entry is None:
        return True, 0.0
    if metric not in METRICS:  # of Task 2: all are shares, and better when higher
        return False, -entry.mean
    sign = 1 if METRICS[metric].better == "lower" else -1
    return False, sign * entry.mean / share_of(metric, dataset)


def dataset_json(entry: DatasetEntry) -> dict[str, Any]:
    """What a program wants to know of a record's data set."""
    shown = {key: getattr(entry, key) for key in ("name", "split", "fingerprint", "n_walls", "n_groups")}
    return shown | {"left_out": [asdict(wall) for wall in entry.left_out], "absent": entry.absent}


def metrics_json(metrics: Mapping[str, MetricEntry]) -> dict[str, Any]:
    """Each metric's mean and spread; the per-seed values are in the record itself."""
    return {name: {"mean": entry.mean, "std": entry.std} for name, entry in metrics.items()}


def as_json(records: Iterable[FoundRecord]) -> list[dict[str, Any]]:
    """What a program wants to know of each record."""
    return [
        {
            "folder": str(folder),
            "kind": "encoder",
            "name": record.name,
            "created": record.created,
            "title": model_title(record),
            "dataset": dataset_json(record.dataset),
            "n_seeds": record.n_seeds,
            "unfinished": record.unfinished,
            "metrics": metrics_json(record.metrics),
            "device": record.device,
            "versions": record.versions,
            "timings": record.timings,
            "config": record.config,
        }
        for folder, record in records
    ]
