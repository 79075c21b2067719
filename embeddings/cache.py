"""Vectors of texts that were encoded before, by model and settings: a second run encodes nothing.

Each kind of vectors, which is an encoder's whole description and the versions of the packages behind it, has
a folder. Each call that met new texts left one file there, which is never changed: it is written under a
temporary name and then renamed, so that processes need not wait for each other and a killed one leaves no
half of a file. A file begins with the checksum of the rest; a damaged one is removed and made again. What
cannot be read or written is done without: it costs time and one line of words, never a wrong vector.

Vectors of clues among their wall's others are not kept: they are one for each wall, order and clue (half a
gigabyte for 618 walls in 16 orders), and the record of a run already saves the same run from being repeated.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..cache_folder import cache_folder
from ..errors import UserError, reason
from .encoder import JSON, CountsTokens, Encoder, Progress, Unloads
from .texts import check_texts
from .user_cache import states, write_whole

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
_ABOUT = "about.json"
_SUFFIX = ".vectors"
# A folder of vectors and the files in it, as this module names them: anything else is somebody else's.
_HOME = re.compile(r"[0-9a-f]{16}")
_OWN = re.compile(
    rf"about\.json|[0-9a-f]{{16}}\{_SUFFIX}|\.(?:about\.json|[0-9a-f]{{16}}\{_SUFFIX})\..*\.part"
)
_STALE = 86_400  # seconds after which a temporary file is nobody's


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is kept of one text. ``counts`` is (2,), or empty where the encoder counts no tokens."""

    vector: NDArray[np.float32]
    counts: NDArray[np.int64]


class CachedEncoder:
    """An encoder that looks into the cache first; the same vectors, bit by bit, that it once made.

    Parameters
    ----------
    encoder
        What encodes the texts that are not there. Where all are there, it does not load its model.
    folder
        Where vectors are kept; ``encoded`` in the user's cache by default.
    say
        Is told of a damaged file, or of a folder that cannot be written to. By default on stderr.

    """

    def __init__(
        self, encoder: Encoder, folder: Path | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.encoder = encoder
        self._say = _on_stderr if say is None else say
        self.folder = self._default() if folder is None else folder.expanduser()
        self._unwritable = False
        self._about: dict[str, dict[str, JSON]] | None = None
        self._seen: dict[str, _Entry] = {}
        self._read_files: set[Path] = set()
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
        entries = self._entries(distinct, progress)
        return np.stack([entries[text].vector for text in texts])

    def unload(self) -> None:
        """Let go of the memory of the encoder's model, if it can; the vectors stay."""
        if isinstance(self.encoder, Unloads):
            self.encoder.unload()

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """As the encoder counts them, shape (n_texts, 2); all zeros if it counts none."""
        if not isinstance(self.encoder, CountsTokens):
            return np.zeros((len(texts), 2), dtype=np.int64)
        entries = self._entries(list(dict.fromkeys(check_texts(texts))), None)
        return np.array([entries[text].counts for text in texts], dtype=np.int64).reshape(-1, 2)

    def _entries(self, distinct: list[str], progress: Progress | None) -> Mapping[str, _Entry]:
        with self._lock:
            if any(text not in self._seen for text in distinct):
                self._read_new()
            new = [text for text in distinct if text not in self._seen]
            if new:
                made = self._encode(new, progress)
                self._seen |= made
                self._write(made)
            elif progress is not None:
                progress(len(distinct), len(distinct))
            return self._seen

    def _default(self) -> Path | None:
        try:
            return default_folder()
        except UserError as error:  # a user without a home
            self._say(f"vectors are not kept: {error}")
            return None

    def _read_new(self) -> None:
        """Read the files that have come since the last time."""
        home = self._home()
        try:
            paths = [] if home is None else sorted(home.glob(f"*{_SUFFIX}"))
        except OSError as error:
            self._say(
                f"the cached vectors in {home} cannot be read ({reason(error)}): texts are encoded again"
            )
            return
        for path in paths:
            if path not in self._read_files:
                self._read_files.add(path)
                self._seen |= self._read(path)

    def _encode(self, texts: list[str], progress: Progress | None) -> dict[str, _Entry]:
        vectors = self.encoder.encode(texts, progress)
        counts = np.empty((len(texts), 0), dtype=np.int64)
        if isinstance(self.encoder, CountsTokens):
            counts = self.encoder.count_tokens(texts)
        return {text: _Entry(*row) for text, *row in zip(texts, vectors, counts, strict=True)}

    def _described(self) -> dict[str, dict[str, JSON]]:
        """What vectors depend on: the encoder's description, and versions."""
        if self._about is None:
            versions: dict[str, JSON] = {"fourfold": __version__}
            for package in _PACKAGES:
                with suppress(PackageNotFoundError):
                    versions[package] = version(package)
            self._about = {"encoder": self.encoder.describe(), "versions": versions}
        return self._about

    def _home(self) -> Path | None:
        """The folder of this encoder's vectors, if there can be one."""
        if self.folder is None:
            return None
        text = json.dumps(self._described(), sort_keys=True)
        return self.folder / hashlib.sha256(text.encode()).hexdigest()[:16]

    def _read(self, path: Path) -> dict[str, _Entry]:
        try:
            return _unpacked(path.read_bytes())
        except FileNotFoundError:
            return {}  # cleared meanwhile
        except OSError as error:  # the file may be whole: it stays
            self._say(f"the cached vectors {path} cannot be read ({reason(error)}): texts are encoded again")
            return {}
        except ValueError as error:
            self._say(
                f"the cached vectors {path} are damaged ({reason(error)}): their texts are encoded again"
            )
            with suppress(OSError):
                path.unlink()
            return {}

    def _write(self, entries: Mapping[str, _Entry]) -> None:
        home = self._home()
        if home is None or self._unwritable:
            return
        content = _packed(entries)
        about = json.dumps(self._described(), indent=1).encode()
        name = hashlib.sha256("\0".join(sorted(entries)).encode()).hexdigest()[:16]
        try:
            home.mkdir(parents=True, exist_ok=True)
            for left, state in states(home.glob(".*.part")).items():
                if time.time() - state.st_mtime > _STALE:
                    left.unlink(missing_ok=True)
            write_whole(home / f"{name}{_SUFFIX}", content)
            if not _holds(home / _ABOUT, about):
                write_whole(home / _ABOUT, about)
        except OSError as error:
            self._unwritable = True
            self._say(f"vectors cannot be kept in {home} ({reason(error)}): the next run encodes them again")


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Kept:
    """The vectors that one encoder left."""

    folder: Path
    name: str
    settings: dict[str, JSON]  # the encoder's description
    n_texts: int
    size: int  # bytes
    changed: float  # seconds since 1970
    files: tuple[Path, ...]


def default_folder() -> Path:
    """Where vectors are kept unless the user says otherwise."""
    return cache_folder() / "encoded"


def list_kept(folder: Path | None = None) -> list[Kept]:
    """What the cache holds, by name; damaged files count with their size alone.

    Folders and files that this module has not made are left out, whatever else lies in ``folder``.
    """
    found = []
    root = default_folder() if folder is None else folder
    for home in sorted(path for path in root.glob("*/") if _HOME.fullmatch(path.name)):
        files = states(path for path in home.iterdir() if path.is_file() and _OWN.fullmatch(path.name))
        if not files:
            continue
        about = _about(home / _ABOUT)
        texts: set[str] = set()
        for path in files:
            with suppress(OSError, ValueError):
                if path.suffix == _SUFFIX:
                    texts |= _unpacked(path.read_bytes()).keys()
        changed = max((state.st_mtime for state in files.values()), default=0.0)
        size = sum(state.st_size for state in files.values())
        name = str(about.get("name", "unknown"))
        found.append(Kept(home, name, about, len(texts), size, changed, tuple(files)))
    return sorted(found, key=lambda kept: (kept.name, kept.folder))


def _about(path: Path) -> dict[str, Any]:
    """An encoder's description; empty where the file is damaged."""
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and isinstance(content.get("encoder"), dict):
            return dict(content["encoder"])
    return {}


class _OfFiles(Protocol):
    @property
    def files(self) -> tuple[Path, ...]: ...
    @property
    def size(self) -> int: ...


def clear(kept: Iterable[_OfFiles]) -> int:
    """Remove files of the cache and the folders that are then empty; return how many bytes they took."""
    freed = 0
    for each in kept:
        for path in each.files:
            with suppress(OSError):
                path.unlink()
        for folder in {path.parent for path in each.files}:
            with suppress(OSError):  # somebody else's file is in it
                folder.rmdir()
        freed += each.size
    return freed


def _packed(entries: Mapping[str, _Entry]) -> bytes:
    """The content of a file: a SHA-256, then what it is of."""
    encoded = [text.encode() for text in entries]
    buffer = io.BytesIO()
    np.savez(
        buffer,
        texts=np.frombuffer(b"".join(encoded), dtype=np.uint8),
        ends=np.cumsum([len(text) for text in encoded], dtype=np.int64),
        vectors=np.stack([entry.vector for entry in entries.values()]),
        counts=np.stack([entry.counts for entry in entries.values()]),
    )
    content = buffer.getvalue()
    return hashlib.sha256(content).digest() + content


def _unpacked(file: bytes) -> dict[str, _Entry]:
    """What ``_packed`` was given; ValueError where a byte has changed."""
    digest, content = file[:32], file[32:]
    if hashlib.sha256(content).digest() != digest:
        raise ValueError("its checksum is wrong")
    try:
        with np.load(io.BytesIO(content)) as arrays:
            joined, ends = arrays["texts"].tobytes(), arrays["ends"].tolist()
            vectors, counts = arrays["vectors"], arrays["counts"]
    except Exception as error:  # a whole file, but not one of ours
        raise ValueError(f"its arrays cannot be read ({reason(error)})") from error
    starts = [0, *ends[:-1]]
    texts = [joined[start:end].decode() for start, end in zip(starts, ends, strict=True)]
    return {text: _Entry(*row) for text, *row in zip(texts, vectors, counts, strict=True)}


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr)
