"""A table of word vectors and how a word is looked up in it. Files are read in ``word_files``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class WordTable:
    """Word vectors: ``rows`` says which row of ``vectors`` (n_words, n_features) is a word's."""

    rows: Mapping[str, int]
    vectors: NDArray[Any]  # float16, float32 or float64; memory-mapped where the file allows
    files: Mapping[str, str]  # SHA-256 of each file that they come from, by file name

    @property
    def n_features(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def row(self, word: str) -> int:
        """The row of a word, or of the nearest spelling that the table has, or UNKNOWN.

        Tried in this order, as flair does: as it is, lower-cased, then lower-cased with every digit as
        ``#`` and with every digit as ``0``, since some tables were trained on texts with such digits.
        """
        return next((self.rows[tried] for tried in _spellings(word) if tried in self.rows), UNKNOWN)

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of rows, shape (n, n_features); zeros for UNKNOWN."""
        vectors = np.zeros((len(rows), self.n_features), dtype=np.float32)
        known = rows != UNKNOWN
        vectors[known] = self.vectors[rows[known]]
        return vectors


def _spellings(word: str) -> Iterator[str]:
    yield word
    lower = word.lower()
    yield lower
    yield re.sub(r"\d", "#", lower)
    yield re.sub(r"\d", "0", lower)
