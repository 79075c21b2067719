"""``fourfold macgyver table5``: the paper's Table 5 from the released labels."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..commands import need
from .shared import data_parser, positive

if TYPE_CHECKING:
    from ...macgyver.table5 import Table5, Table5Row

DESCRIPTION = """\
How often models and people solve the benchmark's problems, from the released labels, beside the paper's
Table 5. A and B are efficient and less efficient solutions, C unsolvable problems seen to be so; D, E and F
are partly wrong, mostly wrong, and wrong about whether there is a solution.

A single effort is one label drawn for each problem, with the spread over seeds; below it every label is
counted once, which is what the paper did for its models.
"""

EPILOG = """\
examples:
  fourfold macgyver table5 --data MacGyver/data
  fourfold macgyver table5 --data MacGyver/data --seeds 100 --json
"""

_MOST_SEEDS = 100_000
_COLUMNS = ("", "problems", "labels", "A", "B", "C", "correct", "D", "E", "F")


def main(words: Sequence[str]) -> int:
    """Print the table."""
    parser = data_parser("table5", DESCRIPTION, EPILOG)
    parser.add_argument(
        "--seeds", type=_seeds, default=1000, metavar="N", help="draws of single efforts (default: 1000)"
    )
    parser.add_argument(
        "--aggregate",
        action="store_true",
        help="first make one label of an answer's several, as in the paper's appendix D.2",
    )
    chosen = parser.parse_args(words)
    need("macgyver", {"rich": "rich"}, extra="macgyver")

    from ...macgyver.readers import read_release
    from ...macgyver.table5 import table_5, to_json
    from .shared import print_json

    table = table_5(read_release(chosen.data), chosen.seeds, chosen.aggregate)
    if chosen.json:
        print_json(to_json(table))
    else:
        print(_text(table))
    return 0


def _seeds(text: str) -> int:
    number = positive(text)
    if number > _MOST_SEEDS:
        raise ArgumentTypeError(f"got '{text}', expected at most {_MOST_SEEDS:,}")
    return number


def _text(table: Table5) -> str:
    from ...macgyver.judging import SHARES_ANSWERED
    from ...macgyver.paper import MAJORITY, TITLES
    from ...macgyver.table5 import majority_difference
    from .shared import signed, table_text

    drawn = "one draw" if table.seeds == 1 else f"mean ± spread over {table.seeds:,} seeds"
    blocks = [
        (f"Single effort: a label drawn for each problem, {drawn} (%)", table.random),
        ("Single effort: every label counted once (%)", table.pooled),
        ("GPT-4 by instruction, as the release names them: every label counted once (%)", table.instructions),
        ("Average over the answers to each problem (%)", table.average),
        ("Best answer to each problem (%)", table.best),
    ]
    parts = [
        table_text(title, _COLUMNS, [line for row in rows for line in _lines(row)])
        for title, rows in blocks
        if rows
    ]
    majority = [
        (
            TITLES[name],
            "–" if found.decided is None else f"{found.decided:.1f}",
            f"{MAJORITY[name]:.1f}",
            "" if (less := majority_difference(name, found)) is None else signed(less),
            f"{found.tied:.1f}",
            f"{found.right:.1f}",
            f"{found.half:.1f}",
            f"{found.right + found.tied:.1f}",
        )
        for name, found in table.majority.items()
    ]
    if majority:
        parts.append(
            table_text(
                "Problems that most answers get right (%)",
                ("", "ties left out", "paper", "difference", "tied", "ties wrong", "ties half", "ties right"),
                majority,
            )
        )
        parts.append(
            table_text(
                "Figure 10: problems that at least so many of the answers get right (the paper's are in its "
                "figure alone)",
                ("", *(f"{share:.0%}" for share in SHARES_ANSWERED)),
                [(TITLES[name], *map(str, counts)) for name, counts in table.answered.items()],
            )
        )
    return "\n\n".join([*parts, "\n".join(table.notes)])


def _lines(row: Table5Row) -> Iterator[list[str]]:
    """A row, the paper's below it, and the difference."""
    from .shared import signed

    spread: Sequence[float | None] = row.spread or [None] * len(row.shares)
    texts = [
        f"{share:.1f}" if around is None else f"{share:.1f}±{around:.1f}"
        for share, around in zip(
            (*row.shares[:3], row.correct, *row.shares[3:]),
            (*spread[:3], row.spread_correct, *spread[3:]),
            strict=True,
        )
    ]
    yield [row.title, str(row.n_problems), f"{row.n_labels:,}", *texts]
    if row.paper is not None and row.paper_correct is not None and row.differences is not None:
        paper = (*row.paper[:3], row.paper_correct, *row.paper[3:])
        less = (*row.differences[:3], row.correct - row.paper_correct, *row.differences[3:])
        yield ["  paper", "", "", *(f"{value:.1f}" for value in paper)]
        yield ["  difference", "", "", *map(signed, less)]
