"""What a model was shown, so that what a reply merely repeats of it is not an answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...data.wall import GROUP_SIZE
from ..chat import Message
from .clues import WallClues, loose

_WORD = re.compile(r"[^\W_]+")
# The last words before a blank to be filled in and the sign between them.
_LABEL = re.compile(r"([^\W\d_][^\n.,;:!?|()]*?)\s*[:：=–—-]+$")
_BLANK = re.compile(r"_{2,}")
# Words that number an answer's groups: they are an answer's own, also where a prompt has them.
_NUMBERING = re.compile(r"group|set|category|row|line|\d+")
# Words that answers use as well, before a group of their own.
_FORMAL = re.compile(r"(?:clue|word|item|member|connection|answer|solution)s?")
_LEAST_CLUES = 3  # beside a word of the prompt, to be a copy of where it lists clues
_LEAST_WORDS = 4  # of the prompt's own, to be a copy of what it says
_GAP, _INSERTED = 3, 1  # words that a copy may leave out or change, and that it may put in between
_IN_ORDER = 0.75  # of a list's clues; of random orders of 16 clues less than one in a million has as many
_MOST_WORDS = 20_000  # of a reply
_CUE_WORDS = 6


@dataclass(frozen=True, slots=True)
class _Run:
    """Words of a reply, from the first to before the end, and their places in the question, rising."""

    first: int
    end: int
    places: tuple[int, ...]


class Question:
    """The messages of one request and the wall that they show.

    Everything is taken from the messages as they were sent, so that it holds for anyone's template.
    """

    def __init__(self, messages: Sequence[Message], clues: Sequence[str]) -> None:
        shown = [message.content for message in messages if message.role != "assistant"]
        self.text = "\n".join(shown)
        self._last = shown[-1] if shown else ""
        self._wall = WallClues(clues)

    @cached_property
    def cue(self) -> str:
        """The words with which the question ends and after which the answer stands; "" if there are none."""
        line = self._last.rstrip().rpartition("\n")[2].strip()
        words = _WORD.findall(line)
        cue = 0 < len(words) <= _CUE_WORDS and not self._wall.spans(line)
        return line if cue else ""

    @cached_property
    def lines(self) -> frozenset[str]:
        """The question's lines, letters and digits alone."""
        return frozenset(key for line in self.text.split("\n") if (key := loose(line)))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What stands before a blank to be filled in, as "Connection" does before "____"."""
        labels = []
        for blank in _BLANK.finditer(self.text):
            before = self.text[: blank.start()].rpartition("\n")[2].rstrip()
            if before[-1:] not in (*":：=–—-",):
                continue
            behind = self._wall.spans(before)[-1:]
            texts = [before[end:] for _, end, _ in behind] + [before]
            named = [match[1] for text in texts if (match := _LABEL.search(text))]
            labels += [label for label in named[:1] if self._wall.find(label) is None]
        return tuple(dict.fromkeys(labels))

    def without_copies(self, text: str) -> str:
        """The text without what it repeats of the question.

        The clues of one hint alone are no copy, since an answer may group them as a hint does: a copy also
        has words of the prompt, such as a heading, before, between or behind them, or goes on to the next
        hint.
        """
        words = _words(text)
        pieces, place = [], 0
        for run in self._joined(words):
            if self._is_copy(run, whole=run.first == 0 and run.end >= len(words) - 1):
                pieces.append(text[place : words[run.first].start()])
                place = words[run.end - 1].end()
        return self._without_hints("\n".join([*pieces, text[place:]]))

    def repeats(self, text: str) -> bool:
        """Whether most words of a text, or its clues, stand in the question in the same order."""
        words = _words(text)
        copied = sum(run.end - run.first for run in self._runs(words))
        listed = self.lists([clue for _, _, clue in self._wall.spans(text)])
        return listed or (bool(words) and 2 * copied > len(words))

    def lists(self, clues: Sequence[str]) -> bool:
        """Whether clues, half a wall at least, stand in an order in which the question lists the wall."""
        if len(clues) < 2 * GROUP_SIZE:
            return False
        for window in self._lists:
            places = {clue: place for place, clue in reversed(list(enumerate(window)))}
            order = [places[clue] for clue in dict.fromkeys(clues) if clue in places]
            if _longest_rise(order) >= _IN_ORDER * len(clues):
                return True
        return False

    def shows(self, groups: Sequence[Sequence[str]]) -> bool:
        """Whether groups are those of a hint, or the clues as they are listed, four by four."""
        answer = {frozenset(group) for group in groups}
        return any(
            answer
            == {frozenset(window[start : start + GROUP_SIZE]) for start in range(0, len(window), GROUP_SIZE)}
            for window in self._lists
        )

    @cached_property
    def _lists(self) -> list[list[str]]:
        """The stretches of the question's clues that are the whole wall."""
        listed = self._listed
        size, different = len(self._wall.clues), len(set(self._wall.clues))
        if missing := different - len(set(listed)):  # clues such as "-", which no text tells from its signs
            size, different = size - missing, different - missing
        windows = (listed[start : start + size] for start in range(len(listed) - size + 1))
        return [window for window in windows if len(set(window)) == different]

    @cached_property
    def _keys(self) -> list[str]:
        return [loose(word[0]) for word in _words(self.text)]

    @cached_property
    def _in_clue(self) -> list[int]:
        """For each of the question's words the number of the clue in which it stands; -1 in none."""
        spans = self._wall.spans(self.text)
        places, place = [], 0
        for word in _words(self.text):
            while place < len(spans) and spans[place][1] <= word.start():
                place += 1
            places.append(place if place < len(spans) and spans[place][0] <= word.start() else -1)
        return places

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], list[int]]:
        places = defaultdict(list)
        for place, pair in enumerate(zip(self._keys, self._keys[1:], strict=False)):
            places[pair].append(place)
        return dict(places)

    def _without_hints(self, text: str) -> str:
        """The text without lists of the wall that follow on each other as they do in the question.

        No words stand between them.
        """
        least = len(self._wall.clues) + GROUP_SIZE
        if len(self._listed) < least:
            return text
        spans = self._wall.spans(text)
        pieces, place, first = [], 0, 0
        while first + least <= len(spans):
            next_ones = spans[first : first + len(self._listed)]
            starts = [place for place, clue in enumerate(self._listed) if clue == next_ones[0][2]]
            length = max((_n_equal(next_ones, self._listed[start:], text) for start in starts), default=0)
            if length >= least:
                pieces.append(text[place : spans[first][0]])
                place = spans[first + length - 1][1]
            first += length if length >= least else 1
        return "\n".join([*pieces, text[place:]])

    @cached_property
    def _listed(self) -> list[str]:
        """All clues of the question, one after the other."""
        return [clue for _, _, clue in self._wall.spans(self.text)]

    def _is_copy(self, run: _Run, whole: bool) -> bool:
        beside = [self._keys[place] for place in run.places if self._in_clue[place] < 0]
        words = [key for key in beside if not _NUMBERING.fullmatch(key)]
        own = [key for key in words if not _FORMAL.fullmatch(key)]
        clues = len({self._in_clue[place] for place in run.places} - {-1})
        if len(words) >= _LEAST_WORDS or (own and clues >= _LEAST_CLUES):
            return True
        return bool(words) and (whole or clues > GROUP_SIZE)

    def _joined(self, words: Sequence[re.Match[str]]) -> Iterator[_Run]:
        """The runs, those as one that follow on each other in the reply and in the question."""
        last: _Run | None = None
        for run in self._runs(words):
            near = last is not None and run.first - last.end <= _INSERTED
            if last is not None and near and 0 < run.places[0] - last.places[-1] <= _GAP + 1:
                last = _Run(last.first, run.end, last.places + run.places)
                continue
            if last is not None:
                yield last
            last = run
        if last is not None:
            yield last

    def _runs(self, words: Sequence[re.Match[str]]) -> Iterator[_Run]:
        """The longest runs of two words or more, from the reply's first word on."""
        keys = [loose(word[0]) for word in words]
        place, expected = 0, 0
        while place < len(keys) - 1:
            best = (0, 0, 0)
            for start in self._pairs.get((keys[place], keys[place + 1]), ()):
                length = 2
                while (
                    place + length < len(keys)
                    and start + length < len(self._keys)
                    and keys[place + length] == self._keys[start + length]
                ):
                    length += 1
                best = max(best, (length, -abs(start - expected), start))
            length, _, start = best
            if length:
                yield _Run(place, place + length, tuple(range(start, start + length)))
                expected = start + length
            place += max(length, 1)


def _words(text: str) -> list[re.Match[str]]:
    return list(_WORD.finditer(text))[:_MOST_WORDS]


def _n_equal(spans: Sequence[tuple[int, int, str]], listed: Sequence[str], text: str) -> int:
    """How many clues of a text, without letters between them, are the listed ones from the first on."""
    n_equal = 0
    for (start, _, clue), own in zip(spans, listed, strict=False):
        between = text[spans[n_equal - 1][1] : start] if n_equal else ""
        if clue != own or any(letter.isalpha() for letter in between):
            break
        n_equal += 1
    return n_equal


def _longest_rise(places: Sequence[int]) -> int:
    """The length of the longest rising subsequence."""
    lengths: list[int] = []
    for end, place in enumerate(places):
        before = [lengths[i] for i in range(end) if places[i] < place]
        lengths.append(1 + max(before, default=0))
    return max(lengths, default=0)
