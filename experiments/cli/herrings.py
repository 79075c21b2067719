"""``fourfold herrings``: the red herrings of a record's walls."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ...errors import UserError
from .arguments import Parser, record_folder
from .extras import need

if TYPE_CHECKING:
    from ..pipeline.herrings.report import HerringReport, WallHerrings

DESCRIPTION = """\
Show the red herrings of a data set as a record's model sees them: the walls by their margin, and on each the
clues that are nearest to another group.

  margin      how much more the true groups cost than the model's best groups: 0 where they are the best, 1
              where they cost as much as groups at random (in the objective of k-means)
  silhouette  how much nearer a clue is to its own group than to the nearest other one: from 1 to -1, below 0
              where the other one is nearer
  astray      the clue that is nearest to it is in another group
  misplaced   the share of runs in which a clue is not in the group that stands for its own, when predicted
              groups are matched to true ones so that as many clues as possible agree

Where the data says which groups people found, the measures' rank correlation with that is shown too.
"""

EXAMPLES = """\
examples:
  fourfold herrings runs/RECORD
  fourfold herrings runs/RECORD --wall 8cde
  fourfold herrings runs/RECORD --json > herrings.json
"""


def main(words: Sequence[str]) -> int:
    """Print the report, or a wall of it."""
    chosen = _parser().parse_args(words)
    if not chosen.json:
        need("herrings", {"rich": "rich"})

    from ..pipeline.herrings.report import find_wall, herring_report
    from ..runs.config import record_walls
    from ..runs.store import read_herrings, read_record

    folder = chosen.record.expanduser()
    record = read_record(folder)
    measured = read_herrings(folder)
    walls = record_walls(record, chosen.walls)
    try:
        report = herring_report(walls, measured)
    except ValueError as error:
        raise UserError(
            f"the record {folder} is damaged ({error}): delete that folder and run again"
        ) from error
    wall = None
    if chosen.wall is not None:
        wall = find_wall(report.walls, chosen.wall)
        if wall is None:
            raise UserError(_no_wall(chosen.wall, report))
    if chosen.json:
        print(_json(report, wall))
        return 0

    from ..tables.comparison import model_title
    from ..tables.paper.tables import shown_to_people
    from ..tables.results import walls_heading
    from .herrings_output import report_text, wall_text

    heading = f"{model_title(record)} on {walls_heading(record)}"
    print(
        report_text(report, heading, chosen.top, shown_to_people(record.dataset.name))
        if wall is None
        else wall_text(wall)
    )
    return 0


def _parser() -> Parser:
    parser = Parser(prog="fourfold herrings", description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument(
        "record", type=record_folder, help="the folder of a record, as in runs/0123456789abcdef"
    )
    parser.add_argument("--wall", metavar="ID", help="show one wall with all its clues")
    parser.add_argument(
        "--top", type=_count, default=10, metavar="N", help="walls to show (default: 10; 0 for all)"
    )
    parser.add_argument("--walls", metavar="PATH", help="where the walls are, if not where the record says")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 0")
    return int(text)


def _no_wall(wall_id: str, report: HerringReport) -> str:
    ids = [wall.wall_id for wall in report.walls]
    near = get_close_matches(wall_id, ids, n=1) or ids[:1]
    return f"the record has no wall '{wall_id}': name one of its {len(ids):,} walls, as in --wall {near[0]}"


def _json(report: HerringReport, wall: WallHerrings | None) -> str:
    content = report.to_json() if wall is None else asdict(wall)
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
