"""Solved walls that stand before the question: drawn from the training walls, the same for every wall."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...errors import UserError
from ..data.wall import Group, Wall, WallSet


def draw_examples(training: WallSet, n: int, seed: int, solved: WallSet) -> list[Wall]:
    """``n`` of the training walls: those of ``random.Random(seed).sample(walls, n)``, as the paper draws.

    Raises
    ------
    UserError
        If there are not so many, or one of them is among the walls that are to be solved.

    """
    if n > len(training):
        raise UserError(f"examples={n} is too many: {training.name} has {len(training)} walls to draw from")
    drawn = random.Random(seed).sample(training.walls, n)
    asked = {_content(wall) for wall in solved.walls}
    shown = [wall.wall_id for wall in drawn if _content(wall) in asked]
    if shown:
        raise UserError(
            f"the example wall {shown[0]} is also among the walls to be solved, so that its solution would "
            "be shown: choose dataset.split=test, or other walls with example_walls=FILE"
        )
    return drawn


def as_variables(walls: Sequence[Wall]) -> list[tuple[Group, ...]]:
    """The examples as templates see them: for each wall its groups."""
    return [wall.groups for wall in walls]


def _content(wall: Wall) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(group.clues) for group in wall.groups)
