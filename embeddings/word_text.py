"""Text files of word vectors, row by row: GloVe's, and with a header word2vec's and fastText's.

A row is a word and its numbers, with blanks or tabs between. A word may hold blanks, as some of GloVe's do,
so that a row is read from its end. Lines without anything are no rows. gensim's reader is not used here: it
reads as many rows as a header says, and refuses words with blanks.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError

BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Header:
    """What the first line of a headed file says."""

    n_words: int
    n_numbers: int


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked where it is gzipped; OSError or EOFError within where they are damaged."""
    with path.open("rb") as raw:
        packed = raw.read(2) == GZIP
    with gzip.open(path) if packed else path.open("rb") as file:
        try:
            yield file  # type: ignore[misc]
        except zlib.error as error:
            raise OSError(f"its compressed data is damaged: {error}") from error


def header_of(line: bytes) -> Header | None:
    """The header that a file's first line is; None if it is a row or another thing."""
    parts = line.removeprefix(BOM).split()
    if len(parts) == 2 and all(part.isdigit() and len(part) < 19 for part in parts):
        return Header(int(parts[0]), int(parts[1]))
    return None


def numbers_of(line: bytes) -> int:
    """How many numbers a row has behind its word; 0 for a line that is not a row."""
    parts = line.removeprefix(BOM).split()
    n_last = 0
    for part in reversed(parts[1:]):  # the first may be a word that is a number
        if not _is_number(part):
            break
        n_last += 1
    return n_last


def read_text(path: Path, header: Header | None) -> tuple[dict[str, int], NDArray[np.float32]]:
    """The row of each word and the vectors, (n_rows, n_numbers); of a word that is there twice, the first.

    Raises
    ------
    UserError
        On a row that has another number of numbers, a header that says another number of rows or numbers, or
        words that are not UTF-8: the line is named, or both counts.

    """
    if header is not None and not header.n_numbers:
        raise damaged(path, "its header says 0 numbers a word")
    with opened(path) as file:
        n_lines = sum(1 for line in file if line.strip())
    n_rows = n_lines - (header is not None)
    if header is not None and n_rows != header.n_words:
        raise damaged(path, f"its header says {header.n_words:,} words, and it holds {n_rows:,}")
    words = _Words()
    vectors = np.empty((0, 0), np.float32)
    with opened(path) as file:
        for number, written in enumerate(file, start=1):
            line = written.removeprefix(BOM) if number == 1 else written
            if number == 1:
                n_numbers = numbers_of(line) if header is None else header.n_numbers
            if not line.strip() or (number == 1 and header is not None):
                continue
            word, values = _row(line, n_numbers)
            if values is None:
                raise damaged(
                    path,
                    f"line {number:,} is {line[:40]!r}, where a word and {n_numbers} numbers are expected",
                )
            if not words.n_rows:  # a header may say any width, which a row has confirmed now
                vectors = np.empty((n_rows, n_numbers), np.float32)
            vectors[words.n_rows] = values
            words.add(word, number)
    words.check(path)
    return words.rows, vectors


class _Words:
    """The words of rows. Few that are not UTF-8 are looked up by nobody; many are another encoding."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.n_rows = 0
        self._n_beyond_ascii = 0
        self._broken: list[tuple[bytes, int]] = []

    def add(self, word: bytes, line: int) -> None:
        """The word of the next row, on that line; of a word that is there twice, the first row counts."""
        self._n_beyond_ascii += not word.isascii()
        try:
            text = word.decode()
        except UnicodeDecodeError:
            self._broken.append((word, line))
            text = word.decode(errors="surrogateescape")
        self.rows.setdefault(text, self.n_rows)
        self.n_rows += 1

    def check(self, path: Path) -> None:
        """Raise UserError where more than one in a hundred words beyond ASCII is not UTF-8."""
        if not self._broken or 100 * len(self._broken) <= self._n_beyond_ascii:
            return
        word, line = self._broken[0]
        share = f"{len(self._broken):,} of {self._n_beyond_ascii:,} words beyond ASCII are not"
        raise UserError(
            f"word vectors {path}: the word {word[:40]!r} on line {line:,} is not UTF-8 ({share}):"
            " convert the file to UTF-8"
        )


def _row(line: bytes, n_numbers: int) -> tuple[bytes, list[float] | None]:
    """A row's word, and its numbers unless they are others than so many."""
    parts = line.rsplit(maxsplit=n_numbers)
    if len(parts) == n_numbers and line[:1].isspace():
        parts.insert(0, b"")  # a word of blanks alone
    if len(parts) != n_numbers + 1:
        return b"", None
    word = parts[0].rstrip()
    try:
        values = [float(part) for part in parts[1:]]
    except ValueError:
        return word, None
    inner = word.split()
    return word, None if len(inner) > 1 and _is_number(inner[-1]) else values


def _is_number(part: bytes) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


def damaged(path: Path, how: str) -> UserError:
    """The error of a file that is not whole."""
    return UserError(f"word vectors {path} are damaged or cut short ({how}): get the file again")
