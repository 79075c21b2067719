"""Types of arguments that are arrays or can be made into one: ``ArrayLike`` would let strings through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray


class SupportsArray(Protocol):
    """An array, a number of numpy, a data frame, a tensor."""

    def __array__(self) -> NDArray[Any]:
        """The numbers."""


Bound = int | Sequence[int] | SupportsArray | None
Matrix = Sequence[Sequence[float]] | SupportsArray
