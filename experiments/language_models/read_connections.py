"""Reading the four connections in a model's reply, in whatever form it wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..data.wall import N_GROUPS
from .chat import Json
from .reply_text import json_values, without_fences, without_thoughts
from .wall_clues import WallClues

_NAMED = re.compile(
    r"\b(?:the\s+)?(?:connections?|connecting\s+link|category|theme|link|answer)\b[\s*_\"`]*[:：=–—-][\s*]*(.*)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"^[\s>*#|-]*(?:(?:group|set|groupe|gruppe|grupo|connection)\s*(\d)\b|\(?(\d)[.):]\s)[\s*]*[:.)\-–—]*[\s*]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:>\s*)*(?:[-*+•]\s+|#{1,6}\s+|\(?\d{1,2}[.):]\s+)+")
_KEYS = ("connection", "category", "theme", "link", "name", "answer", "description")
_TRIM = " \t*\"'`“”„«»"
_BLANK = re.compile(r"^[_\W]*$")
_FINAL = re.compile(
    r"^[^\w\n{\[\x22']*(?:(?:my|the|so|and)\s+)*(?:final\s+(?:answer|connections?)|solved\s+wall|answer|solution)\b"
    r"[^\n:]{0,40}[:：]?[^\w\n\[({]*$",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_LINES = 400
_MOST_LETTERS = 1_000


def read_connections(reply: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """Four connections in the order of the groups; "" for each that is not there.

    Lines that repeat a group's clues are taken for that group, whatever their order; else connections are
    taken in the order in which they stand, the first four of them.
    """
    text = without_thoughts(reply)
    for value in json_values(text):
        found = [each for each in _of_json(value) if each]
        if found:
            return _four(found)
    lines = _lines(without_fences(text))
    by_clues = _by_clues(lines, groups)
    if by_clues is not None:
        return by_clues
    named = [_tidy(match[1]) for line in lines if (match := _NAMED.search(line))]
    if any(named):
        return _four(named)
    cells = [row for row in (_cells(line) for line in lines) if row]
    if len(cells) >= N_GROUPS:
        return _four([row[-1] for row in cells[-N_GROUPS:]])
    numbered = [line for line in lines if _NUMBER.match(line)]
    if not numbered:
        numbered = [line for line in lines if _BULLET.match(line)]
    if not numbered:
        numbered = [line for line in lines if not line.rstrip().endswith((":", "?"))]
        if len(numbered) < N_GROUPS:  # a sentence or two, and no list
            numbered = [line for line in numbered if len(line.split()) <= 8 and not line.endswith((".", "!"))]
    return _four([_tidy(_BULLET.sub("", _NUMBER.sub("", line))) for line in numbered])


def _lines(text: str) -> list[str]:
    finals = list(_FINAL.finditer(text))
    if finals and text[finals[-1].end() :].strip():
        text = text[finals[-1].end() :]
    lines = [line.strip()[:_MOST_LETTERS] for line in text.split("\n") if line.strip()]
    return [line for line in lines[-_MOST_LINES:] if not re.fullmatch(r"[|:\-\s=*_]+", line)]


def _by_clues(lines: Sequence[str], groups: Sequence[Sequence[str]]) -> list[str] | None:
    """The connections on or below lines that hold a group's clues; None where too few are."""
    found: dict[int, str] = {}
    above: dict[int, str] = {}  # what stands on the line before the clues
    group: int | None = None
    seen, last = 0, ""
    for line in lines:
        bare = _BULLET.sub("", line)
        here = _group_of(bare, groups)
        if here is not None:
            group, seen = here, seen + 1
            rest = _rest(bare, groups[here])
            above[here], last = last, ""
        elif group is not None and (named := _NAMED.search(bare)):
            rest = _tidy(named[1])
        else:
            last = _tidy(_NUMBER.sub("", bare)) or last
            continue
        if rest:
            found[group] = rest  # the last one, where a model thinks twice
    found = found or {number: text for number, text in above.items() if text}
    if seen < 2 or not found:
        return None
    return [found.get(number, "") for number in range(len(groups))]


def _group_of(line: str, groups: Sequence[Sequence[str]]) -> int | None:
    """The group all of whose clues stand on the line, or all but one."""
    held = [[clue for clue in clues if not WallClues([clue]).absent(line)] for clues in groups]
    best = max(range(len(groups)), key=lambda number: (len(held[number]), sum(map(len, held[number]))))
    return best if len(held[best]) >= len(groups[best]) - 1 else None


def _rest(line: str, clues: Sequence[str]) -> str:
    """What a line says beside the clues: after "Connection:", else before or behind them."""
    places = []
    for clue in clues:
        start = line.casefold().find(clue.casefold())
        if start >= 0:
            places.append((start, start + len(clue)))
    named = _NAMED.search(line)
    if named and (not places or min(places)[0] < named.start()):
        return _tidy(named[1])
    if not places:
        return ""
    before, after = line[: min(start for start, _ in places)], line[max(end for _, end in places) :]
    after = _tidy(re.sub(r"^[\s.,;:)\]*\"'|–—=>→(-]+(?:(?:is|are)\s+)?", "", after))
    before = _tidy(re.sub(r"[\s(\[*\"'|:–—=>→-]+$", "", _NUMBER.sub("", before)))
    return after or before


def _cells(line: str) -> list[str]:
    """The cells of a table's row; [] where the line is none."""
    if line.count("|") < 2:
        return []
    return [_tidy(cell) for cell in line.strip().strip("|").split("|")]


def _of_json(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield _tidy(value)
    elif isinstance(value, list):
        for inner in value:
            yield from _of_json(inner)
    elif isinstance(value, dict):
        named = [key for key in value if str(key).lower() in _KEYS]
        if named and isinstance(value[named[0]], str):
            yield _tidy(value[named[0]])
        else:
            for inner in value.values():
                yield from _of_json(inner)


def _tidy(text: str) -> str:
    """A connection without what wraps it; "" for a blank that was not filled in."""
    text = text.strip(_TRIM + "|").strip()
    if text.endswith(".") and not text.endswith(".."):
        text = text[:-1]
    for opened, closed in ("()", "[]"):
        if text.startswith(opened) and text.endswith(closed) and text.count(opened) == 1:
            text = text[1:-1]
        elif text.endswith(closed) and opened not in text:
            text = text[:-1]
    text = text.strip(_TRIM)
    return "" if _BLANK.match(text) else text


def _four(found: Sequence[str]) -> list[str]:
    """The first four, filled up as the paper does."""
    return [*found[:N_GROUPS], *[""] * (N_GROUPS - len(found))]
