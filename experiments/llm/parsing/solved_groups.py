"""The groups of a solved wall, to be found in what a model wrote of them, and what it says beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from .connection_text import tidied
from .wall_clues import WallClues, loose, plain

_LABELS = ("connections?", r"connecting\s+link", "category", "theme", "link", "answer")
NUMBER = re.compile(
    r"^[\s>*#|-]*(?:(?:group|set|groupe|gruppe|grupo|connection)\s*(\d)\b|\(?(\d)[.):]\s)"
    r"(?:[\s*]*(?:[:.)]+|[–—-]+(?=\s)))*[\s*]*",
    re.IGNORECASE,
)
# What may stand between a connection and the next group on one line.
_BETWEEN = re.compile(r"[\s;|/,]*(?:\b(?:group|set)\s*\d\W*|\b\d[.)]\s*)?[\s\"'(\[*|-]*$", re.IGNORECASE)
_TO_LABEL = re.compile(r"[\W_]*(?:(?:group|set)\W*\d\W*|\d\W+)?(?:and\s+)?", re.IGNORECASE)
_LONG = 5  # letters; shorter clues must stand as words of their own, since many words hold them


class SolvedGroups:
    """Groups of clues, and the words that stand before their connections.

    ``labels`` are the words of the prompt for that, beside the usual ones.
    """

    def __init__(self, groups: Sequence[Sequence[str]], labels: Iterable[str] = ()) -> None:
        self.clues = [list(group) for group in groups]
        self._walls = [WallClues(group) for group in groups]
        self._alone = [[WallClues([clue]) for clue in group] for group in groups]
        own = [r"\s+".join(map(re.escape, label.split())) for label in labels]
        words = "|".join([*own, *_LABELS])
        before = r"(?<!\w)(?:the\s+)?"
        self._label = re.compile(
            rf"{before}(?:{words})(?!\w)(?:\s*\d)?[\s*_\"`]*[:：=–—-]\s*(?:\*+\s+)?", re.IGNORECASE
        )

    def __len__(self) -> int:
        return len(self.clues)

    def group_of(self, text: str) -> int | None:
        """The group all of whose clues stand in the text, or all but one; None if several do.

        What stands before a label goes before: a connection may name clues, also another group's.
        """
        label = self._label.search(text)
        before = None if label is None else self._group_in(text[: label.start()])
        return self._group_in(text) if before is None else before

    def _group_in(self, text: str) -> int | None:
        words = {loose(word) for word in re.findall(r"[^\s,;:|()/]+", text)}
        held = [[each.clues[0] for each in alone if _holds(each, text, words)] for alone in self._alone]
        whole = [number for number, clues in enumerate(held) if len(clues) == len(self.clues[number])]
        most = [number for number, clues in enumerate(held) if len(clues) >= len(self.clues[number]) - 1]
        if len(whole) == 1 or (not whole and len(most) == 1):
            return (whole or most)[0]
        return None

    def group_with(self, texts: Sequence[str]) -> int | None:
        """The first group of which each of the texts is a clue."""
        of_all = (all(wall.find(text) is not None for text in texts) for wall in self._walls)
        return next((number for number, holds in enumerate(of_all) if holds), None)

    def names_clues(self, text: str) -> bool:
        """Whether a clue of any group stands in the text."""
        return any(wall.spans(text) for wall in self._walls)

    def holds_several(self, text: str) -> bool:
        """Whether the text has clues of several groups, half of each or more."""
        words = {loose(word) for word in re.findall(r"[^\s,;:|()/]+", text)}
        counts = [sum(_holds(each, text, words) for each in alone) for alone in self._alone]
        return sum(2 * count > len(each) for count, each in zip(counts, self.clues, strict=True)) > 1

    def named(self, line: str) -> str | None:
        """What stands behind the line's label; None if it has none."""
        found = self._label.search(line)
        return None if found is None else tidied(line[found.end() :])

    def begins_named(self, line: str) -> bool:
        """Whether the line begins with its label, but for a number."""
        found = self._label.search(line)
        return found is not None and _TO_LABEL.fullmatch(line[: found.start()]) is not None

    def rest(self, line: str, group: int) -> str:
        """What a line says beside a group's clues: behind its label, else before or behind them."""
        places = self._places(line, group)
        found = self._label.search(line)
        if found and (not places or places[0] < found.start()):
            text = tidied(line[found.end() :])
            # "Missing link: ___" is a connection, "Connection: ___" is none.
            if text or not places or not re.search(r"\w", line[places[1] : found.start()]):
                return text
        if not places:
            return ""
        # The marks next to a clue are the clue's; those beyond the separator are the connection's.
        before, after = line[: places[0]], line[places[1] :]
        after = re.sub(r"^[\"'”’`*)\]]*(?:[\s.,;:)\]|–—=>→]|-(?=[\s>]))*(?:(?:is|are)\s+)?", "", after)
        before = re.sub(r"[\"'“‘`*(\[]*$", "", NUMBER.sub("", before))
        return tidied(after) or self._unlabelled(re.sub(r"[\s(\[|:–—=>→-]+$", "", before))

    def parts(self, line: str) -> list[str]:
        """A line with several connections as several lines, each with the clues before its label."""
        labels = list(self._label.finditer(line))
        # "Connection: Missing link: ___" has one label.
        labels = [each for each in labels if _word(each) == _word(labels[0])]
        if len(labels) < 2:
            clues_first = bool(labels) and self._group_in(line[: labels[0].start()]) is not None
            if self.holds_several(line) and not clues_first:
                parts = re.split(r"\s*;\s*|\s+\|\s+|(?<=[.)])\s+", line)
                if not any(map(self.holds_several, parts)):
                    return [part for part in parts if part]
            return [line]
        starts = [0]
        for last, label in pairwise(labels):
            between = line[last.end() : label.start()]
            group = self.group_of(between)
            places = None if group is None else self._places(between, group)
            starts.append(label.start() if places is None else last.end() + places[0])
        ends = [*starts[1:], len(line)]
        return [
            _BETWEEN.sub("", line[start:end]) if end < len(line) else line[start:end]
            for start, end in zip(starts, ends, strict=True)
        ]

    def _unlabelled(self, text: str) -> str:
        """A text without the label that it begins with."""
        if self._label.fullmatch(f"{text}:"):
            return ""
        found = self._label.match(text)
        return tidied(text[found.end() :] if found else text)

    def _places(self, line: str, group: int) -> tuple[int, int] | None:
        """Where the clues begin and end on the line: the stretch with most of them and least between them."""
        spans = self._walls[group].spans(line)
        most = Counter(plain(clue) for clue in self.clues[group])
        best: tuple[int, int, int, int] | None = None
        for first, (start, _, _) in enumerate(spans):
            held: Counter[str] = Counter()
            between, place = 0, start
            for begin, end, clue in spans[first:]:
                held[plain(clue)] += 1
                between += sum(letter not in ", " for letter in line[place:begin])
                place = end
                worth = ((held & most).total(), -between, -start, end)
                best = worth if best is None else max(best, worth)
        return None if best is None else (-best[2], best[3])


def numbered(lines: Sequence[str]) -> Iterator[int | None]:
    """The number of the group that each line names, from 0; None where it names none."""
    for line in lines:
        found = NUMBER.match(line)
        yield None if found is None else int(found[1] or found[2]) - 1


def _word(label: re.Match[str]) -> str:
    return loose(label[0]).rstrip("0123456789")


def _holds(clue: WallClues, text: str, words: set[str]) -> bool:
    if clue.absent(text):
        return False
    key = loose(clue.clues[0])
    return len(key) >= _LONG or not key or key in words or bool(clue.spans(text))
