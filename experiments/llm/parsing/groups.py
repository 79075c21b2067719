"""Reading the groups of a wall in a model's reply, in whatever form it wrote them.

A reply is read as JSON, as lines of clues, as clues below each other and as tables, and the reading that
finds most of the wall's clues counts. Nothing is made up: what stands in a clue's place and is not on the
wall is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ...data.wall import GROUP_SIZE, N_GROUPS
from ..chat import Json
from .clues import Line, WallClues, read_line, split_line
from .layouts import read_blocks, read_json_labels, read_labelled, read_names, read_table, with_single
from .question import Question
from .text import json_values, without_fences, without_thoughts

_LONGEST = 6  # words of something that could be meant for a clue
_MOST_LINES = 400  # of a reply, its last ones: what comes before is thought
_MOST_LETTERS = 1_000  # of a line

Groups: TypeAlias = list[list[str]]

_ABOUT = re.compile(
    r"^\W*(?:the\s+)?(?:connections?|category|theme|link|reason|explanation|because|note|remaining)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^\W*(?:\d{1,2}[.):]|(?:group|set|category|row|line)\s*(?:\d|[A-D]\b|one\b|two\b|three\b|four\b))",
    re.IGNORECASE,
)
_RULE = re.compile(r"[\s|:+=_-]+")
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


def read_groups(reply: str, clues: Sequence[str], question: Question | None = None) -> Groups:
    """The groups in a reply, at most four, each a list of texts; [] where there are none.

    Clues of the wall come in the wall's spelling, whatever the reply's. Groups may be of any size. What the
    reply repeats of its ``question`` is not an answer: neither the prompt's own words nor the clues as
    they are listed there nor a hint below its heading.
    """
    wall = WallClues(clues)
    text = without_thoughts(reply)
    if question is not None:
        text = question.without_copies(text)
    ends = [match.end() for match in _FINAL.finditer(text) if not wall.spans(match[0])]
    if question is not None and question.cue:
        ends += [match.end() for match in re.finditer(re.escape(question.cue), text, re.IGNORECASE)]
    if ends:
        # What is called the answer is it, even if an earlier try holds more of the wall's clues.
        answer = _best(text[max(ends) :], wall, question)
        if len(answer) > 1:
            return answer
    return _best(text, wall, question)


def padded(groups: Sequence[Sequence[str]]) -> Groups:
    """Four groups of four, as the paper scores them: what is too much is cut, what lacks is "".

    A group of five whose first four are right is then a right one, as it is in the paper; it counts among
    the misformatted ones.
    """
    rows = [list(group[:GROUP_SIZE]) for group in groups[:N_GROUPS]]
    rows += [[] for _ in range(N_GROUPS - len(rows))]
    return [row + [""] * (GROUP_SIZE - len(row)) for row in rows]


def _best(text: str, wall: WallClues, question: Question | None) -> Groups:
    """The reading of a text that finds most, of equal ones the likeliest."""
    best: Groups = []
    for candidate in _candidates(text, wall, question):
        if _worth(candidate, wall) > _worth(best, wall):
            best = candidate
    return _undivided(best[0], wall, question) if len(best) == 1 else best


def _undivided(group: list[str], wall: WallClues, question: Question | None) -> Groups:
    """What a reply without any division into groups comes to.

    The whole wall in an order of the model's own is its groups, one after the other; in an order that the
    question has it is a copy. Any other list is one group, of too many clues.
    """
    if _listed(group, wall, question):
        return []
    if len(group) > GROUP_SIZE and sorted(group) == sorted(wall.clues):
        return [group[start : start + GROUP_SIZE] for start in range(0, len(group), GROUP_SIZE)]
    return [group]


def _listed(group: Sequence[str], wall: WallClues, question: Question | None) -> bool:
    return question is not None and question.lists([text for text in group if text in wall.clues])


def _candidates(text: str, wall: WallClues, question: Question | None) -> Iterator[Groups]:
    """The readings of a text, those that are likelier first; of several JSON values the last one."""
    values = list(reversed(list(json_values(text))))
    for value in values:
        yield read_json_labels(value, wall)
    for value in values:
        yield _of_json(value, wall)
    text = without_fences(text)
    yield _of_text(text, wall, question)
    if "</" in text:
        text = _TAG.sub("", _CELL_ENDS.sub(" | ", _TAG_ENDS.sub("\n", text)))
        yield _of_text(text, wall, question)


def _worth(groups: Groups, wall: WallClues) -> tuple[int, int]:
    """How many of the wall's clues a reading finds, and then how many groups."""
    clues = {text for group in groups for text in group} & set(wall.clues)
    return len(clues), len(groups)


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
                lines.append(line)
                return
        for inner in value:
            _gather(inner, wall, lines)
    elif isinstance(value, str):
        for row in value.split("\n"):
            line = read_line(row, wall)
            if len(line) > 1:
                lines.append(line)


def _lists_clues(value: Json, wall: WallClues) -> bool:
    if not isinstance(value, list):
        return False
    return sum(isinstance(each, str) and wall.find(each) is not None for each in value) > 1


def _named_clue(value: Json, wall: WallClues) -> Json:
    """The clue in an object such as {"clue": "Oak"}; any other value as it is."""
    if isinstance(value, dict):
        named = [each for each in value.values() if isinstance(each, str) and wall.find(each) is not None]
        if len(named) == 1 and not any(isinstance(each, list | dict) for each in value.values()):
            return named[0]
    return value


def _of_text(text: str, wall: WallClues, question: Question | None) -> Groups:
    whole = _lines_of(text)
    rows = [row for line in whole for row in split_line(line, wall)]
    lines = [read_line(row, wall) for row in rows]
    groups, lists = [], []
    for row, line in zip(rows, lines, strict=True):
        n_known = sum(item.known for item in line)
        alone = len(line) == 1 and n_known == 1
        if (
            _RULE.fullmatch(row)
            or not (_is_group(line) or alone)
            or (_ABOUT.match(row) and n_known < GROUP_SIZE)
        ):
            continue
        of_wall = n_known > len(wall.clues) // 2 and not _NUMBERED.match(row)
        if not (of_wall and _listed([item.text for item in line], wall, question)):
            groups.append(line)
            lists.append(of_wall)
    if lists.count(False) > 1:  # beside groups, a list of the wall is none
        groups = [line for line, of_wall in zip(groups, lists, strict=True) if not of_wall]
    several = with_single(groups) if any(len(line) > 1 for line in groups) else []
    candidates = [
        read_labelled(whole, wall),
        read_table(rows, wall),
        _chosen(several),
        _chosen(read_blocks(rows, lines)),
    ]
    best = max(candidates, key=lambda groups: _worth(groups, wall))
    return (read_names(whole, wall) or best) if len(best) == 1 else best


def rows_of(text: str, wall: WallClues) -> list[str]:
    """The lines of a text, its last ones, those that hold several groups as several lines."""
    return [row for line in _lines_of(text) for row in split_line(line, wall)]


def _lines_of(text: str) -> list[str]:
    """The last lines of a text, each of bounded length."""
    return [_shortened(line) for line in text.split("\n") if line.strip() or not line][-_MOST_LINES:]


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
