"""What every encoder offers, whatever stands behind it. No encoder lives here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many distinct texts, or sentences, are done; first with 0, last with all."""


@runtime_checkable
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


@runtime_checkable
class ContextualEncoder(Protocol):
    """Sentences of texts in, one vector a text out: it depends on the sentence's others."""

    @property
    def name(self) -> str:
        """What the user calls the model."""
        ...

    def encode_in_context(
        self, sentences: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """The vectors of the texts of ``sentences``, shape (n_sentences, n_points, n_features).

        Row (s, i) belongs to ``sentences[s][i]``: the texts of a sentence are read in the order in which they
        are given. All sentences have equally many. Callers bound the memory by how many they give at a time.
        """
        ...

    def describe(self) -> dict[str, JSON]:
        """Everything that is needed to make the same vectors again, the device used included."""
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """An encoder that knows some words and not others."""

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """How many tokens each text has and how many of them are unknown, shape (n_texts, 2)."""
        ...


@runtime_checkable
class Unloads(Protocol):
    """An encoder that can let go of its model."""

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        ...
