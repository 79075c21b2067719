"""What several runs of one process share: an encoder and its model, walls, Gram matrices."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")


class Shared:
    """Makes each thing once while the runs that follow each other need the same one.

    Of each kind the last one alone is kept: runs that share it should stand side by side.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Hashable, Any]] = {}

    def once(self, kind: str, key: Hashable, make: Callable[[], Made]) -> Made:
        """The thing of that kind and key; ``make`` makes it unless it is the last one of its kind."""
        if kind in self._kept and self._kept[kind][0] == key:
            made: Made = self._kept[kind][1]
            return made
        self._kept.pop(kind, None)  # before the next is made: two models may not fit
        made = make()
        self._kept[kind] = (key, made)
        return made
