"""``fourfold herrings``: the red herrings of a record's walls."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ...errors import UserError
from ..terminal.writing import cell, counted
from .arguments import Parser, record_folder
from .commands import need

if TYPE_CHECKING:
    from rich.table import Table

    from ..pipeline.herrings.report import ClueHerring, HerringReport, WallHerrings


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
    from ..runs.encoder.config import record_walls
    from ..runs.encoder.files import read_herrings, read_record

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
    from ..tables.paper.encoders import shown_to_people
    from ..tables.results import walls_heading

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


SHOWN_CLUES = 3  # the most misleading ones of a wall in the list of walls


def report_text(report: HerringReport, heading: str, top: int, own_walls: bool = True) -> str:
    """The summary, the correlations with what people found, and the walls of greatest margin.

    Without ``own_walls``, people found the groups on other walls, from which these are made.
    """
    from .table_output import rendered

    where = "" if own_walls else " on the walls that these are made of"
    shown = report.walls[:top] if top else report.walls
    of = "" if len(shown) == len(report.walls) else f" ({len(shown)} of {len(report.walls):,} walls)"
    return "\n".join(
        [
            heading,
            "",
            *_summary(report, where),
            *_correlations(report, where),
            "",
            f"walls by margin{of}: clue → group that it is drawn to, and the nearest clues of other groups",
            rendered(_walls(shown)),
        ]
    )


def _summary(report: HerringReport, where: str) -> Iterator[str]:
    if report.margin is None:
        yield "margin     unknown: the best partitions of walls of this shape cannot be found"
    else:
        yield (
            f"margin     {report.margin:.2f} on average (0: the true groups are the model's best, 1: no"
            f" better than random ones), 0 on {report.n_best:,} of {counted(len(report.walls), 'wall')}"
        )
    yield (
        f"astray     {report.astray:.1%} of the clues are nearest to a clue of another group"
        f" ({report.astray_by_chance:.1%} by chance)"
    )
    yield (
        f"misplaced  {report.misplaced:.1%} of the clues over all runs are in the wrong group"
        f" ({report.misplaced_by_chance:.1%} in random groups)"
    )
    known = [wall.found for wall in report.walls if wall.found is not None]
    if known:
        groups = sum(len(n) for n in known)
        share = sum(map(sum, known)) / groups
        yield f"people     found {share:.1%} of {counted(groups, 'group')}{where}"


def _correlations(report: HerringReport, where: str) -> Iterator[str]:
    if not report.correlations:
        return
    yield ""
    yield f"rank correlation (Spearman) with the groups that people found{where}"
    yield "and its 95% interval, by drawing the walls anew"
    width = max(map(len, report.correlations))
    for name, correlation in report.correlations.items():
        if correlation is None:
            yield f"  {name:<{width}}  none: too few walls, or no differences between them"
        else:
            interval = f"[{_signed(correlation.low)}, {_signed(correlation.high)}]"
            yield f"  {name:<{width}}  {_signed(correlation.rho)} {interval}"


def _walls(walls: tuple[WallHerrings, ...]) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for head in ("margin", "people", "misplaced"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("wall", overflow="fold")
    table.add_column("most misleading clues", overflow="fold")
    for wall in walls:
        clues = [clue for clue in wall.misleading[:SHOWN_CLUES] if clue.strangers]
        table.add_row(
            _number(wall.margin),
            "–" if wall.found is None else f"{sum(wall.found)} of {len(wall.found)}",
            f"{wall.misplaced:.0%}",
            cell(wall.wall_id),
            cell("\n".join(_clue(wall, clue) for clue in clues)),
        )
    return table


def _clue(wall: WallHerrings, clue: ClueHerring) -> str:
    return f"{clue.clue} → {wall.connections[clue.drawn_to]}, near {', '.join(clue.strangers)}"


def wall_text(wall: WallHerrings) -> str:
    """One wall: its costs, its groups with what is measured of each clue, and the model's best groups."""
    from .table_output import rendered

    lines = [f"wall {wall.wall_id}", ""]
    if wall.margin is None or wall.cost_best is None:
        lines.append("margin unknown: the best partition of a wall of this shape cannot be found")
    else:
        lines.append(
            f"margin {wall.margin:.2f}: the true groups cost {wall.cost_true:.4g}, the model's best"
            f" {wall.cost_best:.4g}, groups at random {wall.cost_mean:.4g}"
        )
    lines += ["", rendered(_groups(wall))]
    if wall.best:
        lines += ["the model's best groups", *(f"  {', '.join(group)}" for group in wall.best)]
    return "\n".join(lines)


def _groups(wall: WallHerrings) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("true groups", overflow="fold", ratio=3)
    table.add_column("silhouette", justify="right", no_wrap=True)
    table.add_column("misplaced", justify="right", no_wrap=True)
    table.add_column("near, of other groups", overflow="fold", ratio=3)
    table.add_column("drawn to", overflow="fold", ratio=3)
    for number, connection in enumerate(wall.connections):
        known = "" if wall.found is None else f" ({'found' if wall.found[number] else 'missed'} by people)"
        table.add_row(cell(connection + known, "bold"))
        for clue in (clue for clue in wall.clues if clue.group == number):
            drawn = wall.connections[clue.drawn_to] if clue.silhouette < 0 else ""
            table.add_row(
                cell(f"  {clue.clue}"),
                _signed(clue.silhouette),
                f"{clue.misplaced:.0%}",
                cell(", ".join(clue.strangers)),
                cell(drawn),
            )
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
