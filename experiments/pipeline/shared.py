"""What several runs of one process share: an encoder and its model, walls, Gram matrices."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")


class Shared:
    """Makes each thing once while the runs that follow each other need the same one.

    Of each kind the last one alone is kept, so that runs which share it should stand side by side; with
    ``every``, where none is large, all of them.
    """

    def __init__(self, every: bool = False) -> None:
        self._every = every
        self._kept: dict[str, dict[Hashable, Any]] = {}

    def once(self, kind: str, key: Hashable, make: Callable[[], Made]) -> Made:
        """The thing of that kind and key; ``make`` makes it unless it is kept."""
        kept = self._kept.setdefault(kind, {})
        if key not in kept:
            if not self._every:
                kept.clear()  # before the next is made: two models may not fit
            kept[key] = make()
        made: Made = kept[key]
        return made
