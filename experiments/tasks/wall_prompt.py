"""The templates of the tasks on walls, what they are given, and the solved walls they show as examples."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...errors import UserError
from ..data.wall import Group, Wall, WallSet
from ..llm.prompt import Prompt
from ..terminal.writing import counted

if TYPE_CHECKING:
    from ...conf.llm_schema import LanguageRunConfig

# What each task's template is given.
VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "grouping": ("clues", "examples", "hints", "structured"),
        "candidates": ("clues", "candidates", "examples", "hints", "structured"),
        "connections": ("groups", "examples", "structured"),
        "guessing": ("clues", "examples", "hints", "lives", "free_groups", "one_away", "structured"),
    }
)


def wall_prompt(task: str, path: str | Path | None = None) -> Prompt:
    """The template of a task, or the user's own; UserError if that cannot be used."""
    return Prompt(task, VARIABLES[task], __package__, path, about="a wall")


def prompt_of(config: LanguageRunConfig, task: str) -> Prompt:
    """A task's template, or the user's own; UserError if that is none, or lacks what the run shows."""
    prompt = wall_prompt(task, config.prompt)
    needed = "groups" if task == "connections" else "clues"
    if needed not in prompt.used and not (config.hints and "hints" in prompt.used):
        raise UserError(
            f"{prompt.source} does not show the wall: write {needed} into it, as in "
            f"{{{{ {needed}|join(', ') }}}}"
        )
    for key, lacks in (("hints", "show them"), ("candidates", "ask for them")):
        if getattr(config, key) and key not in prompt.used:
            raise UserError(
                f"{key}={getattr(config, key)}, but {prompt.source} does not {lacks}: write {key} into it, "
                "or leave one of them out"
            )
    return prompt


def draw_examples(training: WallSet, n: int, seed: int, solved: WallSet) -> list[Wall]:
    """``n`` of the training walls: those of ``random.Random(seed).sample(walls, n)``, as the paper draws.

    Raises
    ------
    UserError
        If there are not so many, or one of them is among the walls that are to be solved.

    """
    if n > len(training):
        raise UserError(
            f"examples={n} is too many: {training.name} has {counted(len(training), 'wall')} to draw from"
        )
    drawn = random.Random(seed).sample(training.walls, n)
    of_solved = {_content(wall) for wall in solved.walls}
    shown = [wall.wall_id for wall in drawn if _content(wall) in of_solved]
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
