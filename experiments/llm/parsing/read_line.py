"""Reading one line of a reply: the clues on it, whatever stands before, between and behind them.

A line is read in every way that could be meant, and the way that finds most of the wall's clues counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from ...data.wall import GROUP_SIZE
from .wall_clues import Item, WallClues

Line: TypeAlias = list[Item]

_SEPARATORS = (
    re.compile(r"\s*[,;，；、،؛\t]\s*"),
    re.compile(r"\s*;\s*"),
    re.compile(r"\s*\|\s*"),
    re.compile(r"\s+/\s+"),
    re.compile(r"\s*/\s*"),
    re.compile(r"\s+[-\u2013\u2014]\s+"),
    re.compile(r"\s*[·•]\s*"),
    re.compile(r"\s{2,}"),
)
_LAST = re.compile(r"^\s*(?:and|und|et|y|e|&)\s+|\s+(?:and|und|et|y|e|&)\s+", re.IGNORECASE)
BULLET = re.compile(
    r"^\s*(?:>\s*)*(?:[-*+•◦▪–—]\s+|#{1,6}\s*|\(?\d{1,2}[.):]\s+|\(?[A-Da-d][.)]\s+|[①-⑨]\s*|\d\ufe0f?\u20e3\s*)+"
)
GROUP = re.compile(
    r"^\W*(?:group|set|category|row|line|groupe|gruppe|grupo)\s*(?:\d+|[A-D]|one|two|three|four)\b[\s*_]*[:.)\-–—]*\s*",
    re.IGNORECASE,
)
_ANOTHER_GROUP = re.compile(r"(?<=\S)\s+(?=\W{0,3}(?:group|category)\s*[1-4]\s*[:.)\-–—])", re.IGNORECASE)
_HEAD_ENDS = re.compile(r"[:：]|\s[-\u2013\u2014=]\s|[=-]>|→")
_CONNECTION = re.compile(
    r"[\s.,;(\[{*_|–—-]*\b(?:the\s+)?(?:connections?|category|theme|link|reason|connecting)\b[\s*_]*[:=–—-].*$",
    re.IGNORECASE,
)
_TAILS = (
    _CONNECTION,
    re.compile(r"\s*[(\[{][^()\[\]{}]*[)\]}]?[\s.*_]*$"),
    re.compile(r"\s*(?:\s[-\u2013\u2014=]\s|[=-]>|→)(?!.*(?:\s[-\u2013\u2014=]\s|[=-]>|→)).*$"),
    re.compile(r"\s*(?:\s[-\u2013\u2014=]\s|[=-]>|→).*$"),
    re.compile(r"\s*[:：].*$"),
    re.compile(r"[.!。]\s.*$"),
    re.compile(r"\s*//.*$"),
)
_REMARK = re.compile(r"\s*\([^()]*\)")
_BEFORE = re.compile(r"[^\w\s,;/|.·•、，；-]\s*$|\b(?:is|are|includes?|contains?|with|of)\s+$", re.IGNORECASE)
_BEHIND = re.compile(r"[\s.]*[^\w\s,;/|·•、，；-]")


def split_line(line: str, wall: WallClues) -> list[str]:
    """A line that holds several groups as several lines."""
    parts = _ANOTHER_GROUP.split(line)
    if len(parts) > 1:
        return parts
    masked = wall.mask(line)
    for separator in (r";", r"\s/\s", r"\|", r"\]\s*,", r"\)\s*,\s*\(", r"\.\s"):
        parts = [wall.unmask(part) for part in re.split(separator, masked)]
        if len([part for part in parts if len(part) >= 2 * GROUP_SIZE - 1]) < 2:
            continue  # too short for two groups
        counts = [sum(item.known for item in read_line(part, wall)) for part in parts if part.strip()]
        if len([count for count in counts if count >= GROUP_SIZE - 1]) > 1:
            return parts
    return [line]


def read_line(line: str, wall: WallClues) -> Line:
    """The clues of one line, in the reading that finds most; of those, the one that leaves least."""
    best: Line = []
    best_worth = (0, False, 0, 0)
    masked = wall.mask(line)
    if wall.absent(line):
        texts = [line, *_heads(line)]
    else:
        texts = [*_readings(line), *_readings(masked)]
        texts += [wall.mask(cut) for cut in _cut_to_clues(line, wall)]
        texts.append(_REMARK.sub("", masked))
    for text in dict.fromkeys(texts):
        for separator in _SEPARATORS:
            parts = separator.split(text)
            items = wall.items(_with_last_split(parts, wall))
            unknown = [item for item in items if not item.known]
            worth = (
                len(items) - len(unknown),
                len(items) == GROUP_SIZE,
                -len(unknown),
                -sum(len(item.text) for item in unknown),
            )
            if not best or worth > best_worth:
                best, best_worth = items, worth
    bare = _bare_clues(line, wall)
    whole = best_worth[1] and best_worth[2] == 0
    return bare if len(bare) > best_worth[0] and not whole else best


def _cut_to_clues(line: str, wall: WallClues) -> list[str]:
    """The line from its first clue and to its last, where what is cut off is a name or a bracket."""
    spans = wall.spans(line)
    if not spans:
        return []
    first, last = spans[0][0], spans[-1][1]
    start = first if _BEFORE.search(line[:first]) else 0
    end = last if _BEHIND.match(line[last:]) else len(line)
    return [line[start:], line[:end], line[start:end]]


def _bare_clues(line: str, wall: WallClues) -> Line:
    """The clues of a line that holds no letters beside them, whatever separates them."""
    spans = wall.spans(line)
    rest, place = "", 0
    for start, end, _ in spans:
        rest, place = rest + line[place:start], end
    if len(spans) < GROUP_SIZE - 1 or any(letter.isalpha() for letter in rest + line[place:]):
        return []
    return [Item(clue, True) for _, _, clue in spans]


def _with_last_split(parts: list[str], wall: WallClues) -> list[str]:
    """The parts, the last one at its "and" where that makes a clue of it."""
    if not parts or wall.find(wall.unmask(parts[-1])) is not None:
        return parts
    split = [part for part in _LAST.split(parts[-1]) if part.strip()]
    if any(wall.find(wall.unmask(part)) is not None for part in split):
        return [*parts[:-1], *split]
    return parts


def _readings(line: str) -> Iterator[str]:
    """A line with and without what may stand before and behind its clues."""
    for head in _heads(line):
        yield head
        for tail in _TAILS:
            yield tail.sub("", head)
        if "|" in head:
            yield head.rpartition("|")[0]


def _heads(line: str) -> list[str]:
    """A line with and without what may stand before its clues."""
    stripped = line.strip().strip("|").strip()
    bare = BULLET.sub("", stripped)
    heads = [stripped, bare, GROUP.sub("", bare)]
    ends = list(_HEAD_ENDS.finditer(stripped))
    heads += [stripped[end.end() :] for end in (*ends[:2], *ends[-1:])]
    if "|" in stripped:  # a row of a table, its first cell a name
        heads.append(stripped.partition("|")[2])
    return list(dict.fromkeys(heads))
