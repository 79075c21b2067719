"""Reading groups whose clues stand below each other, one a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...data.wall import GROUP_SIZE, N_GROUPS
from .read_line import GROUP, Line
from .wall_clues import Item


@dataclass(slots=True)
class _Block:
    """Lines on which one clue each stands, one after the other and in the same way."""

    style: str
    indent: int
    lines: list[Line]


def read_blocks(rows: Sequence[str], lines: Sequence[Line]) -> list[Line]:
    """The groups of a reply with one clue a line; a list without any division is one group.

    ``lines`` are the rows as they were read.
    """
    found = []
    for block in _blocks(rows, lines):
        items = [line[0] for line in block.lines]
        divided = _by_headings(items) if block.style == "" else []
        if block.style == "" and len(items) > GROUP_SIZE and not items[0].known:
            items = items[1:]  # a heading
        found += divided or ([items] if any(item.known for item in items) else [])
    longer = [items for items in found if len(items) > 1]
    if not longer:  # each has a blank line of its own
        joined = [item for items in found for item in items]
        return [joined] if joined else []
    return with_single(found)


def with_single(lines: Sequence[Line]) -> list[Line]:
    """The groups among some lines: those of several clues, and single clues that are in none of these.

    A clue that a reply leaves over is its last group; one that is elsewhere too is a heading.
    """
    several = [line for line in lines if len(line) > 1]
    used = {item.text for line in several for item in line}
    if len(several) >= N_GROUPS:
        return several
    return [line for line in lines if len(line) > 1 or (line and line[0].known and line[0].text not in used)]


def _blocks(rows: Sequence[str], lines: Sequence[Line]) -> list[_Block]:
    blocks: list[_Block] = []
    open_block = False
    for row, line in zip(rows, lines, strict=True):
        if not row.strip() or len(line) != 1:
            open_block = False
            continue
        style, indent = _style(row, line[0]), len(row) - len(row.lstrip())
        restarts = style == "group" or (style == "number" and re.match(r"\s*\(?1[.):]", row) is not None)
        same = bool(blocks) and (blocks[-1].style, blocks[-1].indent) == (style, indent)
        if open_block and same and not restarts:
            blocks[-1].lines.append(line)
        else:
            blocks.append(_Block(style, indent, [line]))
        open_block = True
    return blocks


def _by_headings(items: Line) -> list[Line]:
    """The items divided where one that is no clue stands above others, if that makes groups; else []."""
    groups: list[Line] = []
    for item in items:
        if not item.known:
            groups.append([])
        elif groups:
            groups[-1].append(item)
        else:
            return []
    like_groups = all(abs(len(group) - GROUP_SIZE) <= 1 for group in groups)
    return groups if len(groups) > 1 and like_groups else []


def _style(row: str, item: Item) -> str:
    named = GROUP.match(row)
    if named and row[named.end() :].strip(" *_`\"'") and item.text != row.strip():
        return "group"
    if re.match(r"\s*\(?\d{1,2}[.):]\s", row):
        return "number"
    if re.match(r"\s*[-*+•◦▪–—]\s", row):
        return "bullet"
    return ""
