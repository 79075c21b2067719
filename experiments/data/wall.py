"""Walls as values: sixteen clues, four groups of four, and sets of such walls.

Nothing here reads files; the readers do (`readers.py`), and they check what they read.
"""

import hashlib
import json
from collections import deque
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

N_GROUPS = 4
GROUP_SIZE = 4
N_CLUES = N_GROUPS * GROUP_SIZE


@dataclass(frozen=True, slots=True)
class Group:
    """Clues that belong together, the connection between them, and how the show's players did on it.

    The human fields are 1 (found) or 0 (missed), or None where no player's result is known.
    """

    clues: tuple[str, ...]
    connection: str
    group_id: str = ""
    human_grouping: int | None = None
    human_connection: int | None = None


@dataclass(frozen=True, slots=True)
class Wall:
    """One wall: its clues in the order of the file, and the groups they fall into."""

    wall_id: str
    clues: tuple[str, ...]
    groups: tuple[Group, ...]
    season: int | None = None
    episode: int | None = None

    @property
    def truth(self) -> tuple[int, ...]:
        """The group number of each clue, by its position in `clues`.

        A clue that occurs twice is told apart by its position: the first occurrence belongs to the first
        group that holds the text, the second to the next. ValueError if clues and groups differ.
        """
        homes: dict[str, deque[int]] = {}
        for number, group in enumerate(self.groups):
            for clue in group.clues:
                homes.setdefault(clue, deque()).append(number)
        labels = []
        for clue in self.clues:
            if not homes.get(clue):
                raise ValueError(
                    f"wall {self.wall_id}: clue {clue!r} occurs more often on the wall than in its groups"
                )
            labels.append(homes[clue].popleft())
        if left := [clue for clue, numbers in homes.items() if numbers]:
            raise ValueError(f"wall {self.wall_id}: its groups hold {left}, which the wall lacks")
        return tuple(labels)


@dataclass(frozen=True, slots=True)
class HumanPerformance:
    """What the show's players reached on the walls whose results are known (`n_walls` of them)."""

    n_walls: int
    solved_walls: int
    correct_groups: int
    correct_connections: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A wall of a file that cannot be used, by its id or its place, and why; one printable line each."""

    wall: str
    reason: str


@dataclass(frozen=True)
class WallSet:
    """A named, ordered set of walls, and what its files hold or lack beside them."""

    name: str
    walls: tuple[Wall, ...]
    left_out: tuple[LeftOut, ...] = ()
    absent: tuple[str, ...] = ()  # files of splits that are not there or hold no walls

    def __len__(self) -> int:
        return len(self.walls)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the ids, clues, groups and connections, in order.

        It does not depend on the set's name, on the file's formatting, or on what does not bear on a run
        (group ids, seasons, human performance, walls that are left out).
        """
        content = [
            [wall.wall_id, wall.clues, [[group.connection, group.clues] for group in wall.groups]]
            for wall in self.walls
        ]
        canonical = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    @cached_property
    def truth(self) -> NDArray[np.int64]:
        """The group number of every clue: (n_walls, n_points) int64, read-only.

        ValueError if the walls differ in their number of clues.
        """
        if len(sizes := {len(wall.clues) for wall in self.walls}) > 1:
            raise ValueError(f"walls of one size have one truth array; got walls of {sorted(sizes)} clues")
        labels = np.array([wall.truth for wall in self.walls], dtype=np.int64)
        labels.flags.writeable = False
        return labels

    def human_performance(self) -> HumanPerformance | None:
        """The players' totals over the walls that carry them; None if no wall does."""
        known = [
            wall for wall in self.walls if all(group.human_grouping is not None for group in wall.groups)
        ]
        if not known:
            return None
        return HumanPerformance(
            n_walls=len(known),
            solved_walls=sum(all(group.human_grouping for group in wall.groups) for wall in known),
            correct_groups=sum(group.human_grouping or 0 for wall in known for group in wall.groups),
            correct_connections=sum(group.human_connection or 0 for wall in known for group in wall.groups),
        )
