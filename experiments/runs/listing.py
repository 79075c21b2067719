"""Records of any kind as rows: chosen by their settings and age, sorted by a metric, laid out as a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..metrics.scores import METRICS
from ..tables.comparison import share_of
from .envelope import DatasetEntry, MeasuredRecord, MetricEntry
from .settings import setting_differences, written

if TYPE_CHECKING:
    from ..tables.sheet import Sheet
    from .kinds import Kind

NONE = "–"
NAME_SHOWN = 8  # digits of a record's name: enough to tell thousands apart

R = TypeVar("R", bound=MeasuredRecord)


def choose(
    kind: Kind[R],
    records: Iterable[tuple[Path, R]],
    filters: Sequence[str],
    when: datetime | None,
    metric: str | None,
) -> list[tuple[Path, R]]:
    """The records that fit the filters and were made from ``when`` on: the newest first, or best first.

    By a metric, counts go as shares, so that data sets of other sizes stand where they belong. Records
    without the metric come last, and of equal ones the newest first.
    """
    tests = [kind.test(word) for word in filters]
    chosen = [each for each in records if all(test(each[1]) for test in tests)]
    chosen = [each for each in chosen if when is None or moment(each[1].created) >= when]
    chosen.sort(key=lambda each: moment(each[1].created), reverse=True)
    if metric is not None:
        chosen.sort(key=lambda each: place_of(metric, each[1].metrics.get(metric), each[1].dataset))
    return chosen


def moment(created: str) -> datetime:
    """What a record says of when it was made, as a time with its zone."""
    time = datetime.fromisoformat(created)
    return time if time.tzinfo else time.astimezone()


def date_shown(created: str) -> str:
    """The day on which a record was made, here."""
    return moment(created).astimezone().strftime("%Y-%m-%d")


def list_sheet(kind: Kind[R], records: Sequence[tuple[Path, R]], title: str) -> Sheet:
    """A row a record: title, the kind's cells, metrics as mean ± spread, date, the beginning of its name."""
    from ..tables.sheet import Block, Cell, Line, Sheet

    names = metrics_of(kind, [record for _, record in records])
    titles = kind.metric_titles()
    rows = [(kind.title(record), *kind.cells(record)) for _, record in records]
    heads = told_apart(rows, [kind.settings(record) for _, record in records])
    lines = []
    for (folder, record), row, head in zip(records, rows, heads, strict=True):
        cells = [
            *row[1:],
            *(metric_shown(record.metrics.get(name), record.n_seeds) for name in names),
            date_shown(record.created),
            folder.name[:NAME_SHOWN],
        ]
        lines.append(Line(head, folder.name[:NAME_SHOWN], tuple(map(Cell, cells))))
    return Sheet(
        title=title,
        columns=(*kind.heads, *(titles.get(name, name) for name in names), "Made", "Record"),
        blocks=tuple(Block(line.head, (line,)) for line in lines),
        caption=kind.caption if lines else (),
        aside=(_data_place(kind.heads), len(kind.heads) + len(names)),  # the data and the date
    )


def _data_place(heads: Sequence[str]) -> int:
    return next(place for place, head in enumerate(heads) if head.startswith("Data"))


def metrics_of(kind: Kind[R], records: Sequence[R]) -> list[str]:
    """The metrics that a list of records shows: the kind's, as far as a record has them."""
    there = dict.fromkeys(name for record in records for name in record.metrics)
    return [name for name in kind.metrics or there if name in there]


def told_apart(rows: Sequence[tuple[str, ...]], settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The first of each row's cells with, where rows look the same, the settings that tell them apart."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(rows):
        alike.setdefault(row, []).append(place)
    heads = [row[0] for row in rows]
    for places in alike.values():
        differences = setting_differences([settings[place] for place in places])
        for position, place in enumerate(places):
            words = [f"{_short(key)}={written(values[position])}" for key, values in differences.items()]
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


def as_json(kind: Kind[R], records: Iterable[tuple[Path, R]]) -> list[dict[str, Any]]:
    """What a program wants to know of each record."""
    return [
        {
            "folder": str(folder),
            "kind": kind.name,
            "name": record.name,
            "created": record.created,
            "title": kind.title(record),
            "dataset": dataset_json(record.dataset),
            "n_seeds": record.n_seeds,
            "metrics": metrics_json(record.metrics),
            "versions": record.versions,
            "timings": record.timings,
            "config": record.config,
        }
        | kind.extra(record)
        for folder, record in records
    ]
