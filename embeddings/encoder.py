"""What every encoder offers, whatever stands behind it. No encoder lives here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many distinct texts are done; first with 0, last with all."""


class Encoder(Protocol):
    """Texts in, one vector a text out, in the order given."""

    @property
    def name(self) -> str:
        """What the user calls the model."""
        ...

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n_texts, n_features); row i belongs to text i."""
        ...

    def describe(self) -> dict[str, JSON]:
        """Everything that is needed to make the same vectors again, the device used included."""
        ...
