"""``fourfold runs --compare A B``: two records of one kind, side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UserError

if TYPE_CHECKING:
    from ..runs.comparison import Comparison
    from ..runs.kinds import Kind


def compare_named(
    names: Sequence[str], folder: Path, records: Sequence[tuple[Path, Any]], as_json: bool
) -> int:
    """Compare two records that are named by their folder, or by the beginning of a name in ``folder``."""
    from ..runs.kinds import kind_at
    from ..runs.store import read

    paths = [_named(name, records, folder) for name in names]
    first, second = kinds = [kind_at(path) for path in paths]
    if first is not second:
        raise UserError(
            f"{names[0]} is of {first.layout.noun} and {names[1]} of {second.layout.noun}:"
            " --compare takes two of a kind"
        )
    kind: Kind[Any] = first
    a, b = [(path, read(each.layout, path)) for path, each in zip(paths, kinds, strict=True)]
    compared = kind.compare(a, b)
    if as_json:
        said = {"a": str(a[0]), "b": str(b[0])} | compared.as_json()
        print(json.dumps(said, ensure_ascii=False, indent=1))
        return 0
    heads = [f"A: {kind.about(a[1])} ({a[0]})", f"B: {kind.about(b[1])} ({b[0]})"]
    lines = [*heads, "", *_changes(compared), "", *_metrics(compared, kind.metric_titles())]
    if compared.agreement.said:
        lines += ["", compared.agreement.said]
    print("\n".join(lines))
    return 0


def _named(name: str, records: Sequence[tuple[Path, Any]], folder: Path) -> Path:
    if Path(name).is_dir():
        return Path(name)
    found = [path for path, _ in records if path.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"no record in {folder} is called {name}: 'fourfold runs {folder}' lists them")
    raise UserError(f"{len(found)} records in {folder} begin with {name}: write more of the name")


def _changes(found: Comparison) -> list[str]:
    from ..runs.settings import written

    lines = []
    for key, values in found.settings.items():
        one, two = ("–" if value is None else written(value) for value in values)
        lines.append(f"{key}: {one} -> {two}")
    lines += [f"{name}: version {one} -> {two}" for name, (one, two) in found.versions.items()]
    return lines if found.settings else [*lines, "The settings are the same."]


def _metrics(found: Comparison, titles: Mapping[str, str]) -> list[str]:
    from ..metrics.scores import METRICS

    if not found.metrics:
        return ["They have no metric in common."]
    rows = [("", "A", "B", "B-A in spreads")]
    for name, pair in found.metrics.items():
        apart = "–" if pair.spreads is None else f"{pair.spreads:+.1f}"
        unit = " %" if found.in_shares and name in METRICS and METRICS[name].total else ""
        rows.append((titles.get(name, name) + unit, f"{pair.a:.1f}", f"{pair.b:.1f}", apart))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for head, *cells in rows:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{head.ljust(widths[0])}  {numbers}")
    return lines
