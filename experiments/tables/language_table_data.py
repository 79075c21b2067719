"""The numbers of Tables 4, 5, 9 and 10 in full, for other programs: one JSON document, or CSV lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..metrics.scores import METRICS
from ..runs.envelope import DatasetEntry
from ..runs.language_model.record import LanguageRecord
from ..runs.language_model.titles import COUNTS, FoundLanguageRecord, check_dataset, title_of
from .frame import csv_text
from .paper.encoders import COLUMNS
from .paper.language_models import ABOUT_SIDE_BY_SIDE, LANGUAGE_TABLES, SIDE_BY_SIDE, LanguageTable
from .record_choice import choose_records, unlike_paper

_HEADS = (
    "source",
    "model",
    "examples",
    "record",
    "created",
    "dataset",
    "split",
    "n_walls",
    "n_runs",
    "unlike_paper",
)


@dataclass(frozen=True, slots=True)
class _Row:
    """A published row, a record's, or people's; ``metrics`` have a mean, a spread and for counts a share."""

    source: str  # paper, ours, people by the paper, people by the data
    model: str
    examples: int | None
    dataset: str
    split: str | None
    n_walls: int
    n_runs: int | None
    metrics: dict[str, dict[str, float]]
    record: str = ""
    created: str = ""
    unlike_paper: str = ""


def language_json(
    number: int, records: Sequence[FoundLanguageRecord], dataset: str | None = None, every: bool = False
) -> str:
    """Everything that the table shows, and counts also as shares; arguments as of ``language_sheet``."""
    rows = list(_rows(number, records, dataset, every))
    about = ABOUT_SIDE_BY_SIDE if number == SIDE_BY_SIDE else LANGUAGE_TABLES[number].about
    document = {
        "table": number,
        "about": about,
        "spread": "population standard deviation over the orders of the clues and the samples of each",
        "rows": [
            {
                "source": row.source,
                "model": row.model,
                "examples": row.examples,
                "record": row.record or None,
                "created": row.created or None,
                "dataset": row.dataset,
                "split": row.split,
                "n_walls": row.n_walls,
                "n_runs": row.n_runs,
                "unlike_paper": row.unlike_paper or None,
                "metrics": row.metrics,
            }
            for row in rows
        ],
        "left_out": _left_out(number, records, dataset, every),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def language_csv(
    number: int, records: Sequence[FoundLanguageRecord], dataset: str | None = None, every: bool = False
) -> str:
    """A line for each published row, each record and what people solved."""
    names = COUNTS if number == SIDE_BY_SIDE else COLUMNS
    measured = [
        f"{name}{suffix}"
        for name in names
        for suffix in ("", "_std", *(("_share", "_share_std") if name in COUNTS else ()))
    ]
    lines = (
        {
            "table": number,
            **{head: getattr(row, head) for head in _HEADS},
            **{
                name if part == "mean" else f"{name}_{part}": value
                for name, values in row.metrics.items()
                for part, value in values.items()
            },
        }
        for row in _rows(number, records, dataset, every)
    )
    return csv_text(["table", *_HEADS, *measured], lines)


def _rows(
    number: int, records: Sequence[FoundLanguageRecord], dataset: str | None, every: bool
) -> Iterator[_Row]:
    check_dataset(number, dataset)
    folders = {record.name: folder for folder, record in records}
    side_by_side = number == SIDE_BY_SIDE
    names = COUNTS if side_by_side else COLUMNS
    for table in LANGUAGE_TABLES.values() if side_by_side else [LANGUAGE_TABLES[number]]:
        for (model, examples), values in table.rows.items():
            metrics = {name: _value(name, values[name], None, table) for name in names}
            yield _Row("paper", model, examples, table.dataset, "test", table.n_walls, 1, metrics)
        wanted = dataset or table.dataset
        ours = choose_records([record for _, record in records], wanted, every and not side_by_side).shown
        for record in ours:
            entry = record.dataset
            metrics = {
                name: _value(name, record.metrics[name].mean, record.metrics[name].std, entry)
                for name in names
            }
            yield _Row(
                "ours",
                title_of(record),
                len(record.examples),
                entry.name,
                entry.split,
                entry.n_walls,
                record.n_seeds,
                metrics,
                str(folders[record.name]),
                record.created,
                " ".join(unlike_paper(record)),
            )
        yield from _people(table, ours)


def _left_out(
    number: int, records: Sequence[FoundLanguageRecord], dataset: str | None, every: bool
) -> list[dict[str, object]]:
    """The records that one of the same row stands for."""
    folders = {record.name: folder for folder, record in records}
    side_by_side = number == SIDE_BY_SIDE
    tables = LANGUAGE_TABLES.values() if side_by_side else [LANGUAGE_TABLES[number]]
    return [
        {
            "record": str(folders[record.name]),
            "model": title_of(record),
            "examples": len(record.examples),
            "dataset": record.dataset.name,
            "n_walls": record.dataset.n_walls,
            "unlike_paper": " ".join(unlike_paper(record)) or None,
        }
        for table in tables
        for record in choose_records(
            [record for _, record in records], dataset or table.dataset, every and not side_by_side
        ).others
    ]


def _people(table: LanguageTable, ours: Sequence[LanguageRecord]) -> Iterator[_Row]:
    if table.human is None:
        return
    metrics = {name: _value(name, table.human[name], None, table) for name in COUNTS}
    yield _Row("people by the paper", "People", None, table.dataset, "test", table.n_walls, None, metrics)
    entries = {record.dataset.fingerprint: record.dataset for record in ours}
    for entry in entries.values():
        if entry.human is not None:
            known = entry.human["n_walls"]
            of = {"solved_walls": known, "correct_groups": known * entry.n_groups // entry.n_walls}
            metrics = {
                name: {"mean": entry.human[name], "share": entry.human[name] / of[name]} for name in COUNTS
            }
            yield _Row("people by the data", "People", None, entry.name, entry.split, known, None, metrics)


def _value(
    name: str, mean: float, std: float | None, walls: LanguageTable | DatasetEntry
) -> dict[str, float]:
    found = {"mean": mean} | ({} if std is None else {"std": std})
    if METRICS[name].total:
        of = walls.n_walls if name == "solved_walls" else walls.n_groups
        found |= {"share": mean / of} | ({} if std is None else {"share_std": std / of})
    return found
