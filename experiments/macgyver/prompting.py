"""The templates and instructions of MacGyver's tasks: the packaged ones, or anyone's own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from ...errors import UserError
from ..language_models.prompt import Prompt

# What each task's template is given.
VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vanilla": ("problem", "instruction"),
        "divergent": ("problem", "instruction"),
        "reflection": ("problem", "round"),
    }
)
_INSTRUCTIONS = "instructions.txt"


def task_prompt(task: str, path: Path | None = None, option: str = "--prompt ") -> Prompt:
    """The template of a task; UserError if the user's own cannot be read or used."""
    return Prompt(
        task, path, variables=VARIABLES[task], package=__package__, about="a problem", option=option
    )


def instructions(path: Path | None = None) -> tuple[str, ...]:
    """The instructions, a line each; UserError if the file cannot be read or holds none."""
    return lines_of(_INSTRUCTIONS, path, "--instructions", "an instruction a line")


def lines_of(name: str, path: Path | None, option: str, expected: str) -> tuple[str, ...]:
    """The lines of a packaged file, or of the user's own; blank ones and those with a # are left out."""
    if path is None:
        text = (files(__package__) / "prompts" / name).read_text(encoding="utf-8")
    else:
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{option} {path} is no UTF-8 text: save it as UTF-8") from error
        except OSError as error:
            raise UserError(
                f"{option} {path} cannot be read ({error.strerror}): name a file with {expected}"
            ) from error
    stripped = (" ".join(line.split()) for line in text.splitlines())
    found = tuple(dict.fromkeys(line for line in stripped if line and not line.startswith("#")))
    if not found:
        raise UserError(f"{option} {path} is empty: write {expected}")
    return found
