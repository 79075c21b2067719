"""``fourfold runs``: the records of a folder, listed, chosen and compared."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...conf.choices import GROUPS
from ...errors import UserError
from ..terminal.writing import counted, print_data, tell
from .arguments import RUNS, Parser
from .commands import need

if TYPE_CHECKING:
    from ..runs.comparison import RecordComparison
    from ..runs.kinds import Kind
    from ..tables.sheet import Sheet


DESCRIPTION = """\
List the records of a folder, the newest first. Filters choose some: model=minilm, dataset=ocw, seeds=16,
embedding=contextual, solver=exact, and any other setting as 'fourfold run' takes it, such as
solver.n_init=10. A model is one of the choices, a hub id, a folder's name or a title.
The records of 'fourfold llm' follow, chosen by task=, examples=, model= and their other settings.
--csv writes one table of all kinds: what each record is, its metrics, seconds, settings and versions; in
Python, fourfold.experiments.tables.frame.read_frame('runs') gives it as a DataFrame.
"""

EPILOG = """\
examples:
  fourfold runs
  fourfold runs other/runs model=minilm dataset=ocw --sort ari
  fourfold runs --since 2d --json
  fourfold runs --csv > runs.csv
  fourfold runs dataset=ocw --format latex
  fourfold runs --compare 1f3a 77c0
"""

FORMATS = ("text", "markdown", "latex", "csv", "json")
_UNITS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "w": 7.0}  # days


def main(words: Sequence[str]) -> int:
    """List or compare."""
    parser = Parser(prog="fourfold runs", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("what", nargs="*", metavar="DIR|key=value", help=f"a folder ({RUNS}) and filters")
    parser.add_argument("--since", metavar="WHEN", help="made then or later: 2026-11-30, or 12h, 2d, 1w ago")
    parser.add_argument("--sort", metavar="METRIC", help="best first: by wd, ari, rouge1 and so on")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="two records, by folder or the beginning of the name"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="how to write the list; csv is one table of all kinds with every setting (default: text)",
    )
    parser.add_argument("--json", action="store_true", help="as --format json: with all settings")
    parser.add_argument("--csv", action="store_true", help="as --format csv")
    parser.add_argument("--per-seed", action="store_true", help="with csv: a row for each seed of a record")
    chosen = parser.parse_intermixed_args(words)
    style = _style(chosen)
    need(
        "runs", {"rich": "rich", "omegaconf": "omegaconf"} | ({"pandas": "pandas"} if style == "csv" else {})
    )

    from ..metrics.connection_metrics import CONNECTION_METRICS
    from ..metrics.scores import METRICS
    from ..runs.kinds import check_filters, listed, split_filter
    from ..runs.listing import as_json, choose

    filters = [word for word in chosen.what if "=" in word and not Path(word).is_dir()]
    folders = [Path(word).expanduser() for word in chosen.what if word not in filters]
    if not all(chosen.what):
        raise UserError("got an empty text: expected a folder or a filter key=value")
    if len(folders) > 1:
        raise UserError(f"got the folders {folders[0]} and {folders[1]}: expected one, and filters key=value")
    folder = folders[0] if folders else Path(RUNS)
    when = _moment(chosen.since) if chosen.since else None
    for word in filters:
        split_filter(word)
    metrics = [*METRICS, *CONNECTION_METRICS]
    if chosen.sort and chosen.sort not in metrics:
        raise UserError(f"--sort {chosen.sort} is not a metric: expected one of {', '.join(metrics)}")
    if chosen.compare and (filters or chosen.since or chosen.sort):
        raise UserError("--compare takes two records and no filter: leave out key=value, --since and --sort")
    if chosen.compare and all(Path(name).is_dir() for name in chosen.compare):
        return compare_named(chosen.compare, folder, [], style == "json")

    of_kinds = listed(folder)
    for _, _, problems in of_kinds:
        for problem in problems:
            tell(f"left out: {problem}")
    every = [each for _, records, _ in of_kinds for each in records]
    if chosen.compare:
        return compare_named(chosen.compare, folder, every, style == "json")
    keys = {key for kind, records, _ in of_kinds for _, record in records for key in kind.keys(record)}
    check_filters(filters, keys, GROUPS)
    lists = [
        (kind, choose(kind, records, filters, when, chosen.sort), records) for kind, records, _ in of_kinds
    ]
    if style == "csv":
        from ..tables.frame import csv_of, records_frame

        print_data(csv_of(records_frame(((kind, records) for kind, records, _ in lists), chosen.per_seed)))
        return 0
    if style == "json":
        shown = [each for kind, records, _ in lists for each in as_json(kind, records)]
        print(json.dumps(shown, ensure_ascii=False, indent=1))
        return 0
    if not any(records for _, records, _ in lists):
        print(
            f"of {counted(len(every), 'record')} in {folder} none fits"
            if every
            else f"no records in {folder}"
        )
        return 0
    sheets = [
        kind.sheet(records, f"{folder}: {_count(records, total)}{f' {kind.plural}' if kind.plural else ''}")
        for kind, records, total in lists
        if records
    ]
    print("\n\n".join(_written(sheet, style, place) for place, sheet in enumerate(sheets)))
    return 0


def _style(chosen: Namespace) -> str:
    """The format that is asked for; UserError on two, or on what does not go with it."""
    short = [name for name in ("json", "csv") if getattr(chosen, name)]
    named = {*short, *([chosen.format] if chosen.format != "text" else [])}
    if len(named) > 1:
        raise UserError(f"got the formats {' and '.join(sorted(named))}: choose one")
    style = str(next(iter(named), "text"))
    if chosen.per_seed and style != "csv":
        raise UserError("--per-seed is for --csv: add it, or leave --per-seed out")
    if chosen.compare and style not in ("text", "json"):
        raise UserError(f"--compare is written as text or with --json, not as {style}: leave the format out")
    return style


def _written(sheet: Sheet, style: str, place: int) -> str:
    from ..tables.sheet import latex, markdown
    from .table_output import sheet_text

    if style == "text":
        return sheet_text(sheet)
    return markdown(sheet) if style == "markdown" else latex(sheet, f"tab:runs-{place + 1}")


def _count(lists: Sequence[object], every: Sequence[object]) -> str:
    records = counted(len(every), "record")
    return f"{len(lists)} of {records}" if len(lists) < len(every) else records


def _moment(text: str) -> datetime:
    """A date, a date and time, or how long ago."""
    ago = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    try:
        if ago:
            return datetime.now(UTC) - timedelta(days=int(ago[1]) * _UNITS[ago[2]])
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError) as error:  # the last two where a calendar or system ends
        raise UserError(
            f"--since {text} is not a time: expected 2026-11-30, or 30m, 12h, 2d or 1w"
        ) from error


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
    matching = [path for path, _ in records if path.name.startswith(name)]
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise UserError(f"no record in {folder} is called {name}: 'fourfold runs {folder}' lists them")
    raise UserError(f"{len(matching)} records in {folder} begin with {name}: write more of the name")


def _changes(comparison: RecordComparison) -> list[str]:
    from ..runs.settings import written

    lines = []
    for key, values in comparison.settings.items():
        one, two = ("–" if value is None else written(value) for value in values)
        lines.append(f"{key}: {one} -> {two}")
    lines += [f"{name}: version {one} -> {two}" for name, (one, two) in comparison.versions.items()]
    return lines if comparison.settings else [*lines, "The settings are the same."]


def _metrics(comparison: RecordComparison, titles: Mapping[str, str]) -> list[str]:
    from ..metrics.scores import METRICS

    if not comparison.metrics:
        return ["They have no metric in common."]
    rows = [("", "A", "B", "B-A in spreads")]
    for name, pair in comparison.metrics.items():
        apart = "–" if pair.spreads is None else f"{pair.spreads:+.1f}"
        unit = " %" if comparison.in_shares and name in METRICS and METRICS[name].total else ""
        rows.append((titles.get(name, name) + unit, f"{pair.a:.1f}", f"{pair.b:.1f}", apart))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for head, *cells in rows:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{head.ljust(widths[0])}  {numbers}")
    return lines
