"""The templates and instructions of MacGyver's tasks: the packaged ones, or anyone's own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from ...errors import UserError
from ..llm.prompt import Prompt

# What each task's template is given.
VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vanilla": ("problem", "instruction"),
        "divergent": ("problem", "instruction"),
        "reflection": ("problem", "round"),
        "problems": ("tags", "number"),
        "solutions": ("problems",),
        "constraints": ("problems", "solutions"),
        "distractors": ("problems", "number"),
        "recount": ("got", "wanted", "missing"),
        "judge": ("problem", "answer", "references"),
    }
)
# What it must use, or all of its questions would be the same.
_NEEDED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vanilla": ("problem",),
        "divergent": ("problem",),
        "solutions": ("problems",),
        "constraints": ("problems",),
        "distractors": ("problems",),
        "judge": ("answer",),
    }
)
MAKING = ("problems", "solutions", "constraints", "distractors", "recount")
_INSTRUCTIONS, _TAGS = "instructions.txt", "tags.txt"


def task_prompt(task: str, path: Path | None = None, option: str = "--prompt ") -> Prompt:
    """The template of a task; UserError if the user's own cannot be used or leaves out the problem."""
    prompt = Prompt(task, VARIABLES[task], __package__, path, about="a problem", option=option)
    for name in _NEEDED.get(task, ()):
        if name not in prompt.used:
            raise UserError(
                f"{prompt.source} does not use {name}, so that every question would be the same: write "
                f"{{{{ {name} }}}} where it belongs"
            )
    return prompt


def instructions(path: Path | None = None) -> tuple[str, ...]:
    """The instructions, a line each; UserError if the file cannot be read or holds none."""
    return lines_of(_INSTRUCTIONS, path, "--instructions", "an instruction a line")


def tags(path: Path | None = None) -> tuple[str, ...]:
    """The places and activities that new problems are about; UserError if the file cannot be used."""
    return lines_of(_TAGS, path, "--tags", "a tag a line")


def making_prompts(folder: Path | None = None) -> dict[str, Prompt]:
    """The templates of making problems: those in the user's folder, the packaged ones for the others.

    Raises
    ------
    UserError
        If there is no such folder, it has a template of another name or none at all, or one of them cannot be
        read or used.

    """
    own: dict[str, Path] = {}
    if folder is not None:
        if not folder.is_dir():
            raise UserError(
                f"--prompts {folder} is not a folder: name one with templates such as problems.jinja"
            )
        own = {path.stem: path for path in sorted(folder.glob("*.jinja"))}
        strange = sorted(own.keys() - set(MAKING))
        if strange or not own:
            got = f"{strange[0]}.jinja" if strange else "no template"
            known = ", ".join(f"{name}.jinja" for name in MAKING)
            raise UserError(f"--prompts {folder} holds {got}: expected some of {known}")
    return {name: task_prompt(name, own.get(name), "--prompts ") for name in MAKING}


def lines_of(name: str, path: Path | None, option: str, expected: str) -> tuple[str, ...]:
    """The lines of a packaged file, or of the user's own; blank ones and those with a # are left out."""
    if path is None:
        text = (files(__package__) / "prompts" / name).read_text(encoding="utf-8")
    else:
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError(f"{option} {path} is not UTF-8 text: save it as UTF-8") from error
        except OSError as error:
            raise UserError(
                f"{option} {path} cannot be read ({error.strerror}): name a file with {expected}"
            ) from error
    stripped = (" ".join(line.split()) for line in text.splitlines())
    found = tuple(dict.fromkeys(line for line in stripped if line and not line.startswith("#")))
    if not found:
        raise UserError(f"{option} {path} is empty: write {expected}")
    return found
