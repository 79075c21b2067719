"""A comparison's numbers in full, for other programs: one JSON document, or a CSV line a row and source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..metrics.scores import METRICS
from ..runs.envelope import DatasetEntry
from .comparison import ComparedRow, OwnRow, PaperComparison, choice, share_of
from .frame import csv_text
from .paper.encoders import PaperTable


def to_json(found: PaperComparison) -> str:
    """Everything that is compared; counts also as shares, differences in units of the joint spread."""
    table = found.table
    document = {
        "table": table.number,
        "about": table.about,
        "dataset": found.dataset,
        "paper": {"n_walls": table.n_walls, "n_groups": table.n_groups, "n_runs": table.n_runs},
        "spread": "population standard deviation over the runs",
        "difference": "(ours - paper) / sqrt(std_ours**2 + std_paper**2); counts as shares",
        "rows": [_row(found, row) for row in found.rows],
        "people": [
            {"source": source, **counts, "n_walls": n_walls} for source, counts, n_walls in _people(found)
        ],
        "left_out": found.left_out,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def _row(found: PaperComparison, row: ComparedRow) -> dict[str, Any]:
    paper = None
    if row.paper is not None:
        paper = {name: _value(name, *row.paper.values[name], found.table) for name in found.table.columns}
    return {
        "row": row.key,
        "title": row.title,
        "section": row.section,
        "paper": paper,
        "ours": [_own(found, own) for own in row.ours],
    }


def _own(found: PaperComparison, own: OwnRow) -> dict[str, Any]:
    record = own.record
    metrics = {
        name: {
            **_value(name, record.metrics[name].mean, record.metrics[name].std, record.dataset),
            "difference": own.differences[name],
        }
        for name in found.table.columns
        if name in record.metrics
    }
    return {
        "record": str(own.folder),
        "created": record.created,
        "dataset": asdict(record.dataset),
        "n_runs": record.n_seeds,
        "solver": choice(record, "solver"),
        "features": choice(record, "features"),
        "clustering": record.clustering,
        "on_paper_walls": own.on_paper_walls,
        "unlike_paper": [asdict(unlike) for unlike in own.unlike],
        "metrics": metrics,
    }


def _value(name: str, mean: float, std: float, walls: PaperTable | DatasetEntry) -> dict[str, float]:
    found = {"mean": mean, "std": std}
    if METRICS[name].total:
        of = share_of(name, walls)
        found |= {"share": mean / of, "share_std": std / of}
    return found


def _people(found: PaperComparison) -> Iterator[tuple[str, dict[str, int], int]]:
    names = ("solved_walls", "correct_groups")
    if found.table.human is not None:
        yield "paper", {name: found.table.human[name] for name in names}, found.table.n_walls
    for _, counts in found.solved_by_people:
        yield "data", {name: counts[name] for name in names}, counts["n_walls"]


def to_csv(found: PaperComparison) -> str:
    """A line for each published row, each record (with the differences) and what people solved."""
    lines = list(_lines(found))
    measured = [
        f"{name}{suffix}"
        for name in found.table.columns
        for suffix in ("", "_std", *(("_share", "_share_std") if METRICS[name].total else ()), "_difference")
    ]
    heads = ["table", "section", "row", "title", "source", "record", "created", "dataset", "split"]
    heads += ["n_walls", "n_runs", "solver", "features", "clustering", "unlike_paper", *measured]
    return csv_text(heads, ({"table": found.table.number, **line} for line in lines))


def _lines(found: PaperComparison) -> Iterator[dict[str, Any]]:
    table = found.table
    for row in found.rows:
        names = {"section": row.section, "row": row.key or "", "title": row.title}
        if row.paper is not None:
            cells = {name: _value(name, *row.paper.values[name], table) for name in table.columns}
            walls = {"dataset": table.dataset, "n_walls": table.n_walls, "n_runs": table.n_runs}
            yield {**names, "source": "paper", **walls, **_flat(cells)}
        for own in row.ours:
            yield {**names, "source": "ours", **_own_line(_own(found, own))}
    for source, counts, n_walls in _people(found):
        yield {"section": "People", "title": "People", "source": source, "n_walls": n_walls, **counts}


def _own_line(own: dict[str, Any]) -> dict[str, Any]:
    unlike = " ".join(f"{item['group']}.{item['key']}={item['ours']}" for item in own["unlike_paper"])
    walls = {"dataset": own["dataset"]["name"], "split": own["dataset"]["split"] or ""}
    same = {key: own[key] for key in ("record", "created", "n_runs", "solver", "features", "clustering")}
    return {
        **same,
        **walls,
        "n_walls": own["dataset"]["n_walls"],
        "unlike_paper": unlike,
        **_flat(own["metrics"]),
    }


def _flat(cells: Mapping[str, Mapping[str, float | None]]) -> dict[str, Any]:
    return {
        name if part == "mean" else f"{name}_{part}": "" if value is None else value
        for name, values in cells.items()
        for part, value in values.items()
    }
