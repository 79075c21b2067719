"""Records of language models as rows of ``fourfold runs``: chosen, sorted, laid out as a sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from ....conf.schema import PathsConfig
from ....errors import UserError
from ...metrics.connection_metrics import CONNECTION_METRICS
from ...metrics.scores import METRICS
from ...tables.sheet import Block, Cell, Line, Sheet
from ..run_list import (
    NAME_SHOWN,
    data_shown,
    dataset_json,
    date_shown,
    metric_shown,
    metrics_json,
    moment,
    place_of,
    told_apart,
)
from ..settings import flat_settings, value_is
from .config import language_config_of
from .record import LanguageRecord
from .titles import FoundLanguageRecord, samples_of, title_of

_HEADS = ("Task", "Data (walls)", "Examples", "Orders")
# Settings of a run that have no part in what its model answers.
_NO_MATTER = {"out", "cache", "dataset.path", "example_walls", "dataset.name", "dataset.split"}
_NO_MATTER |= {f"paths.{item.name}" for item in fields(PathsConfig)}
_NO_MATTER |= {
    "model.concurrency",
    "model.timeout",
    "model.attempts",
    "model.key_variable",
    "model.tokenizer",
}
_NO_MATTER |= {"model.price_in", "model.price_out", "model.batch_size", "dataset.folder_split"}
_GROUPING = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups")


def orders_shown(record: LanguageRecord) -> str:
    """The orders of the clues whose runs a record's metrics are of, with the samples of each: 16×5."""
    samples = samples_of(record) if record.n_seeds > 1 else 1
    return f"{record.n_seeds // samples:,}" + (f"×{samples:,}" if samples > 1 else "")


def settings_of(record: LanguageRecord) -> dict[str, Any]:
    """What filters see: every setting as the command line takes it, ``dataset`` by name too."""
    found = flat_settings(record.config)
    return found | {"dataset": record.dataset.name, "examples": len(record.examples)}


def telling_settings(record: LanguageRecord) -> dict[str, Any]:
    """Every setting that says what a run was, and its walls; not where things lie, nor how fast it went."""
    try:
        config: dict[str, Any] = asdict(language_config_of(record))  # with what an older record does not name
    except UserError:
        config = record.config
    found = {key: value for key, value in flat_settings(config).items() if key not in _NO_MATTER}
    return found | {"dataset.walls": record.dataset.fingerprint[:12]}


def language_test(word: str) -> Callable[[LanguageRecord], bool]:
    """Whether a record fits ``key=value``, as in ``task=2``, ``examples=3`` or ``model=NAME_OR_TITLE``."""
    key, _, value = word.partition("=")
    wanted = value.strip("'\"")

    def fits(record: LanguageRecord) -> bool:
        if key == "model":
            name = str(record.config["model"]["name"])
            called = {name.casefold(), Path(name).name.casefold(), title_of(record).casefold()}
            return wanted.casefold() in called
        settings = settings_of(record)
        return key in settings and value_is(settings[key], wanted)

    return fits


def choose(
    records: Iterable[FoundLanguageRecord], filters: Sequence[str], when: datetime | None, metric: str | None
) -> list[FoundLanguageRecord]:
    """The records that fit the filters and were made from ``when`` on: best first, or the newest first."""
    tests = [language_test(word) for word in filters]
    found = [each for each in records if all(test(each[1]) for test in tests)]
    found = [each for each in found if when is None or moment(each[1].created) >= when]
    found.sort(key=lambda each: moment(each[1].created), reverse=True)
    if metric is None:
        return found

    def place(each: FoundLanguageRecord) -> tuple[bool, float]:
        return place_of(metric, each[1].metrics.get(metric), each[1].dataset)

    return sorted(found, key=place)


def language_list_sheet(records: Sequence[FoundLanguageRecord], title: str) -> Sheet:
    """A row a record: model, task, data, examples, orders, metrics, date, the beginning of its name."""
    names = [name for name in _GROUPING if any(name in record.metrics for _, record in records)]
    names += [name for name in CONNECTION_METRICS if any(name in record.metrics for _, record in records)]
    lines = []
    rows = [
        (
            title_of(each),
            str(each.task),
            data_shown(each.dataset),
            str(len(each.examples)),
            orders_shown(each),
        )
        for _, each in records
    ]
    heads = told_apart(rows, [telling_settings(record) for _, record in records])
    for (folder, record), row, head in zip(records, rows, heads, strict=True):
        cells = [
            *row[1:],
            *(metric_shown(record.metrics.get(name), record.n_seeds) for name in names),
            date_shown(record.created),
            folder.name[:NAME_SHOWN],
        ]
        lines.append(Line(head, folder.name[:NAME_SHOWN], tuple(map(Cell, cells))))
    titles = {name: METRICS[name].title for name in _GROUPING}
    titles |= {name: metric.title for name, metric in CONNECTION_METRICS.items()}
    return Sheet(
        title=title,
        columns=(*_HEADS, *(titles[name] for name in names), "Made", "Record"),
        blocks=tuple(Block(line.head, (line,)) for line in lines),
        caption=(),
        aside=(_HEADS.index("Data (walls)"), len(_HEADS) + len(names)),  # the data and when it was made
    )


def language_json_list(records: Iterable[FoundLanguageRecord]) -> list[dict[str, Any]]:
    """What a program wants to know of each record."""
    return [
        {
            "folder": str(folder),
            "kind": "language_model",
            "name": record.name,
            "created": record.created,
            "title": title_of(record),
            "model": record.config["model"]["name"],
            "task": record.task,
            "examples": len(record.examples),
            "dataset": dataset_json(record.dataset),
            "n_seeds": record.n_seeds,
            "metrics": metrics_json(record.metrics),
            "faults": record.faults,
            "versions": record.versions,
            "timings": record.timings,
            "config": record.config,
        }
        for folder, record in records
    ]
