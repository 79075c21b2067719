"""``fourfold macgyver stats``: the release's counts beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..commands import need
from .shared import data_parser

if TYPE_CHECKING:
    from ...macgyver.statistics import Count, Statistics

DESCRIPTION = """\
Count the problems and answers of the MacGyver release, set them beside the paper's Table 1, and say where
the release differs and what it does not hold.
"""

EPILOG = """\
examples:
  fourfold macgyver stats --data MacGyver/data
  fourfold macgyver stats --data MacGyver/data --json
"""


def main(words: Sequence[str]) -> int:
    """Print the counts."""
    chosen = data_parser("stats", DESCRIPTION, EPILOG).parse_args(words)
    need("macgyver", {"rich": "rich"}, extra="macgyver")

    from ...macgyver.readers import read_release
    from ...macgyver.statistics import statistics
    from .shared import print_json

    found = statistics(read_release(chosen.data))
    if chosen.json:
        print_json(_json(found))
    else:
        print(_text(found))
    return 0


def _text(found: Statistics) -> str:
    from .shared import table_text

    columns = ("", "release", "%", "paper", "difference")
    tables = [table_text(title, columns, map(_row, counts)) for title, counts in found.sections.items()]
    return "\n\n".join([*tables, "\n".join(found.notes)])


def _row(count: Count) -> list[str]:
    from .shared import signed

    percent, unit = count.percent, "%" if count.paper_is_percent else ""
    digits = 1 if unit else 0
    return [
        count.name,
        f"{count.value:,}",
        "" if percent is None else f"{percent:.1f}%",
        "" if count.paper is None else f"{count.paper:,.{digits}f}{unit}",
        "" if count.difference is None else signed(count.difference, digits),
    ]


def _json(found: Statistics) -> dict[str, object]:
    sections = {
        title: [
            {
                "name": count.name,
                "value": count.value,
                "percent": count.percent,
                "paper": count.paper,
                "paper_unit": None
                if count.paper is None
                else "percent"
                if count.paper_is_percent
                else "count",
                "difference": count.difference,
            }
            for count in counts
        ]
        for title, counts in found.sections.items()
    }
    return {"sections": sections, "notes": list(found.notes)}
