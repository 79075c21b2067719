"""OCW-WordNet: easy walls, each of four groups of synonyms, as in the paper's appendix C.1.2.

A clue of the old wall, or a word of one, that has a sense of five names or more gives a group of four of
them, connected by the word and the sense's definition. Where these give fewer than four groups, kinds of an
everyday thing make up the rest. Beyond the paper, no two groups of a wall have a name in common, be it on
the wall or not, and what WordNet calls obscene or a slur is left out. What the files of WordNet hold is in
`wordnet_files.py`.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..terminal.writing import counted
from .derived import MakingError, RawWall
from .document import one_line
from .ocw import GROUP_KEYS
from .wall import GROUP_SIZE, N_GROUPS

LEAST_NAMES = 5  # of a sense that gives a group
LEAST_LETTERS = 3  # of a word of a clue that is looked up alone
PREFIX = "easy_"
UNWANTED = ("slur", "obscene ", "offensive term", "offensive name")  # in a definition
# Everyday things of many kinds, whose kinds are hardly kinds of another of them.
THINGS = (
    "furniture", "musical instrument", "garment", "fabric", "fruit", "vegetable", "bird", "mammal", "fish",
    "insect", "tree", "flower", "vehicle", "tool", "weapon", "building", "sport", "beverage", "color",
    "metal",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning: the names that have it, and its definition."""

    names: tuple[str, ...]
    definition: str


class Thesaurus(Protocol):
    """Where senses are looked up; see `wordnet_files.WordNet`."""

    def senses(self, word: str) -> list[Sense]:
        """The senses of a word."""

    def kinds(self, thing: str) -> tuple[Sense | None, list[str]]:
        """A thing's sense, and names of kinds of it."""


@dataclass
class WallMaker:
    """Makes easy walls; ``n_kinds`` counts the groups that are kinds of a thing, ``n_mixed`` their walls."""

    thesaurus: Thesaurus
    seed: int
    n_kinds: int = 0
    n_mixed: int = 0
    _kinds: dict[str, tuple[Sense | None, list[str]]] = field(default_factory=dict)

    def __call__(self, walls: Sequence[RawWall]) -> list[RawWall]:
        """A new wall for each wall of the Only Connect Wall data set, as `read_document` gives them.

        A wall is drawn by a generator of its own, so that it is the same alone and among others.

        Raises
        ------
        MakingError
            If WordNet does not hold enough for a wall.

        """
        return [self._wall(wall) for wall in walls]

    def _wall(self, wall: RawWall) -> RawWall:
        wall_id = str(wall["wall_id"])
        generator = random.Random(f"{self.seed} {wall_id}")
        taken: set[str] = set()
        groups = self._synonyms(wall, generator, taken)
        if len(groups) < N_GROUPS:
            self.n_mixed += 1
            self.n_kinds += N_GROUPS - len(groups)
            groups += self._of_kinds(N_GROUPS - len(groups), generator, taken)
        if len(groups) < N_GROUPS:
            raise MakingError(
                one_line(
                    f"wall {wall_id}: got {counted(len(groups), 'group')}, expected {N_GROUPS}:"
                    " this WordNet has too few"
                    f" senses of {LEAST_NAMES} names and kinds of {THINGS[0]} and the like; use a whole one"
                )
            )
        generator.shuffle(groups)
        words = [clue for clues, _ in groups for clue in clues]
        generator.shuffle(words)
        new_id = PREFIX + wall_id
        numbers: RawWall = {key: wall[key] for key in ("season", "episode") if key in wall}
        return {
            "wall_id": new_id,
            **numbers,
            "words": words,
            "gt_connections": [connection for _, connection in groups],
            "groups": {
                key: {"group_id": f"{new_id}_{number}", "gt_words": clues, "gt_connection": connection}
                for number, (key, (clues, connection)) in enumerate(
                    zip(GROUP_KEYS, groups, strict=True), start=1
                )
            },
        }

    def _synonyms(
        self, wall: RawWall, generator: random.Random, taken: set[str]
    ) -> list[tuple[list[str], str]]:
        """Up to four groups of synonyms; all names of their senses go to ``taken``."""
        heads = _heads([str(clue) for clue in wall["words"]], generator)
        left = {head: self._usable(head) for head in heads}
        for senses in left.values():
            generator.shuffle(senses)
        groups: list[tuple[list[str], str]] = []
        # A sense of each word first, and only then another of one that has a group.
        while any(left.values()):
            for head in heads:
                while left[head]:
                    names, definition = left[head].pop()
                    if taken.isdisjoint(names):
                        taken.update(names)
                        sample = generator.sample(list(names.values()), GROUP_SIZE)
                        groups.append((sample, f"{head}: {definition}"))
                        break
                if len(groups) == N_GROUPS:
                    return groups
        return groups

    def _usable(self, word: str) -> list[tuple[dict[str, str], str]]:
        """The names and definitions of a word's senses that may give a group."""
        return [
            (names, sense.definition)
            for sense in self.thesaurus.senses(word)
            if len(names := _distinct(sense.names)) >= LEAST_NAMES
            and not any(unwanted in sense.definition for unwanted in UNWANTED)
        ]

    def _of_kinds(self, count: int, generator: random.Random, taken: set[str]) -> list[tuple[list[str], str]]:
        """Up to ``count`` groups of kinds of things, of which none is taken already."""
        groups: list[tuple[list[str], str]] = []
        for thing in generator.sample(THINGS, len(THINGS)):
            if len(groups) == count:
                break
            if thing not in self._kinds:
                self._kinds[thing] = self.thesaurus.kinds(thing)
            sense, kinds = self._kinds[thing]
            names = _distinct(kinds)
            if sense is None or len(names) < GROUP_SIZE or not taken.isdisjoint(names):
                continue
            taken.update(names)
            sample = generator.sample(list(names.values()), GROUP_SIZE)
            groups.append((sample, f"{thing.capitalize()}: {sense.definition}"))
        return groups


def _heads(clues: Sequence[str], generator: random.Random) -> list[str]:
    """What is looked up: the clues, then the words of those that are several, each in random order."""
    whole = list(dict.fromkeys(clues))
    words = dict.fromkeys(word for clue in whole for word in clue.split() if len(word) >= LEAST_LETTERS)
    rest = [word for word in words if word not in whole]
    generator.shuffle(whole)
    generator.shuffle(rest)
    return whole + rest


def _distinct(names: Iterable[str]) -> dict[str, str]:
    """Names by what tells them apart: case does not."""
    distinct: dict[str, str] = {}
    for name in names:
        distinct.setdefault(name.casefold(), name)
    return distinct
