"""The walls that a configuration names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ...conf.schema import DatasetConfig
from ..terminal.writing import counted
from .document import one_line
from .readers import bundled_walls, read_walls
from .wall import WallSet

_LISTED = 10  # walls left out that are named on the screen; the record has all
_said: set[str] = set()


def load_walls(dataset: DatasetConfig) -> WallSet:
    """The walls that a configuration names; UserError if they cannot be read.

    What is left out of them is said on stderr, once a process.
    """
    if dataset.layout == "bundled":
        return bundled_walls()
    walls = read_walls(
        dataset.path or "",
        split=dataset.split,
        layout=dataset.layout,
        name=dataset.name,
        strict=dataset.strict,
    )
    say_left_out(walls, dataset.path or "")
    return walls


def say_left_out(walls: WallSet, source: str) -> None:
    """Say on stderr, once a process, which walls of ``source`` cannot be used and which splits it lacks."""
    for line in _lines(walls, one_line(source)):
        if line not in _said:
            _said.add(line)
            print(line, file=sys.stderr)


def _lines(walls: WallSet, source: str) -> Iterator[str]:
    if walls.absent:
        number = counted(len(walls), "wall")
        yield f"{source}: no walls in {' and '.join(walls.absent)}; the others have {number}"
    left_out = walls.left_out
    if not left_out:
        return
    total = counted(len(walls) + len(left_out), "wall")
    lines = [
        f"{source}: left out {len(left_out):,} of {total}, which cannot be used (dataset.strict=true refuses"
        " such files)",
        *(f"  {wall.wall}: {wall.reason}" for wall in left_out[:_LISTED]),
    ]
    if len(left_out) > _LISTED:
        lines.append(f"  and {len(left_out) - _LISTED:,} more, which the record lists")
    yield "\n".join(lines)


def test_walls(dataset: DatasetConfig) -> DatasetConfig:
    """The data set, of a folder of splits its test walls unless another split is named, as in the paper."""
    if dataset.split is None and dataset.path is not None and dataset.layout in ("auto", "ocw"):
        folder = Path(dataset.path).expanduser()
        if (folder / "test.json").is_file():
            return replace(dataset, split="test")
    return dataset
