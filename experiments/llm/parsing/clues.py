"""Finding a wall's clues in a text and on a line, whatever stands before, between and behind them.

A line is read in every way that could be meant, and the way that finds most of the wall's clues counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...data.wall import GROUP_SIZE

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        "\u2026": "...",
        "\u00a0": " ",
    }
)
_WRAPPING = " \t\"'`*_~[](){}<>«»“”„‘’「」『』【】•·"
_TAIL = ".,;:!?。，；："
_SPECIAL = re.compile(r"[,;:|/()&=<>\-\u2013\u2014·•、،，；：.\t\[\]{}]| and | or ")
_SEPARATING = " ,;:|/&.+=<>()[]{}*_-\u2013\u2014·•"
_FIRST_PLACEHOLDER = 0xE000  # private letters of Unicode, one for each clue


def plain(text: str) -> str:
    """A text with letter case, blanks and the kinds of quotes and dashes made one."""
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    return " ".join(text.casefold().split())


def loose(text: str) -> str:
    """The letters and digits of a text alone, without accents; "" if there are none."""
    letters = unicodedata.normalize("NFKD", plain(text))
    return "".join(letter for letter in letters if letter.isalnum())


@dataclass(frozen=True, slots=True)
class Item:
    """Something in the place of a clue: the wall's own spelling where it is on the wall."""

    text: str
    known: bool


class WallClues:
    """The clues of one wall, to be found in texts."""

    def __init__(self, clues: Sequence[str]) -> None:
        self.clues = tuple(clues)
        self._plain = {plain(clue): clue for clue in reversed(self.clues)}
        counts = Counter(loose(clue) for clue in dict.fromkeys(map(plain, self.clues)))
        # Only where it tells the clues apart: "A+" and "A-" have the same letters.
        self._loose = {
            key: clue for clue in reversed(self.clues) if (key := loose(clue)) and counts[key] == 1
        }
        special = sorted(
            (place for place, clue in enumerate(self.clues) if _SPECIAL.search(clue) and loose(clue)),
            key=lambda place: -len(self.clues[place]),
        )
        self._any = [
            (clue, _pattern(clue))
            for clue in sorted(self._plain.values(), key=len, reverse=True)
            if loose(clue) or clue.strip(_SEPARATING)
        ]
        self._special = [(place, _pattern(self.clues[place])) for place in special]

    def find(self, text: str) -> str | None:
        """The clue that a text is, in the wall's spelling, or None.

        Letter case, accents, punctuation and what wraps it are no matter, as long as one clue alone fits.
        """
        for each in _forms(text):
            if (clue := self._plain.get(plain(each))) is not None:
                return clue
        return self._loose.get(loose(text))

    def absent(self, text: str) -> bool:
        """Whether a text surely holds no clue: its letters occur nowhere in it."""
        letters, marks = loose(text), plain(text)
        return not any(
            (key in letters) if (key := loose(clue)) else (plain(clue) in marks) for clue in self.clues
        )

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Where clues stand in a text as words of their own, longer ones first served: start, end, clue."""
        spans: list[tuple[int, int, str]] = []
        for clue, pattern in self._any:
            for match in pattern.finditer(text):
                if all(match.end() <= start or match.start() >= end for start, end, _ in spans):
                    spans.append((match.start(), match.end(), clue))
        return sorted(spans)

    def mask(self, text: str) -> str:
        """The text with a private letter in the place of each clue that holds what may separate clues."""
        for place, pattern in self._special:
            text = pattern.sub(chr(_FIRST_PLACEHOLDER + place), text)
        return text

    def unmask(self, text: str) -> str:
        """The text with the clues back in their places."""
        for place, _ in self._special:
            text = text.replace(chr(_FIRST_PLACEHOLDER + place), self.clues[place])
        return text

    def items(self, masked: Iterable[str]) -> list[Item]:
        """What stands between separators; what is empty is left out."""
        items = []
        for part in masked:
            text = self.unmask(part)
            clue = self.find(text)
            if clue is not None:
                items.append(Item(clue, True))
            elif bare := text.strip(_WRAPPING + _TAIL):
                items.append(Item(bare, False))
        return items


def _forms(text: str) -> list[str]:
    """The text with less and less around it: a clue may itself be a quotation or end with a mark."""
    stripped = text.strip()
    return [
        stripped,
        stripped.rstrip(_TAIL + " "),
        stripped.strip(_WRAPPING),
        stripped.strip(_WRAPPING + _TAIL),
    ]


def _pattern(clue: str) -> re.Pattern[str]:
    """Matches a clue as a word of its own, in any case and with any kind of quotes, dashes and blanks."""
    parts = []
    for letter in " ".join(clue.split()):
        folded = letter.translate(_SIGNS)
        if folded == "'":
            parts.append("['\u2018\u2019\u201b\u2032\u00b4`]")
        elif folded == '"':
            parts.append('["\u201c\u201d\u201e\u00ab\u00bb\u2033]')
        elif folded == "-":
            parts.append("[-\u2010\u2011\u2012\u2013\u2014\u2212]")
        else:
            parts.append(r"\s+" if letter == " " else re.escape(letter))
    before = r"(?<!\w)" if clue[0].isalnum() else ""
    after = r"(?!\w)" if clue[-1].isalnum() else ""
    if not loose(clue):  # signs, such as %, stand alone
        before, after = r"(?<![^\s,;|(\[\"'*])", r"(?![^\s,;|)\]\"'*.])"
    return re.compile(before + "".join(parts) + after, re.IGNORECASE)


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
