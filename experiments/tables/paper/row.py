"""What one row of a published table holds, and how the tables are written down here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

N_WALLS = 494  # the test split
N_GROUPS = 1976
N_RUNS = 16

# The columns of the paper's Task 1 tables, by the names of fourfold's metrics.
COLUMNS = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups")


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A model's row: for each metric its mean and its spread, in the table's own units."""

    title: str
    section: str
    values: Mapping[str, tuple[float, float]]


def rows(table: str) -> dict[str, PaperRow]:
    """Rows by key from lines of ``key | title | mean spread | ...``, with cells in ``COLUMNS``' order.

    A line without a bar is the head of a section: the rows below it are of that section.
    """
    found = {}
    section = ""
    for line in table.strip().splitlines():
        if "|" not in line:
            section = line.strip()
            continue
        key, title, *cells = (part.strip() for part in line.split("|"))
        pairs = [tuple(map(float, cell.split())) for cell in cells]
        found[key] = PaperRow(
            title, section, {name: (mean, std) for name, (mean, std) in zip(COLUMNS, pairs, strict=True)}
        )
    return found
