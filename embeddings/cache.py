"""Vectors of texts that were encoded before, by model and settings: a second run encodes nothing.

Each kind of vectors, which is an encoder's whole description and the versions of the packages behind it, is
named by a hash; ``fourfold.store`` says how processes share the file, and what becomes of a damaged one. What
cannot be read or written costs time and one line of words, never a wrong vector.

Vectors of texts in context are not stored: they are one for each sentence, order and text (half a gigabyte
for 618 walls in 16 orders), and the record of a run already saves the same run from being repeated.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..cache_folder import cache_folder
from ..errors import UserError
from ..store import Layout, Store
from .encoder import JSON, CountsTokens, Encoder, Progress, Unloads
from .texts import check_texts

# What vectors depend on beside the encoder's description.
_PACKAGES = (
    "numpy",
    "torch",
    "transformers",
    "tokenizers",
    "gensim",
    "bpemb",
    "sentencepiece",
    "segtok",
    "flair",
)
FILE = "vectors.sqlite"
_LAYOUT = Layout(
    1,
    {
        "kinds": "kind TEXT PRIMARY KEY, about BLOB, changed REAL",
        "vectors": "kind TEXT, text BLOB, vector BLOB, counts BLOB, checksum INTEGER, "
        "PRIMARY KEY (kind, text)",
    },
    holds="vectors",
    unread="texts are encoded again",
    unwritten="the next run encodes them again",
)
_Row: TypeAlias = tuple[int, bytes, bytes, bytes, int]


class _Block(NamedTuple):
    """What is stored of some texts. ``counts`` has no columns where the encoder counts no tokens."""

    texts: list[str]
    vectors: NDArray[np.float32]  # (n_texts, n_features)
    counts: NDArray[np.int64]  # (n_texts, 2)


class CachedEncoder:
    """An encoder that looks into the cache first; the same vectors, bit by bit, that it once made.

    Parameters
    ----------
    encoder
        What encodes the texts that are not there. Where all are there, it does not load its model.
    folder
        Where the file of vectors is; the user's cache by default.
    say
        Called with a line about a damaged file, or a folder that cannot be written to. By default it is
        printed to stderr.

    """

    def __init__(
        self, encoder: Encoder, folder: Path | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.encoder = encoder
        self._say = _on_stderr if say is None else say
        self._store: Store | None = None
        try:
            self._store = _store(folder, self._say)
        except UserError as error:  # a user without a home
            self._say(f"vectors are not stored: {error}")
        self._about: dict[str, dict[str, JSON]] | None = None
        self._places: dict[str, int] = {}  # of each known text in the two arrays
        self._vectors = np.empty((0, 0), dtype=np.float32)
        self._counts = np.empty((0, 0), dtype=np.int64)
        self._last_row = 0
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """The encoder's."""
        return self.encoder.name

    @property
    def counts(self) -> bool:
        """Whether the encoder counts tokens."""
        return isinstance(self.encoder, CountsTokens)

    def describe(self) -> dict[str, JSON]:
        """What the encoder says of itself."""
        return dict(self._described()["encoder"])

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n_texts, n_features), from the cache where it has them.

        Raises what the encoder raises; ``progress`` is told of the texts that it has to encode.
        """
        distinct = list(dict.fromkeys(check_texts(texts)))
        if not distinct:
            return self.encoder.encode([], progress)
        with self._lock:
            self._fill(distinct, progress)
            return self._vectors[[self._places[text] for text in texts]]

    def unload(self) -> None:
        """Let go of the memory of the encoder's model, if it can; the vectors stay."""
        if isinstance(self.encoder, Unloads):
            self.encoder.unload()

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """As the encoder counts them, shape (n_texts, 2); all zeros if it counts none."""
        if not isinstance(self.encoder, CountsTokens):
            return np.zeros((len(texts), 2), dtype=np.int64)
        with self._lock:
            self._fill(list(dict.fromkeys(check_texts(texts))), None)
            return self._counts[[self._places[text] for text in texts]].reshape(-1, 2)

    def _fill(self, distinct: list[str], progress: Progress | None) -> None:
        """Have the vectors of these texts in memory, from the cache or the encoder."""
        if any(text not in self._places for text in distinct):
            self._read_new()
        if new := [text for text in distinct if text not in self._places]:
            made = self._encode(new, progress)
            self._add(made)
            self._write(made)
        elif progress is not None:
            progress(len(distinct), len(distinct))

    def _add(self, block: _Block) -> None:
        first = len(self._vectors)
        if not block.texts:
            return
        if first:
            self._vectors = np.concatenate([self._vectors, block.vectors])
            self._counts = np.concatenate([self._counts, block.counts])
        else:
            self._vectors, self._counts = block.vectors, block.counts
        self._places.update(zip(block.texts, range(first, first + len(block.texts)), strict=True))

    def _encode(self, texts: list[str], progress: Progress | None) -> _Block:
        vectors = np.asarray(self.encoder.encode(texts, progress), dtype=np.float32)
        counts = np.empty((len(texts), 0), dtype=np.int64)
        if isinstance(self.encoder, CountsTokens):
            counts = np.asarray(self.encoder.count_tokens(texts), dtype=np.int64)
        return _Block(texts, vectors, counts)

    def _described(self) -> dict[str, dict[str, JSON]]:
        """What vectors depend on: the encoder's description, and versions."""
        if self._about is None:
            versions: dict[str, JSON] = {"fourfold": __version__}
            for package in _PACKAGES:
                with suppress(PackageNotFoundError):
                    versions[package] = version(package)
            self._about = {"encoder": self.encoder.describe(), "versions": versions}
        return self._about

    def _kind(self) -> str:
        """16 hex digits for what vectors depend on."""
        text = json.dumps(self._described(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _read_new(self) -> None:
        """Read the vectors that have come since the last time."""
        if self._store is None:
            return
        kind, after = self._kind(), self._last_row

        def rows(connection: sqlite3.Connection) -> list[_Row]:
            wanted = "SELECT rowid, text, vector, counts, checksum FROM vectors WHERE kind = ? AND rowid > ?"
            return connection.execute(wanted, (kind, after)).fetchall()

        none: list[_Row] = []
        read = self._store.read(rows, none)
        sound = _sound(kind, read)
        if len(sound) < len(read):
            self._say(
                f"{len(read) - len(sound):,} of the stored vectors in {self._store.path} are damaged: their "
                "texts are encoded again"
            )
        if sound:
            self._last_row = max(row[0] for row in read)
            # Those that this process wrote are known already.
            if new := [row for row in sound if row[1].decode() not in self._places]:
                self._add(_unpacked(new, self.counts))

    def _write(self, block: _Block) -> None:
        if self._store is None:
            return
        kind = self._kind()
        about = json.dumps(self._described()).encode()

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO kinds VALUES (?, ?, ?)", (kind, about, time.time()))
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", _packed(kind, block)
            )

        self._store.write(write, None)


def _sound(kind: str, rows: list[_Row]) -> list[_Row]:
    """The rows that are as they were written; in a damaged one a value may be of any type."""
    crc32, start = zlib.crc32, zlib.crc32(kind.encode())
    try:  # most of the time of reading is in this line
        return [row for row in rows if crc32(row[2], crc32(row[3], crc32(row[1], start))) == row[4]]
    except TypeError:
        whole = [row for row in rows if all(isinstance(value, bytes) for value in row[1:4])]
        return _sound(kind, whole)


def _unpacked(rows: Sequence[_Row], counted: bool) -> _Block:
    """What is in rows that are sound."""
    fitting = [row for row in rows if len(row[2]) == len(rows[0][2]) and (row[3] or not counted)]
    vectors = np.frombuffer(b"".join([row[2] for row in fitting]), dtype=np.float32)
    numbers = b"".join([row[3] for row in fitting]) if counted else b""
    counts = np.frombuffer(numbers, dtype=np.int64).reshape(len(fitting), 2 if counted else 0)
    return _Block(
        [row[1].decode() for row in fitting], vectors.reshape(len(fitting), len(rows[0][2]) // 4), counts
    )


def _packed(kind: str, block: _Block) -> Iterable[tuple[str, bytes, bytes, bytes, int]]:
    for text, vector, counts in zip(*block, strict=True):
        key, row, numbers = text.encode(), vector.tobytes(), counts.tobytes()
        total = zlib.crc32(row, zlib.crc32(numbers, zlib.crc32(key, zlib.crc32(kind.encode()))))
        yield kind, key, row, numbers, total


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors that one encoder left in a cache."""

    kind: str
    name: str
    settings: dict[str, JSON]  # the encoder's description
    n_texts: int
    size: int  # bytes
    changed: float  # seconds since 1970


def stored_vectors(folder: Path | None = None) -> list[StoredVectors]:
    """What the cache holds, by name; ``folder`` as of ``CachedEncoder``."""

    def listed(connection: sqlite3.Connection) -> list[Any]:
        return connection.execute(
            "SELECT kind, about, changed, count(text), total(length(text) + length(vector) + length(counts)) "
            "FROM vectors LEFT JOIN kinds USING (kind) GROUP BY kind"
        ).fetchall()

    vectors = []
    none: list[Any] = []
    for kind, about, changed, n_texts, size in _store(folder, _on_stderr).read(listed, none):
        settings = _settings(about)
        name = str(settings.get("name", "unknown"))
        vectors.append(StoredVectors(kind.decode(), name, settings, n_texts, int(size), changed or 0.0))
    return sorted(vectors, key=lambda each: (each.name, each.kind))


def remove_vectors(stored: Iterable[StoredVectors], folder: Path | None = None) -> int:
    """Remove vectors from the cache; return how many bytes they took."""
    removed = list(stored)

    def remove(connection: sqlite3.Connection) -> int:
        for each in removed:
            for table in ("vectors", "kinds"):
                connection.execute(f"DELETE FROM {table} WHERE kind = ?", (each.kind,))
        return sum(each.size for each in removed)

    return _store(folder, _on_stderr).write(remove, 0) if removed else 0


def _store(folder: Path | None, say: Callable[[str], None]) -> Store:
    return Store((cache_folder() if folder is None else folder.expanduser()) / FILE, _LAYOUT, say)


def _settings(about: Any) -> dict[str, JSON]:
    """An encoder's description; empty where it is damaged."""
    with suppress(TypeError, ValueError, RecursionError):
        content = json.loads(about)
        if isinstance(content, dict) and isinstance(content.get("encoder"), dict):
            return dict(content["encoder"])
    return {}


# Where versions before the file of vectors left them: a folder for each kind, and the files in it.
_EARLIER_FOLDER = re.compile(r"[0-9a-f]{16}")
_EARLIER_FILE = re.compile(
    r"about\.json|[0-9a-f]{16}\.vectors|\.(about\.json|[0-9a-f]{16}\.vectors)\..*\.part"
)


def earlier_vectors(folder: Path | None = None) -> list[Path]:
    """Files of vectors that earlier versions left, which are read no more."""
    root = cache_folder() / "encoded" if folder is None else folder.expanduser()
    return [
        path
        for home in sorted(root.glob("*/"))
        if _EARLIER_FOLDER.fullmatch(home.name)
        for path in sorted(home.iterdir())
        if _EARLIER_FILE.fullmatch(path.name) and path.is_file()
    ]


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr)
