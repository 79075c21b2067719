"""``fourfold runs --compare A B``: two records of one kind, side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError

if TYPE_CHECKING:
    from ..runs.encoder.comparison import RunComparison
    from ..runs.encoder.record import Record
    from ..runs.language_model.comparison import LanguageComparison
    from ..runs.language_model.record import LanguageRecord

    Found = tuple[Path, Record | LanguageRecord]


def compare_named(names: Sequence[str], folder: Path, records: Sequence[Found], as_json: bool) -> int:
    """Compare two records that are named by their folder, or by the beginning of a name in ``folder``."""
    from ..runs.encoder.comparison import compare_runs
    from ..runs.language_model.comparison import compare_language_runs
    from ..runs.language_model.record import LanguageRecord

    (path_a, a), (path_b, b) = (_named(name, records, folder) for name in names)
    found: RunComparison | LanguageComparison
    if isinstance(a, LanguageRecord) and isinstance(b, LanguageRecord):
        found = compare_language_runs((path_a, a), (path_b, b))
        abouts, alike = [_about_language(a), _about_language(b)], _answered_alike(found)
    elif not isinstance(a, LanguageRecord) and not isinstance(b, LanguageRecord):
        found = compare_runs((path_a, a), (path_b, b))
        abouts, alike = [_about(a), _about(b)], _grouped_alike(found)
    else:
        name = names[0] if isinstance(a, LanguageRecord) else names[1]
        raise UserError(f"{name} is of a language model and the other is not: --compare takes two of a kind")
    if as_json:
        said = {"a": str(path_a), "b": str(path_b)} | asdict(found)
        print(json.dumps(said, ensure_ascii=False, indent=1))
        return 0
    heads = [f"A: {abouts[0]} ({path_a})", f"B: {abouts[1]} ({path_b})"]
    print("\n".join([*heads, "", *_changes(found), "", *_metrics(found), "", alike]))
    return 0


def _named(name: str, records: Sequence[Found], folder: Path) -> Found:
    if Path(name).is_dir():
        return _read(Path(name))
    found = [each for each in records if each[0].name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"no record in {folder} is called {name}: 'fourfold runs {folder}' lists them")
    raise UserError(f"{len(found)} records in {folder} begin with {name}: write more of the name")


def _read(folder: Path) -> Found:
    from ..runs.language_model.record import RECORD, read_language_record
    from ..runs.store import read_record

    return folder, read_language_record(folder) if (folder / RECORD).exists() else read_record(folder)


def _about(record: Record) -> str:
    from ..tables.comparison import model_title

    return f"{model_title(record)}, {record.dataset.name}, seeds={record.n_seeds}"


def _about_language(record: LanguageRecord) -> str:
    from ..runs.language_model.titles import title_of
    from ..tables.language_results import heading

    return f"{title_of(record)}. {heading(record)}"


def _changes(found: RunComparison | LanguageComparison) -> list[str]:
    from ..runs.settings import written

    lines = []
    for key, values in found.settings.items():
        one, two = ("–" if value is None else written(value) for value in values)
        lines.append(f"{key}: {one} -> {two}")
    lines += [f"{name}: version {one} -> {two}" for name, (one, two) in found.versions.items()]
    return lines if found.settings else [*lines, "The settings are the same."]


def _metrics(found: RunComparison | LanguageComparison) -> list[str]:
    from ..metrics.connection_metrics import CONNECTION_METRICS
    from ..metrics.scores import METRICS

    titles = {name: metric.title for name, metric in CONNECTION_METRICS.items()}
    titles |= {name: metric.title for name, metric in METRICS.items()}
    if not found.metrics:
        return ["They have no metric in common."]
    rows = [("", "A", "B", "B-A in spreads")]
    for name, pair in found.metrics.items():
        apart = "–" if pair.spreads is None else f"{pair.spreads:+.1f}"
        unit = " %" if found.in_shares and name in METRICS and METRICS[name].total else ""
        rows.append((titles[name] + unit, f"{pair.a:.1f}", f"{pair.b:.1f}", apart))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for head, *cells in rows:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{head.ljust(widths[0])}  {numbers}")
    return lines


def _grouped_alike(found: RunComparison) -> str:
    agreed = found.agreement
    if agreed is None:
        return "The walls are others: counts are shown as shares, and labels are not compared."
    return (
        f"Over {agreed.n_seeds:,} seeds, {agreed.same_walls:.1%} of the walls are grouped alike and"
        f" {agreed.same_groups:.1%} of the groups are the same (ARI {100 * agreed.ari:.1f})."
    )


def _answered_alike(found: LanguageComparison) -> str:
    from ..terminal.messages import counted

    alike = found.alike
    if alike is None:
        if found.in_shares:
            return "The walls are others: counts are shown as shares, and answers are not compared."
        return "The tasks are others: answers are not compared."
    return (
        f"Over {counted(alike.n_runs, 'run')}, {alike.same_walls:.1%} of the walls are answered alike and"
        f" {alike.same_answers:.1%} of the {alike.what} are the same."
    )
