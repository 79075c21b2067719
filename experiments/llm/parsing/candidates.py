"""Reading the candidate groups in a reply: any number, each perhaps with how sure the model is of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...data.wall import GROUP_SIZE
from ..chat import Json
from .clues import WallClues, read_line
from .groups import read_groups, rows_of
from .question import Question
from .text import json_values, without_fences, without_thoughts

_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d+)?)\s*(?:%|percent\b)", re.IGNORECASE)
_SHARE = re.compile(r"(?<![\d.])((?:0?\.\d+)|1\.0+)(?![\d.]|\s*%)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group as it was read, and how likely its model says that it is, 0 to 1; None if it says nothing."""

    group: tuple[str, ...]
    likely: float | None


def read_candidates(
    reply: str, clues: Sequence[str], most: int, question: Question | None = None
) -> list[Candidate]:
    """The groups in a reply in its order, the first ``most``; of one that occurs twice the first.

    Clues of the wall come in the wall's spelling. Groups may be of any size and hold texts that are no clues.
    A reply is read as JSON and line by line, and what finds most groups of four of the wall's clues counts;
    where neither finds any, it is read as a solved wall. What it repeats of its ``question`` is left out.
    """
    wall = WallClues(clues)
    text = without_thoughts(reply)
    if question is not None:
        text = question.without_copies(text)
    values = list(reversed(list(json_values(text))))  # of several the last one
    readings = [_of_json([value], wall) for value in values]
    readings += [_of_json(values, wall), _of_lines(text, wall)]  # all of them, where the whole is cut short
    if question is not None:
        readings = [
            [each for each in candidates if not question.lists(each.group)] for candidates in readings
        ]
    best = max(map(_distinct, readings), key=lambda some: (_n_whole(some, wall), _n_likely(some)))
    if not _n_whole(best, wall):
        solved = _distinct([Candidate(tuple(group), None) for group in read_groups(reply, clues, question)])
        if not best or _n_whole(solved, wall):
            best = solved
    return best[:most]


def is_whole(candidate: Candidate, clues: Sequence[str]) -> bool:
    """Whether it is four of the wall's clues, none oftener than the wall has it."""
    group, left = candidate.group, list(clues)
    for clue in group:
        if clue not in left:
            return False
        left.remove(clue)
    return len(group) == GROUP_SIZE


def _n_whole(candidates: Sequence[Candidate], wall: WallClues) -> int:
    return sum(is_whole(each, wall.clues) for each in candidates)


def _n_likely(candidates: Sequence[Candidate]) -> int:
    return sum(each.likely is not None for each in candidates)


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Each group once; one that is said to be likely only the second time is as likely as that."""
    places: dict[tuple[str, ...], Candidate] = {}
    for each in candidates:
        key = tuple(sorted(each.group))
        first = places.setdefault(key, each)
        if first.likely is None:
            places[key] = replace(first, likely=each.likely)
    return list(places.values())


def _of_lines(text: str, wall: WallClues) -> list[Candidate]:
    candidates = []
    for row in rows_of(without_fences(text), wall):
        line = read_line(row, wall)
        if sum(item.known for item in line) > 1:
            candidates.append(Candidate(tuple(item.text for item in line), _likely(row, wall)))
    return candidates


def _likely(row: str, wall: WallClues) -> float | None:
    """How likely a line says that its group is: the last such number that is not a clue."""
    rest, place = "", 0
    for start, end, _ in wall.spans(row):
        rest, place = rest + row[place:start] + "\n", end
    rest += row[place:]
    if percents := _PERCENT.findall(rest):
        return min(float(percents[-1]) / 100, 1.0)
    shares = _SHARE.findall(rest)
    return float(shares[-1]) if shares else None


def _of_json(values: Sequence[Json], wall: WallClues) -> list[Candidate]:
    candidates = [
        (Candidate(tuple(wall.find(text) or text for text in group), None), number)
        for value in values
        for group, number in _gathered(value)
    ]
    numbers = [number for _, number in candidates if number is not None]
    whole = 100.0 if any(number > 1 for number in numbers) else 1.0
    return [
        each if number is None else replace(each, likely=min(max(number / whole, 0.0), 1.0))
        for each, number in candidates
    ]


def _gathered(value: Json) -> Iterator[tuple[list[str], float | None]]:
    """The lists of texts in a JSON value, each with the number that stands beside it in its object."""
    if isinstance(value, list):
        if len(value) > 1 and all(isinstance(each, str | int) for each in value):
            yield [str(each) for each in value], None
            return
        for each in value:
            yield from _gathered(each)
    elif isinstance(value, dict):
        numbers = [each for each in map(_number, value.values()) if each is not None]
        inner = list(_gathered(list(value.values())))
        one = len(inner) == 1 and len(numbers) == 1
        for group, number in inner:
            yield group, numbers[0] if one and number is None else number


def _number(value: Json) -> float | None:
    if isinstance(value, str) and (percent := _PERCENT.fullmatch(value.strip())):
        return float(percent[1])
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 100:
        return float(value)
    return None
