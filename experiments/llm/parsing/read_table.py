"""Reading a table of a reply: its groups are its rows or its columns, and its headings say which."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...data.wall import GROUP_SIZE, N_GROUPS
from .wall_clues import WallClues

_RULE = re.compile(r":?-+:?")
# Headings of columns that hold a clue of each group, and of those that hold none.
_CLUE = re.compile(r"(?:(?:clue|word|item|member|answer|entry)s?)?\W*(?:\d{1,2}|[a-d])?\W*", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:#|no\.?|nr\.?|number|(?:the\s+)?(?:group|set|row|category|connection|theme|link|name|title)s?)\W*",
    re.IGNORECASE,
)


def read_table(rows: Sequence[str], wall: WallClues) -> list[list[str]]:
    """The groups of a table with headings and rows of four clues each; [] if there is no such table.

    Its columns are the groups where their headings name them, as "Group 1" or a connection does; below
    numbers or "Clue 1" its rows are.
    """
    table: list[list[str]] = []
    for row in rows:
        cut_short = bool(table) and row.lstrip().startswith("|")
        if row.count("|") >= GROUP_SIZE - 1 or cut_short:
            table.append(_cells(row, wall))
    ruled = any(_is_rule(row) for row in table)
    table = [row for row in table if not _is_rule(row)]
    if len(table) < 2:
        return []
    head, *body = table
    if any(wall.find(wall.unmask(cell)) is not None for cell in head) and not (
        ruled and len(body) >= N_GROUPS
    ):
        return []
    if any(len(row) != len(head) for row in body[:-1]) or len(body[-1]) > len(head):
        return []
    body[-1] += [""] * (len(head) - len(body[-1]))  # cut short
    places = [place for place, cell in enumerate(head) if not _LABEL.fullmatch(cell)]
    if len(places) == GROUP_SIZE and all(_CLUE.fullmatch(head[place]) for place in places):
        groups = [[row[place] for place in places] for row in body]
    elif len(head) == N_GROUPS and all(head[:-1]) and not any(_CLUE.fullmatch(cell) for cell in head):
        groups = [list(column) for column in zip(*body, strict=True)]
    else:
        return []
    return [[item.text for item in wall.items(group)] for group in groups[:N_GROUPS]]


def _cells(row: str, wall: WallClues) -> list[str]:
    return [cell.strip() for cell in wall.mask(row).strip().strip("|").split("|")]


def _is_rule(row: Sequence[str]) -> bool:
    return all(_RULE.fullmatch(cell) for cell in row)
