"""What each config group offers, read from this folder alone, so that help needs no Hydra."""

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
    found = re.search(rf"^\s*- {re.escape(group)}: (\S+)$", text, flags=re.MULTILINE)
    return found.group(1) if found else ""
