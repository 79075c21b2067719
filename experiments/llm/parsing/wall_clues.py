"""Finding a wall's clues in what a model wrote, however it wrote them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
            if (found := self._plain.get(plain(each))) is not None:
                return found
        return self._loose.get(loose(text))

    def absent(self, text: str) -> bool:
        """Whether a text surely holds no clue: its letters occur nowhere in it."""
        letters, marks = loose(text), plain(text)
        return not any(
            (key in letters) if (key := loose(clue)) else (plain(clue) in marks) for clue in self.clues
        )

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Where clues stand in a text as words of their own, longer ones first served: start, end, clue."""
        found: list[tuple[int, int, str]] = []
        for clue, pattern in self._any:
            for match in pattern.finditer(text):
                if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                    found.append((match.start(), match.end(), clue))
        return sorted(found)

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
        found = []
        for part in masked:
            text = self.unmask(part)
            clue = self.find(text)
            if clue is not None:
                found.append(Item(clue, True))
            elif bare := text.strip(_WRAPPING + _TAIL):
                found.append(Item(bare, False))
        return found


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
