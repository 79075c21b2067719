"""What the commands that make data sets say of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..wording import counted

if TYPE_CHECKING:
    from ..data.derived import DerivedFile


def print_files(files: Sequence[DerivedFile], done: str) -> None:
    """A line for each file."""
    for file in files:
        print(
            f"{file.path}: {counted(file.n_walls, 'wall')}, {'copied as they are' if file.copied else done}"
        )
