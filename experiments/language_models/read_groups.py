"""Reading the groups of a wall in a model's reply, in whatever form it wrote them.

A reply is read as JSON, as lines of clues, as clues below each other and as tables, and the reading that
finds most of the wall's clues counts. Nothing is made up: what stands in a clue's place and is not on the
wall is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..data.wall import GROUP_SIZE, N_GROUPS
from .chat import Json
from .read_line import Line, read_line, split_line
from .read_table import read_table
from .reply_text import json_values, without_fences, without_thoughts
from .wall_clues import WallClues

_LONGEST = 6  # words of something that could be meant for a clue
_MOST_LINES = 400  # of a reply, its last ones: what comes before is thought
_MOST_LETTERS = 1_000  # of a line

Groups: TypeAlias = list[list[str]]

_ABOUT = re.compile(
    r"^\W*(?:the\s+)?(?:connections?|category|theme|link|reason|explanation|because|note|remaining)\b",
    re.IGNORECASE,
)
_TAG_ENDS = re.compile(
    r"</(?:tr|li|p|div|group|row|set|category)\s*>|<br\s*/?>|</[\w-]*group[\w-]*\s*>", re.IGNORECASE
)
_CELL_ENDS = re.compile(r"</(?:td|th|clue|word|item)\s*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,60}>")
_FINAL = re.compile(
    r"^[^\w\n{\[\x22']*(?:(?:my|the|so|here is|here's|and)\s+)*"
    r"(?:final\s+(?:answer|solution|groups?|grouping)|solved\s+wall|answer|solution)\b[^\n:]{0,40}[:：]?[^\w\n\[({]*",
    re.IGNORECASE | re.MULTILINE,
)


def read_groups(reply: str, clues: Sequence[str]) -> Groups:
    """The groups in a reply, at most four, each a list of texts; [] where there are none.

    Clues of the wall come in the wall's spelling, whatever the reply's. Groups may be of any size.
    """
    wall = WallClues(clues)
    text = without_thoughts(reply)
    if finals := list(_FINAL.finditer(text)):
        # What is called the answer is it, even if an earlier try holds more of the wall's clues.
        answer = _best(text[finals[-1].end() :], wall)
        if len(answer) > 1:
            return answer
    return _best(text, wall)


def padded(groups: Sequence[Sequence[str]]) -> Groups:
    """Four groups of four, as the paper scores them: what is too much is cut, what lacks is "".

    A group of five whose first four are right is then a right one, as it is in the paper; it counts among
    the misformatted ones.
    """
    rows = [list(group[:GROUP_SIZE]) for group in groups[:N_GROUPS]]
    rows += [[] for _ in range(N_GROUPS - len(rows))]
    return [row + [""] * (GROUP_SIZE - len(row)) for row in rows]


def _best(text: str, wall: WallClues) -> Groups:
    """The reading of a text that finds most, of equal ones the likeliest."""
    best: Groups = []
    for candidate in _candidates(text, wall):
        if _worth(candidate, wall) > _worth(best, wall):
            best = candidate
    return best


def _candidates(text: str, wall: WallClues) -> Iterator[Groups]:
    """The readings of a text, those that are likelier first; of several JSON values the last one."""
    for value in reversed(list(json_values(text))):
        yield _of_json(value, wall)
    text = without_fences(text)
    yield _of_text(text, wall)
    if "</" in text:
        yield _of_text(_TAG.sub("", _CELL_ENDS.sub(" | ", _TAG_ENDS.sub("\n", text))), wall)


def _worth(groups: Groups, wall: WallClues) -> tuple[int, int]:
    """How many of the wall's clues a reading finds, and then how many groups."""
    found = {text for group in groups for text in group} & set(wall.clues)
    return len(found), len(groups)


def _of_json(value: Json, wall: WallClues) -> Groups:
    lines: list[Line] = []
    _gather(value, wall, lines)
    return _chosen(lines)


def _gather(value: Json, wall: WallClues, lines: list[Line]) -> None:
    """The groups in a JSON value: lists of texts, or texts that hold several clues."""
    if isinstance(value, dict):
        # A text beside a list of clues is their connection, which may name clues of the wall.
        texts_too = not any(_lists_clues(inner, wall) for inner in value.values())
        for inner in value.values():
            if texts_too or not isinstance(inner, str):
                _gather(inner, wall, lines)
    elif isinstance(value, list):
        value = [_named_clue(each, wall) for each in value]
        if value and all(isinstance(each, str | int | float) for each in value):
            line = wall.items(wall.mask(str(each)) for each in value)
            if sum(item.known for item in line) * 2 >= len(line) or not any("," in str(e) for e in value):
                lines += _fours(line)
                return
        for inner in value:
            _gather(inner, wall, lines)
    elif isinstance(value, str):
        for row in value.split("\n"):
            line = read_line(row, wall)
            if len(line) > 1:
                lines += _fours(line)


def _lists_clues(value: Json, wall: WallClues) -> bool:
    if not isinstance(value, list):
        return False
    return sum(isinstance(each, str) and wall.find(each) is not None for each in value) > 1


def _named_clue(value: Json, wall: WallClues) -> Json:
    """The clue in an object such as {"clue": "Oak"}; any other value as it is."""
    if isinstance(value, dict):
        found = [each for each in value.values() if isinstance(each, str) and wall.find(each) is not None]
        if len(found) == 1 and not any(isinstance(each, list | dict) for each in value.values()):
            return found[0]
    return value


def _of_text(text: str, wall: WallClues) -> Groups:
    rows = rows_of(text, wall)
    lines = [read_line(row, wall) for row in rows]
    several = [
        four
        for row, line in zip(rows, lines, strict=True)
        if _is_group(line) and (not _ABOUT.match(row) or sum(item.known for item in line) >= GROUP_SIZE)
        for four in _fours(line)
    ]
    candidates = [read_table(rows, wall), _chosen(several), _one_a_line(rows, lines)]
    return max(candidates, key=lambda groups: _worth(groups, wall))


def rows_of(text: str, wall: WallClues) -> list[str]:
    """The lines of a text, its last ones, those that hold several groups as several lines."""
    whole = [_shortened(line) for line in text.split("\n") if line.strip() or not line]
    return [row for line in whole[-_MOST_LINES:] for row in split_line(line, wall)]


def _shortened(line: str) -> str:
    """A line that takes no time: runs of marks and blanks, which no clue has, as short ones."""
    return re.sub(r"(\W)\1{7,}", r"\1\1\1\1", line)[:_MOST_LETTERS]


def _is_group(line: Line) -> bool:
    """Whether a line's items are meant for a group, and not words of a sentence."""
    known = sum(item.known for item in line)
    if known > 1:
        return True
    short = all(len(item.text.split()) <= _LONGEST for item in line)
    return short and (
        len(line) == GROUP_SIZE or (known == 1 and GROUP_SIZE - 1 <= len(line) <= GROUP_SIZE + 1)
    )


def _fours(line: Line) -> list[Line]:
    """A line that is a whole wall, or half of one, cut into groups of four."""
    if len(line) >= 2 * GROUP_SIZE and sum(item.known for item in line) > GROUP_SIZE + 1:
        return [line[start : start + GROUP_SIZE] for start in range(0, len(line), GROUP_SIZE)]
    return [line]


def _chosen(lines: Sequence[Line]) -> Groups:
    """Four of the lines that follow on each other: the last that solve the wall, or the first best."""
    if len(lines) > N_GROUPS:
        windows = [lines[start : start + N_GROUPS] for start in range(len(lines) - N_GROUPS + 1)]
        whole = [window for window in windows if _n_known(window) == N_GROUPS * GROUP_SIZE]
        lines = whole[-1] if whole else max(windows, key=_n_known)
    return [[item.text for item in line] for line in lines]


def _n_known(lines: Iterable[Line]) -> int:
    """How many different clues of the wall the lines hold."""
    return len({item.text for line in lines for item in line if item.known})


@dataclass(slots=True)
class _Block:
    """Lines on which one clue each stands, one after the other and in the same way."""

    style: str
    indent: int
    lines: list[Line]


def _one_a_line(rows: Sequence[str], lines: Sequence[Line]) -> Groups:
    """Groups whose clues stand below each other."""
    blocks: list[_Block] = []
    open_block = False
    for row, line in zip(rows, lines, strict=True):
        if not row.strip() or len(line) != 1:
            open_block = False
            continue
        style, indent = _style(row), len(row) - len(row.lstrip())
        restarts = style == "number" and re.match(r"\s*\(?1[.):]", row) is not None
        if (
            open_block
            and blocks
            and (blocks[-1].style, blocks[-1].indent) == (style, indent)
            and not restarts
        ):
            blocks[-1].lines.append(line)
        else:
            blocks.append(_Block(style, indent, [line]))
        open_block = True
    found = []
    for block in blocks:
        items = [line[0] for line in block.lines]
        if block.style == "" and len(items) > GROUP_SIZE and not items[0].known:
            items = items[1:]  # a heading
        if any(item.known for item in items):
            found.append(items)
    longer = [items for items in found if len(items) > 1]
    if not longer:  # each has a blank line of its own
        longer = [[item for items in found for item in items]]
    return _chosen([four for items in longer for four in _cut(items)])


def _style(row: str) -> str:
    if re.match(r"\s*\(?\d{1,2}[.):]\s", row):
        return "number"
    if re.match(r"\s*[-*+•◦▪–—]\s", row):
        return "bullet"
    return ""


def _cut(items: Line) -> list[Line]:
    """A block that is longer than a group, in groups of four."""
    if len(items) <= GROUP_SIZE + 1:
        return [items] if items else []
    return [items[start : start + GROUP_SIZE] for start in range(0, len(items), GROUP_SIZE)]
