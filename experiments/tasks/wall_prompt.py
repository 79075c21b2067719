"""The templates of the tasks on walls, and what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...errors import UserError
from ..llm.prompt import Prompt

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
