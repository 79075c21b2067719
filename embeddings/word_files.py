"""Files of word vectors: text (read in ``word_text``), word2vec's binary format and gensim's KeyedVectors.

A text or binary file is converted once to a KeyedVectors in the user's cache, whose vectors are then mapped
into memory, so that a file of gigabytes is not parsed again. KeyedVectors are mapped from where they are. A
converted table that is damaged is made again; where none can be stored, the file is parsed in each process.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import sys
import warnings
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..cache_folder import VARIABLE, cache_folder
from ..errors import UserError, reason
from ..whole_files import folder_written_whole, locked
from .extras import require
from .file_hash import file_sha256
from .word_table import WordTable
from .word_text import Header, damaged, header_of, numbers_of, opened, read_text

Kind = Literal["keyed", "binary", "headed", "headless"]

CONVERTED = "vectors.kv"
_FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"  # the magic number of a fastText model with its subwords
_ROWS = 50_000  # checked at a time
_LOG = logging.getLogger(__name__)
_READER = 2  # raised when a file may be read otherwise than before


@dataclass(frozen=True, slots=True)
class Source:
    """The file that a converted table was made of, as ``source.json`` holds it."""

    path: str
    size: int
    modified: int  # nanoseconds
    sha256: str
    digests: dict[str, str]  # SHA-256 of the converted files, to notice one that is damaged
    reader: int  # ``_READER`` of whoever converted it

    def matches(self, path: Path) -> bool:
        """Whether ``path`` is still the file that was converted, as far as its size and time say."""
        state = path.stat()
        now = (str(path), state.st_size, state.st_mtime_ns, _READER)
        return (self.path, self.size, self.modified, self.reader) == now


def read_words(path: Path) -> WordTable:
    """The table in a file; a text or binary one is converted first, unless the cache has it.

    A KeyedVectors file is a pickle, which can run code when it is read: name only files that you trust.

    Raises
    ------
    UserError
        If there is no such file, or it holds no word vectors.

    """
    path = path.expanduser().absolute()
    if not path.is_file():
        raise UserError(f"word vectors {path}: there is no such file")
    kind = _kind(path)
    require("gensim")
    if kind == "keyed":
        rows, vectors = _load(path)
        if len(rows) != len(vectors):
            raise damaged(path, f"it holds {len(rows):,} words and {len(vectors):,} vectors")
        return WordTable(rows, vectors, _keyed_digests(path))
    try:
        return _from_cache(path, kind)
    except _NotStoredError as missing:
        _LOG.warning(
            "what %s is converted to cannot be stored (%s): each run converts it anew; make room, or name "
            "another folder with the environment variable %s", path, missing.why, VARIABLE,
        )  # fmt: skip
        loaded = _parse(path, kind) if missing.loaded is None else missing.loaded
        return WordTable(loaded.key_to_index, loaded.vectors, {path.name: file_sha256(path)})


class _NotStoredError(Exception):
    """A table that cannot be stored, and what was parsed of it."""

    def __init__(self, why: str, loaded: Any = None) -> None:
        super().__init__(why)
        self.why = why
        self.loaded = loaded


def _from_cache(path: Path, kind: Kind) -> WordTable:
    """The converted table, which is made first if need be. Raises _NotStoredError where it cannot be."""
    try:
        folder = _converted_folder(path)
    except UserError as error:  # a user without a home
        raise _NotStoredError(str(error)) from error
    source = _source(folder)
    if source is None or not source.matches(path):
        source = _convert(path, kind, folder)
    try:
        rows, vectors = _load(folder / CONVERTED)
    except UserError:  # it is whole, and another version of gensim wrote it
        shutil.rmtree(folder, ignore_errors=True)
        source = _convert(path, kind, folder)
        rows, vectors = _load(folder / CONVERTED)
    return WordTable(rows, vectors, {path.name: source.sha256})


def word_digests(path: Path) -> dict[str, str]:
    """SHA-256 of the files of a table, by name, without loading it; a converted file is not read again."""
    path = path.expanduser().absolute()
    if not path.is_file():
        raise UserError(f"word vectors {path}: there is no such file")
    if _kind(path) == "keyed":
        return _keyed_digests(path)
    with suppress(UserError):  # of a user without a home
        source = _source(_converted_folder(path))
        if source is not None and source.matches(path):
            return {path.name: source.sha256}
    return {path.name: file_sha256(path)}


@dataclass(frozen=True, slots=True)
class Converted:
    """A table that was converted into the user's cache."""

    folder: Path
    name: str  # the source's file name
    source: str
    size: int  # bytes
    changed: float  # seconds since 1970
    files: tuple[Path, ...]


def list_converted() -> list[Converted]:
    """The converted tables in the user's cache, by name; one that is not whole is called ``unknown``."""
    tables = []
    for folder in sorted((cache_folder() / "words").glob("*/")):
        source = _source(folder, checked=False)
        path = "unknown" if source is None else str(source.path)
        files = tuple(folder.iterdir())
        states = [file.stat() for file in files]
        changed = max((state.st_mtime for state in states), default=0.0)
        size = sum(state.st_size for state in states)
        tables.append(Converted(folder, Path(path).name, path, size, changed, files))
    return sorted(tables, key=lambda each: (each.name, each.folder))


def _converted_folder(path: Path) -> Path:
    key = hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:16]
    return cache_folder() / "words" / f"{path.name.partition('.')[0]}-{key}"


def _kind(path: Path) -> Kind:
    """What a file holds, by its content."""
    with path.open("rb") as raw:
        magic = raw.read(4)
    if magic[:2] == b"\x1f\x8b" and path.suffix != ".gz":
        raise UserError(f"word vectors {path}: the file is gzipped: give it a name that ends in .gz")
    if magic.startswith(b"PK"):
        raise UserError(f"word vectors {path}: the file is a zip archive: name a file unpacked from it")
    try:
        with opened(path) as file:
            first = file.readline(1 << 20)
            second = next((line for line in iter(lambda: file.readline(1 << 20), b"") if line.strip()), b"")
    except (OSError, EOFError) as error:
        raise UserError(f"word vectors {path} cannot be read ({error}): get the file again") from error
    if first.startswith(_FASTTEXT_MODEL):
        raise UserError(
            f"word vectors {path}: this is a fastText model with subwords: name its table of whole words, "
            "the .vec file beside it"
        )
    if first[:1] == b"\x80":
        return "keyed"
    header = header_of(first)
    if header is not None:
        text = not any(byte < 0x20 and byte not in b"\t\r\n" for byte in second)
        return "headed" if text and numbers_of(second) else "binary"
    if numbers_of(first) > 1:
        return "headless"
    raise UserError(
        f"word vectors {path}: expected lines of a word and its numbers (GloVe, fastText, word2vec), "
        f"word2vec's binary format or gensim's KeyedVectors, and the file begins {first[:40]!r}"
    )


def _load(path: Path) -> tuple[dict[str, int], Any]:
    from gensim.models import KeyedVectors

    try:
        loaded: Any = KeyedVectors.load(str(path), mmap="r")
        loaded = getattr(loaded, "wv", loaded)  # a whole Word2Vec model holds its table there
        rows, vectors = loaded.key_to_index, loaded.vectors
        if vectors.ndim != 2 or max(rows.values(), default=-1) >= len(vectors):
            raise ValueError(f"{len(rows)} words and vectors of shape {vectors.shape}")
    except Exception as error:  # a pickle of anything
        raise UserError(
            f"word vectors {path}: gensim cannot load them ({_reason(error)}): get the file again, "
            "and with it the .npy files that belong beside it"
        ) from error
    return rows, vectors


def _convert(path: Path, kind: Kind, folder: Path) -> Source:
    """Convert a file into ``folder``, whole or not at all, unless another process has just done it."""
    loaded = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder.parent / f"{folder.name}.lock"):
            done = _source(folder)
            if done is not None and done.matches(path):
                return done
            if folder.exists():
                shutil.rmtree(folder)
            if sys.stderr.isatty():
                print(f"converting {path} once, for this and later runs", file=sys.stderr)
            state = path.stat()
            loaded = _parse(path, kind)
            digest = file_sha256(path)
            with folder_written_whole(folder) as made:
                loaded.save(str(made / CONVERTED), separately=["vectors"])
                digests = {file.name: file_sha256(file) for file in made.iterdir()}
                source = Source(str(path), state.st_size, state.st_mtime_ns, digest, digests, _READER)
                (made / "source.json").write_text(json.dumps(asdict(source)), encoding="utf-8")
    except OSError as error:
        raise _NotStoredError(reason(error), loaded) from error
    return source


def _parse(path: Path, kind: Kind) -> Any:
    """The table of a text or binary file, whose vectors are finite."""
    from gensim.models import KeyedVectors

    try:
        with opened(path) as file:
            header = header_of(file.readline(1 << 20))
        if kind == "binary" and header is not None:
            loaded = _read_binary(path, header)
        else:
            rows, vectors = read_text(path, header)
            loaded = KeyedVectors(vectors.shape[1])
            loaded.key_to_index, loaded.index_to_key, loaded.vectors = rows, list(rows), vectors
    except (OSError, EOFError) as error:
        raise damaged(path, _reason(error)) from error
    for start in range(0, len(loaded.vectors), _ROWS):
        finite = np.isfinite(loaded.vectors[start : start + _ROWS]).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            word = next((word for word, place in loaded.key_to_index.items() if place == row), "")
            raise UserError(f"word vectors {path}: the vector of {word!r} is not finite: get the file again")
    return loaded


def _read_binary(path: Path, header: Header) -> Any:
    """A file in word2vec's binary format, whose rows are as many as its header says."""
    from gensim.models import KeyedVectors

    loaded, too_big = None, False
    with warnings.catch_warnings():
        # gensim leaves the file of its second pass open, until its frame goes with the exception.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            loaded = KeyedVectors.load_word2vec_format(
                str(path), binary=True, unicode_errors="surrogateescape"
            )
        except (ValueError, EOFError, OSError, MemoryError, OverflowError, zlib.error) as error:
            why, too_big = _reason(error), isinstance(error, MemoryError)
    n_rows = _count_binary(path, header.n_numbers)
    if n_rows != header.n_words:
        raise damaged(path, f"its header says {header.n_words:,} words, and it holds {n_rows:,} whole ones")
    if too_big:  # and whole
        raise MemoryError(why)
    if loaded is None:
        raise damaged(path, why)
    return loaded


def _count_binary(path: Path, n_numbers: int) -> int:
    """The rows of a file in word2vec's binary format, whatever its header says."""
    n_rows = 0
    with opened(path) as file:
        file.readline(1 << 20)
        held = b""
        while n_numbers:
            more = file.read(1 << 24)
            held += more
            place = 0
            while (blank := held.find(b" ", place)) >= 0 and blank + 1 + 4 * n_numbers <= len(held):
                place = blank + 1 + 4 * n_numbers
                n_rows += 1
            held = held[place:]
            if not more:
                break
    return n_rows


def _source(folder: Path, checked: bool = True) -> Source | None:
    """What was converted into ``folder``; None if it is not there, or not whole."""
    try:
        source = Source(**json.loads((folder / "source.json").read_text(encoding="utf-8")))
        files = source.digests if checked else {}
        whole = all(file_sha256(folder / name) == digest for name, digest in files.items())
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return source if whole else None


def _keyed_digests(path: Path) -> dict[str, str]:
    parts = [path, *sorted(path.parent.glob(f"{_escaped(path.name)}.*.npy"))]
    return {part.name: file_sha256(part) for part in parts}


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
