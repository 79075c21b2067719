"""What each config group offers, and what to write in place of a word that is none of it.

Read from this folder alone, so that help needs no Hydra.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent
GROUPS = ("model", "embedding", "features", "dataset", "solver")
EXPERIMENT, LAUNCHER = "experiment", "launcher"  # a delta on top of all groups, and who starts a sweep's jobs
# The commands that take experiments, and the group in which each one's are.
EXPERIMENTS = {"fourfold sweep": EXPERIMENT, "fourfold sweep llm": "experiment/llm"}


def choices(group: str) -> tuple[str, ...]:
    """The names of a group's choices, sorted."""
    return tuple(sorted(path.stem for path in (FOLDER / group).glob("*.yaml")))


def default_choice(group: str) -> str:
    """The choice that ``config.yaml`` takes when the user names none."""
    text = (FOLDER / "config.yaml").read_text(encoding="utf-8")
    match = re.search(rf"^\s*- {re.escape(group)}: (\S+)$", text, flags=re.MULTILINE)
    return match.group(1) if match else ""


_ENDINGS = {".json", ".jsonl", ".ndjson"}
_OR_NYT = " (dataset=nyt for Connections)"


def other_choice(group: str, value: str) -> str | None:
    """What to write in place of ``group=value``, which is not a choice but a model's name or a path."""
    if group == "model":
        if "/" not in value and "\\" not in value and not _is_there(value) and not _same_models(value):
            return None
        known = " or ".join(f"model={name}" for name in _same_models(value))
        return f"write {f'{known}, or ' if known else ''}model.name={value} for a hub id or a folder"
    if group == "dataset" and _is_path(value):
        return f"write {_dataset_words(value)}{_OR_NYT}"
    return None


def other_word(word: str) -> str | None:
    """What to write in place of a word that is no ``key=value``: a name of a choice, or a path."""
    if named := _choice(word):
        return f"write {named}"
    if _is_path(word) and not _may_be_model(word):
        return f"write {_dataset_words(word)}{_OR_NYT}"
    if "/" in word:
        return f"write model.name={word} for a hub id or a folder of a model"
    return None


def other_command(word: str) -> str | None:
    """What to write in place of a word that is not a command, but what a run takes."""
    if re.match(r"[a-z_]+(\.\w+)*=", word):
        return f"write 'fourfold run {word}'"
    if named := _choice(word):
        return f"write 'fourfold run {named}'"
    if _is_path(word):
        run = f"'fourfold run {_dataset_words(word)}'{_OR_NYT}"
        return f"write {run}, or 'fourfold solve --file {word}' for the clues of one wall"
    return None


def _choice(word: str) -> str | None:
    for group in ("model", "dataset"):
        if word.casefold() in choices(group):
            return f"{group}={word.casefold()}"
    return f"model={same[0]}" if (same := _same_models(word)) else None


def _dataset_words(path: str) -> str:
    return f"dataset=ocw dataset.path={path}"


def _may_be_model(path: str) -> bool:
    """Whether a path leads to a model's folder rather than to walls."""
    return (Path(path).expanduser() / "config.json").is_file()


def _is_path(text: str) -> bool:
    return Path(text).suffix.lower() in _ENDINGS or _is_there(text)


def _is_there(text: str) -> bool:
    try:
        return bool(text.strip()) and Path(text).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _same_models(name: str) -> list[str]:
    """The choices that are the model of a hub's name, whoever is its owner there."""
    last = re.split("[/:]", name)[-1].casefold()
    same = []
    for choice in choices("model"):
        text = (FOLDER / "model" / f"{choice}.yaml").read_text(encoding="utf-8")
        named = re.search(r"^name: (\S+)$", text, flags=re.MULTILINE)
        if named and re.split("[/:]", named[1])[-1].casefold() == last:
            same.append(choice)
    return same
