"""Reading a reply that puts a label to each clue: "Trowel: Group 4", and the like in a table or in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ...data.wall import GROUP_SIZE, N_GROUPS
from ..chat import Json
from .read_line import BULLET
from .wall_clues import WallClues, loose

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


def read_labels(rows: Sequence[str], wall: WallClues) -> list[list[str]]:
    """The groups by numbers or letters that stand beside each clue; [] where there are no such."""
    found = [each for row in rows for each in _numbered(row, wall)]
    if len(found) < _LEAST:
        found = [
            each for row in rows for part in _PARTS.split(wall.mask(row)) for each in _numbered(part, wall)
        ]
    return _grouped(found)


def read_names(rows: Sequence[str], wall: WallClues) -> list[list[str]]:
    """The groups by names that stand behind each clue, which several clues must share."""
    found = []
    for row in rows:
        for clue, rest in _split(row, wall):
            named = loose(rest) and len(rest.split()) <= _LONGEST and not wall.spans(rest)
            if named:
                found.append((clue, loose(rest)))
                break
    return _grouped(found)


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
    found = _NAMED.fullmatch(str(value)) or _BARE.fullmatch(str(value))
    return None if found is None or not isinstance(value, str | int) else _number(found)


def _number(found: re.Match[str]) -> str:
    text = found[1].lower()
    return _NUMBERS.get(text, text.lstrip("0") or "0")


def _numbered(row: str, wall: WallClues) -> Iterator[tuple[str, str]]:
    for clue, rest in _split(row, wall):
        if found := _NAMED.fullmatch(rest) or _BARE.fullmatch(rest):
            yield clue, _number(found)
            return
    head, _, rest = wall.mask(row).partition(":")
    behind = wall.find(wall.unmask(rest))
    if behind is not None and (found := _NAMED.fullmatch(BULLET.sub("", head))):
        yield behind, _number(found)


def _split(row: str, wall: WallClues) -> Iterator[tuple[str, str]]:
    """A clue at the beginning of a row and what stands behind it, at each separator."""
    masked = wall.mask(row).strip().strip("|").strip()
    for separator in _SEPARATOR.finditer(masked):
        head = wall.unmask(masked[: separator.start()])
        for text in (head, BULLET.sub("", head)):
            if (clue := wall.find(text)) is not None:
                yield clue, wall.unmask(masked[separator.end() :])
                break


def _grouped(found: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The clues of each label, by rising numbers, else as the labels first stand."""
    groups: dict[str, list[str]] = {}
    for clue, label in dict.fromkeys(found):
        groups.setdefault(label, []).append(clue)
    n_clues = sum(map(len, groups.values()))
    if n_clues < _LEAST or 2 * len(groups) > n_clues:
        return []  # numbers of a list, or remarks
    if all(label.isdecimal() or len(label) == 1 for label in groups):
        groups = dict(sorted(groups.items(), key=lambda item: (len(item[0]), item[0])))
    return list(groups.values())[:N_GROUPS]
