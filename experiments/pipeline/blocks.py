"""Work on many walls goes in blocks, which bounds its memory.

What is here goes through the blocks, says how many walls are done, and names the wall that an error is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import ItemError, UserError
from ..data.wall import WallSet
from ..terminal.progress import Update

Made = TypeVar("Made")


def each_block(
    n_items: int,
    at_once: int,
    work: Callable[[slice, Update], Made],
    update: Update | None = None,
    wall_of: Sequence[int] | NDArray[np.int64] | None = None,
) -> Iterator[tuple[slice, Made]]:
    """Each block of at most ``at_once`` items, and what ``work`` makes of it.

    Parameters
    ----------
    n_items, at_once
        How many items there are, and at most in a block.
    work
        Takes a block, and an update to call with how many of its items are done.
    update
        Is called with how many of all items are done.
    wall_of
        Which wall each item belongs to, where that is another number than the item's.

    Raises
    ------
    ItemError
        What ``work`` raises about an item of its block, with the wall's number among all.

    """
    for start in range(0, n_items, at_once):
        block = slice(start, min(start + at_once, n_items))
        progress = shifted(update, start, n_items)
        try:
            made = work(block, progress)
        except ItemError as error:
            item = start + error.item
            raise ItemError(item if wall_of is None else int(wall_of[item]), error.reason) from error
        yield block, made
        progress(block.stop - start, n_items)


def shifted(update: Update | None, before: int, total: int) -> Update:
    """An update of work that comes after ``before`` items of ``total``."""

    def shifted_update(done: int, _: int) -> None:
        if update is not None:
            update(before + done, total)

    return shifted_update


@contextmanager
def walls_by_id(walls: WallSet) -> Iterator[None]:
    """Call the wall that an error within is about by its id, not by its number."""
    try:
        yield
    except ItemError as error:
        raise UserError(f"wall {walls.walls[error.item].wall_id}: {error.reason}") from error
