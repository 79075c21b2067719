"""The groups of a solved wall in a line of a reply, and the connection beside them without what wraps it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from .clues import WallClues, loose, plain

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
        match = self._label.search(line)
        return None if match is None else tidied(line[match.end() :])

    def begins_named(self, line: str) -> bool:
        """Whether the line begins with its label, but for a number."""
        match = self._label.search(line)
        return match is not None and _TO_LABEL.fullmatch(line[: match.start()]) is not None

    def rest(self, line: str, group: int) -> str:
        """What a line says beside a group's clues: behind its label, else before or behind them."""
        places = self._places(line, group)
        match = self._label.search(line)
        if match and (not places or places[0] < match.start()):
            text = tidied(line[match.end() :])
            # "Missing link: ___" is a connection, "Connection: ___" is none.
            if text or not places or not re.search(r"\w", line[places[1] : match.start()]):
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
        match = self._label.match(text)
        return tidied(text[match.end() :] if match else text)

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
        match = NUMBER.match(line)
        yield None if match is None else int(match[1] or match[2]) - 1


def _word(label: re.Match[str]) -> str:
    return loose(label[0]).rstrip("0123456789")


def _holds(clue: WallClues, text: str, words: set[str]) -> bool:
    if clue.absent(text):
        return False
    key = loose(clue.clues[0])
    return len(key) >= _LONG or not key or key in words or bool(clue.spans(text))


_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“”", "‘": "’", "«": "»", "「": "」"}
_BRACKETS = {"(": ")", "[": "]"}
_BLANK = re.compile(r"[_\s.…–—-]*")
_STRONG = re.compile(r"(?<!\*)\*\*(?=[^\s*])(.+?)(?<=\S)\*\*(?!\*)")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=\S)\*(?![\w*])")
# Full stops that are a word's own.
_ABBREVIATED = re.compile(
    r"(?:\b\w\.\w|\b(?:mr|mrs|ms|dr|st|jr|sr|co|inc|ltd|etc|vs|no|prof|rev|e\.g))\.$", re.I
)


def without_emphasis(text: str) -> str:
    """The text without the asterisks around what is bold or in italics; other asterisks stay."""
    return _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))


def tidied(text: str) -> str:
    """A connection without emphasis, brackets and a full stop around it; "" for a blank not filled in.

    Quotes stay: see ``unquoted``.
    """
    text = _without_stop(without_emphasis(text.strip(" \t|")).strip())
    if len(text) > 1 and text[-1] == "," and text[-2] in "\"'”’":
        text = text[:-1]  # a line of JSON
    for opened, closed in _BRACKETS.items():
        end = _end_of(text, opened, closed)
        if text.startswith(opened) and end in (-1, len(text) - 1):
            text = text[1 : end if end > 0 else None].strip()
        elif text.endswith(closed) and text.count(closed) == text.count(opened) + 1:
            text = text[:-1].strip()  # what opened it stood before the connection
    if text.count('"') == 1 and (text[0] == '"' or re.search(r'[^\d\s]"$', text)):
        text = text.strip('"').strip()  # half of a pair; after a digit it is inches
    return "" if _BLANK.fullmatch(text) else text


def unquoted(texts: Sequence[str]) -> list[str]:
    """Connections of one reply without the quotes around them, where those are the reply's way to write them.

    Quotes around one of several are its own, as in "R" beside three without any.
    """
    inner = [_inside(text) for text in texts]
    n_quoted = sum(text is not None for text in inner)
    if n_quoted < 2 and n_quoted < sum(bool(text) for text in texts):
        return list(texts)
    bare = [
        _without_stop(more) if more is not None else text for more, text in zip(inner, texts, strict=True)
    ]
    return ["" if _BLANK.fullmatch(text) else text for text in bare]


def bare_line(line: str) -> str:
    """A line without the quotes around the whole of it."""
    inner = _inside(line)
    return line if inner is None else inner


def _inside(text: str) -> str | None:
    """What a pair of quotes holds that opens with the text and closes with it; None where none does."""
    text = text.strip()
    closing = _CLOSING.get(text[:1])
    if len(text) < 3 or closing is None or text[-1] not in closing:
        return None
    depth = 0
    for place, letter in enumerate(text):
        before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 2]
        if letter == '"' and before.isdigit() and after and text.count('"') % 2:
            continue  # inches
        if letter == text[0] and (letter not in closing or _opens(before, after, place, text)):
            depth += 1
        elif letter in closing and not (letter in "'’" and before.isalnum() and after.isalnum()):
            depth -= 1
        if depth == 0 and place < len(text) - 1:
            return None
    return text[1:-1].strip() if depth <= 0 else None


def _opens(before: str, after: str, place: int, text: str) -> bool:
    """Whether a quote that looks the same at both ends is the one that opens."""
    if not after.strip():
        return False
    return place == 0 or before.isspace() or before in "([-/" or set(text[:place]) <= {text[0]}


def _end_of(text: str, opened: str, closed: str) -> int:
    """Where the bracket closes with which the text begins; -1 where it does not."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == opened) - (letter == closed)
        if depth == 0:
            return place
    return -1


def _without_stop(text: str) -> str:
    if re.search(r"(?<!\.)\.\.$", text) or (re.search(r"(?<!\.)\.$", text) and not _ABBREVIATED.search(text)):
        return text[:-1].rstrip()
    return text
