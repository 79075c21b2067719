"""``fourfold runs``: the records of a folder, listed, chosen and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...errors import UserError
from ..terminal.messages import counted, tell
from .arguments import RUNS, Parser
from .commands import need
from .runs_compare import compare_named

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
    parser.add_argument("--sort", metavar="METRIC", help="best first: by wd, ari, rouge1 and so on")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="two records, by folder or the beginning of the name"
    )
    parser.add_argument("--json", action="store_true", help="for programs, with all settings")
    chosen = parser.parse_intermixed_args(words)
    need("runs", {"rich": "rich", "omegaconf": "omegaconf"})

    from ..metrics.connection_metrics import CONNECTION_METRICS
    from ..metrics.scores import METRICS
    from ..runs.game.record import RECORD as GAMES
    from ..runs.language_model.listing import choose, language_json_list, language_list_sheet, settings_of
    from ..runs.language_model.titles import find_language_records
    from ..runs.listing import list_records
    from ..runs.run_list import as_json, by_age, by_metric, list_sheet, since
    from ..runs.settings import check_keys, record_test
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
    metrics = [*METRICS, *CONNECTION_METRICS]
    if chosen.sort and chosen.sort not in metrics:
        raise UserError(f"--sort {chosen.sort} is no metric: expected one of {', '.join(metrics)}")
    if chosen.compare and (filters or chosen.since or chosen.sort):
        raise UserError("--compare takes two records and no filter: leave out key=value, --since and --sort")
    if chosen.compare and all(Path(name).is_dir() for name in chosen.compare):
        return compare_named(chosen.compare, folder, [], chosen.json)

    listed = list(list_records(folder))
    for each in listed:
        if each.record is None:
            tell(f"left out: {each.problem}")
    every = [(each.folder, each.record) for each in listed if each.record is not None]
    models = find_language_records([folder])
    for problem in models.damaged:
        tell(f"left out: {problem}")
    if chosen.compare:
        return compare_named(chosen.compare, folder, [*every, *models.records], chosen.json)
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
        tell(f"{told}: 'fourfold play --records {folder}' shows them")
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
