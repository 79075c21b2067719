"""``fourfold runs``: the records of a folder, listed, chosen and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...conf.choices import GROUPS
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
    from ..runs.kinds import check_filters, listed, split_filter
    from ..runs.listing import as_json, choose
    from .table_output import sheet_text

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
        return compare_named(chosen.compare, folder, [], chosen.json)

    of_kinds = listed(folder)
    for _, _, problems in of_kinds:
        for problem in problems:
            tell(f"left out: {problem}")
    every = [each for _, records, _ in of_kinds for each in records]
    if chosen.compare:
        return compare_named(chosen.compare, folder, every, chosen.json)
    keys = {key for kind, records, _ in of_kinds for _, record in records for key in kind.keys(record)}
    check_filters(filters, keys, GROUPS)
    found = [
        (kind, choose(kind, records, filters, when, chosen.sort), records) for kind, records, _ in of_kinds
    ]
    if chosen.json:
        shown = [each for kind, records, _ in found for each in as_json(kind, records)]
        print(json.dumps(shown, ensure_ascii=False, indent=1))
        return 0
    if not any(records for _, records, _ in found):
        print(f"none of the {len(every)} records in {folder} fits" if every else f"no records in {folder}")
        return 0
    sheets = [
        sheet_text(
            kind.sheet(
                records, f"{folder}: {_count(records, total)}{f' {kind.plural}' if kind.plural else ''}"
            )
        )
        for kind, records, total in found
        if records
    ]
    print("\n\n".join(sheets))
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
        raise UserError(
            f"--since {text} is not a time: expected 2026-11-30, or 30m, 12h, 2d or 1w"
        ) from error
