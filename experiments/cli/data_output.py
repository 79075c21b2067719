"""What the commands that make data sets say of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..terminal.wording import counted
from .arguments import Parser

if TYPE_CHECKING:
    from ..data.derived import DerivedFile

_LISTED = 10  # walls left out that are named; the file's provenance has all


def add_strict(parser: Parser) -> None:
    """The option that refuses walls which would be left out."""
    parser.add_argument(
        "--strict", action="store_true", help="refuse a wall that cannot be used; otherwise it is left out"
    )


def print_files(files: Sequence[DerivedFile], done: str) -> None:
    """A line for each file, and one for each wall of its source that was left out."""
    for file in files:
        print(
            f"{file.path}: {counted(file.n_walls, 'wall')}, {'copied as they are' if file.copied else done}"
        )
        if not file.left_out:
            continue
        print(f"  left out, since they cannot be used: {counted(len(file.left_out), 'wall')} of the source")
        for wall in file.left_out[:_LISTED]:
            print(f"    {wall.wall}: {wall.reason}")
        if len(file.left_out) > _LISTED:
            print(f"    and {len(file.left_out) - _LISTED:,} more, which its provenance lists")
