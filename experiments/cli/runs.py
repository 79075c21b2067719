"""``fourfold runs``: the records of a folder, listed, chosen and compared."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ..wording import counted
from .arguments import RUNS, Parser
from .extras import need

if TYPE_CHECKING:
    from ..records.record import Record
    from ..tables.run_comparison import RunComparison
    from ..tables.run_list import FoundRecord

DESCRIPTION = """\
List the records of a folder, the newest first. Filters choose some: model=minilm, dataset=ocw, seeds=16,
embedding=contextual, solver=exact, and any other setting as 'fourfold run' takes it, such as
solver.n_init=10. A model is one of the choices, a hub id, a folder's name or a title.
The records of 'fourfold llm' follow, chosen by task=, examples=, model= and their other settings.
"""

EPILOG = """\
examples:
  fourfold runs
  fourfold runs other/runs model=minilm dataset=ocw --sort ari
  fourfold runs --since 2d --json
  fourfold runs --compare 1f3a 77c0
"""

_UNITS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "w": 7.0}  # days


def main(words: Sequence[str]) -> int:
    """List or compare."""
    parser = Parser(prog="fourfold runs", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("what", nargs="*", metavar="DIR|key=value", help=f"a folder ({RUNS}) and filters")
    parser.add_argument("--since", metavar="WHEN", help="made then or later: 2026-11-30, or 12h, 2d, 1w ago")
    parser.add_argument("--sort", metavar="METRIC", help="best first: by wd, fms, ari, ami and so on")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="two records, by folder or the beginning of the name"
    )
    parser.add_argument("--json", action="store_true", help="for programs, with all settings")
    chosen = parser.parse_intermixed_args(words)
    need("runs", {"rich": "rich", "omegaconf": "omegaconf"})

    from ..games.record import RECORD as GAMES
    from ..language_models.record_list import find_language_records
    from ..language_models.run_list import choose, language_json_list, language_list_sheet, settings_of
    from ..metrics.scores import METRICS
    from ..records.listing import list_records
    from ..records.settings import check_keys, record_test
    from ..tables.run_list import as_json, by_age, by_metric, list_sheet, since
    from .table_output import sheet_text

    filters = [word for word in chosen.what if "=" in word and not Path(word).is_dir()]
    folders = [Path(word).expanduser() for word in chosen.what if word not in filters]
    if not all(chosen.what):
        raise UserError("got an empty text: expected a folder or a filter key=value")
    if len(folders) > 1:
        raise UserError(f"got the folders {folders[0]} and {folders[1]}: expected one, and filters key=value")
    folder = folders[0] if folders else Path(RUNS)
    when = _moment(chosen.since) if chosen.since else None
    tests = [record_test(word) for word in filters]
    if chosen.sort and chosen.sort not in METRICS:
        raise UserError(f"--sort {chosen.sort} is no metric: expected one of {', '.join(METRICS)}")
    if chosen.compare and (filters or chosen.since or chosen.sort):
        raise UserError("--compare takes two records and no filter: leave out key=value, --since and --sort")
    if chosen.compare and all(Path(name).is_dir() for name in chosen.compare):
        return _compare([_read(Path(name)) for name in chosen.compare], chosen.json)

    listed = list(list_records(folder))
    for each in listed:
        if each.record is None:
            print(f"fourfold: left out: {each.problem}", file=sys.stderr)
    every = [(each.folder, each.record) for each in listed if each.record is not None]
    if chosen.compare:
        return _compare([_named(name, every, folder) for name in chosen.compare], chosen.json)
    models = find_language_records([folder])
    for problem in models.damaged:
        print(f"fourfold: left out: {problem}", file=sys.stderr)
    others = {key for _, record in models.records for key in settings_of(record)}
    check_keys(filters, [record for _, record in every], others)
    found = [each for each in every if all(test(each[1]) for test in tests)]
    asked = choose(models.records, filters, when, chosen.sort)
    if when is not None:
        found = since(found, when)
    found = by_metric(found, chosen.sort) if chosen.sort else by_age(found)
    if chosen.json:
        print(json.dumps([*as_json(found), *language_json_list(asked)], ensure_ascii=False, indent=1))
        return 0
    n_games = len(list(folder.glob(f"[!.]*/{GAMES}")))
    if n_games:
        told = f"{n_games} record{'' if n_games == 1 else 's'} of games"
        print(f"fourfold: {told}: 'fourfold play --records {folder}' shows them", file=sys.stderr)
    if not found and not asked:
        total = len(every) + len(models.records)
        print(f"no records in {folder}" if not total else f"none of the {total} records in {folder} fits")
        return 0
    if found:
        print(sheet_text(list_sheet(found, f"{folder}: {_count(found, every)}")))
    if asked:
        title = f"{folder}: {_count(asked, models.records)} of language models"
        print(("\n" if found else "") + sheet_text(language_list_sheet(asked, title)))
    return 0


def _count(found: Sequence[object], every: Sequence[object]) -> str:
    records = counted(len(every), "record")
    return f"{len(found)} of {records}" if len(found) < len(every) else records


def _moment(text: str) -> datetime:
    """A date, a date and time, or how long ago."""
    ago = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    try:
        if ago:
            return datetime.now(UTC) - timedelta(days=int(ago[1]) * _UNITS[ago[2]])
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError, OSError) as error:  # the last two where a calendar or system ends
        raise UserError(f"--since {text} is no time: expected 2026-11-30, or 30m, 12h, 2d or 1w") from error


def _read(folder: Path) -> FoundRecord:
    from ..records.store import read_record

    return folder, read_record(folder)


def _named(name: str, records: Sequence[FoundRecord], folder: Path) -> FoundRecord:
    if Path(name).is_dir():
        return _read(Path(name))
    found = [each for each in records if each[0].name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        from ..language_models.record import RECORD

        if any((path / RECORD).exists() for path in folder.iterdir() if path.name.startswith(name)):
            raise UserError(f"{name} is of a language model: --compare takes records of 'fourfold run'")
        raise UserError(f"no record in {folder} is called {name}: 'fourfold runs {folder}' lists them")
    raise UserError(f"{len(found)} records in {folder} begin with {name}: write more of the name")


def _compare(pair: Sequence[FoundRecord], as_json: bool) -> int:
    from ..tables.run_comparison import compare_runs

    a, b = pair
    found = compare_runs(a, b)
    if as_json:
        print(json.dumps({"a": str(a[0]), "b": str(b[0])} | asdict(found), ensure_ascii=False, indent=1))
        return 0
    print(_comparison_text(found, a, b))
    return 0


def _comparison_text(found: RunComparison, a: FoundRecord, b: FoundRecord) -> str:
    from ..metrics.scores import METRICS
    from ..records.settings import written
    from ..tables.comparison import model_title

    def about(letter: str, pair: tuple[Path, Record]) -> str:
        folder, record = pair
        return f"{letter}: {model_title(record)}, {record.dataset.name}, seeds={record.n_seeds} ({folder})"

    rows = [("", "A", "B", "B-A in spreads")]
    for name, pair in found.metrics.items():
        apart = "–" if pair.spreads is None else f"{pair.spreads:+.1f}"
        unit = " %" if found.in_shares and METRICS[name].total else ""
        rows.append((METRICS[name].title + unit, f"{pair.a:.1f}", f"{pair.b:.1f}", apart))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [about("A", a), about("B", b), ""]
    for key, values in found.settings.items():
        one, two = ("–" if value is None else written(value) for value in values)
        lines.append(f"{key}: {one} -> {two}")
    lines += [f"{name}: version {one} -> {two}" for name, (one, two) in found.versions.items()]
    if not found.settings:
        lines.append("The settings are the same.")
    lines.append("")
    for head, *cells in rows:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{head.ljust(widths[0])}  {numbers}")
    if found.agreement is not None:
        agreed = found.agreement
        lines.append(
            f"\nOver {agreed.n_seeds:,} seeds, {agreed.same_walls:.1%} of the walls are grouped alike and"
            f" {agreed.same_groups:.1%} of the groups are the same (ARI {100 * agreed.ari:.1f})."
        )
    else:
        lines.append("\nThe walls are others: counts are shown as shares, and labels are not compared.")
    return "\n".join(lines)
