"""Reading groups from a reply's layout: a clue a line in blocks, tables, and labels beside clues."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...data.wall import GROUP_SIZE, N_GROUPS
from ..chat import Json
from .clues import BULLET, GROUP, Item, Line, WallClues, loose

Labelled: TypeAlias = list[tuple[str, str]]  # clue and label

_LEAST = N_GROUPS * GROUP_SIZE // 2  # clues with a label, for labels to be what a reply is about
_GROUP = r"(?:group|set|category|row|line|groupe|gruppe|grupo)s?\W{0,3}(?:no\.?|number)?\W{0,3}"
_NUMBER = r"#?(\d{1,2}|[A-H]|one|two|three|four)\b"
_NAMED = re.compile(rf"\W*{_GROUP}{_NUMBER}\W*", re.IGNORECASE)
_BARE = re.compile(rf"\W*{_NUMBER}\W*", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?:[:：|=(\[{→,;]|[-=]>|[–—]|\s-\s)\s*")
_PARTS = re.compile(r"\s*[,;]\s*")
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4"}
_LONGEST = 8  # words of a label that is a name


def read_labelled(rows: Sequence[str], wall: WallClues) -> list[list[str]]:
    """The groups by numbers or letters that stand beside each clue; [] where there are no such."""
    items = [each for row in rows for each in _numbered(row, wall)]
    if len(items) < _LEAST:
        items = [
            each for row in rows for part in _PARTS.split(wall.mask(row)) for each in _numbered(part, wall)
        ]
    return _grouped(items)


def read_names(rows: Sequence[str], wall: WallClues) -> list[list[str]]:
    """The groups by names that stand behind each clue, which several clues must share."""
    groups = []
    for row in rows:
        for clue, rest in _split(row, wall):
            named = loose(rest) and len(rest.split()) <= _LONGEST and not wall.spans(rest)
            if named:
                groups.append((clue, loose(rest)))
                break
    return _grouped(groups)


def read_json_labels(value: Json, wall: WallClues) -> list[list[str]]:
    """The groups of a JSON value that has a label for each clue, such as {"Trowel": 4}."""
    return _grouped(list(_of_json(value, wall)))


def _of_json(value: Json, wall: WallClues) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        clues = {key: clue for key in value if (clue := wall.find(str(key))) is not None}
        scalars = [each for each in value.values() if isinstance(each, str | int)]
        of_value = [clue for each in scalars if (clue := wall.find(str(each))) is not None]
        if len(clues) > 1:
            labels = {clue: _label(value[key]) for key, clue in clues.items()}
            yield from ((clue, label) for clue, label in labels.items() if label is not None)
        elif len(of_value) == 1 and len(scalars) == len(value):
            numbers = [number for each in scalars if (number := _label(each)) is not None]
            if len(numbers) == 1:
                yield of_value[0], numbers[0]
        for inner in value.values():
            yield from _of_json(inner, wall)
    elif isinstance(value, list):
        for inner in value:
            yield from _of_json(inner, wall)


def _label(value: Json) -> str | None:
    """The number of a group that a value is; None if it is none."""
    if isinstance(value, bool):
        return None
    match = _NAMED.fullmatch(str(value)) or _BARE.fullmatch(str(value))
    return None if match is None or not isinstance(value, str | int) else _number(match)


def _number(match: re.Match[str]) -> str:
    text = match[1].lower()
    return _NUMBERS.get(text, text.lstrip("0") or "0")


def _numbered(row: str, wall: WallClues) -> Iterator[tuple[str, str]]:
    for clue, rest in _split(row, wall):
        if match := _NAMED.fullmatch(rest) or _BARE.fullmatch(rest):
            yield clue, _number(match)
            return
    head, _, rest = wall.mask(row).partition(":")
    behind = wall.find(wall.unmask(rest))
    if behind is not None and (match := _NAMED.fullmatch(BULLET.sub("", head))):
        yield behind, _number(match)


def _split(row: str, wall: WallClues) -> Iterator[tuple[str, str]]:
    """A clue at the beginning of a row and what stands behind it, at each separator."""
    masked = wall.mask(row).strip().strip("|").strip()
    for separator in _SEPARATOR.finditer(masked):
        head = wall.unmask(masked[: separator.start()])
        for text in (head, BULLET.sub("", head)):
            if (clue := wall.find(text)) is not None:
                yield clue, wall.unmask(masked[separator.end() :])
                break


def _grouped(numbered: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The clues of each label, by rising numbers, else as the labels first stand."""
    groups: dict[str, list[str]] = {}
    for clue, label in dict.fromkeys(numbered):
        groups.setdefault(label, []).append(clue)
    n_clues = sum(map(len, groups.values()))
    if n_clues < _LEAST or 2 * len(groups) > n_clues:
        return []  # numbers of a list, or remarks
    if all(label.isdecimal() or len(label) == 1 for label in groups):
        groups = dict(sorted(groups.items(), key=lambda item: (len(item[0]), item[0])))
    return list(groups.values())[:N_GROUPS]


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
    blocks = []
    for block in _blocks(rows, lines):
        items = [line[0] for line in block.lines]
        divided = _by_headings(items) if block.style == "" else []
        if block.style == "" and len(items) > GROUP_SIZE and not items[0].known:
            items = items[1:]  # a heading
        blocks += divided or ([items] if any(item.known for item in items) else [])
    longer = [items for items in blocks if len(items) > 1]
    if not longer:  # each has a blank line of its own
        joined = [item for items in blocks for item in items]
        return [joined] if joined else []
    return with_single(blocks)


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
    """The items divided where one that is not a clue stands above others, if that makes groups; else []."""
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
