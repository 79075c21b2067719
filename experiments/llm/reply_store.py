"""Replies that were paid for are stored: the same request again costs nothing, and a killed run goes on.

A reply is a row, named by the hash of the whole request: the model with its address, the messages and every
parameter. An empty one is not stored where nothing says why it is empty, so that the next run asks again.
Failures are not stored. ``fourfold.store`` says how processes share the file, and what becomes of a damaged
one. Which process is asking for which reply stands in the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from ...cache_folder import cache_folder
from ...store import Layout, Store
from ..files.temporary_folder import machine_name, process_ended
from .chat import Reply, Served, Usage

FILE = "replies.sqlite"
_LAYOUT = Layout(
    1,
    {
        "replies": "key TEXT PRIMARY KEY, reply BLOB, came REAL, checksum INTEGER",
        "claims": "key TEXT PRIMARY KEY, owner TEXT, machine TEXT, process INTEGER, seen REAL",
    },
    holds="replies",
    unread="requests are sent again",
    unwritten="a run that is stopped begins again",
)
_BEAT = 5.0  # seconds between two signs of life
_EXPIRY = 30.0  # seconds without one after which a process is taken for dead


class ReplyStore:
    """The replies in a cache.

    Parameters
    ----------
    cache
        The folder of the file; the user's cache by default. Replies that earlier versions left in files
        there, one each, are read too.
    say
        Called with a line about damaged replies, or a folder that cannot be written to.

    """

    def __init__(self, cache: Path | None = None, say: Callable[[str], None] | None = None) -> None:
        self.folder = cache_folder() if cache is None else cache.expanduser()
        self.say = _on_stderr if say is None else say
        self.store = Store(self.folder / FILE, _LAYOUT, self.say)
        self.n_lost = 0  # replies that could not be written
        self._damage_said = False
        self._earlier_places: dict[str, list[Path]] | None = None

    def read(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The replies that are stored under these keys."""
        wanted = list(dict.fromkeys(keys))
        stored: dict[str, Reply] = {}
        damaged: list[str] = []
        for key, row in self._rows(wanted).items():
            reply = _unpacked(key, row)
            if reply is None:
                damaged.append(key)
            elif reply.storable:
                stored[key] = reply
        for key in wanted:
            if key not in stored and (earlier := self._earlier(key)) is not None:
                stored[key] = earlier
        if damaged and not self._damage_said:
            self._damage_said = True
            self.say(f"a stored reply in {self.store.path} is damaged: its request is sent again")
        return stored

    def _rows(self, keys: Sequence[str]) -> dict[str, tuple[Any, Any]]:
        wanted = "SELECT reply, checksum FROM replies WHERE key = ?"

        def read(connection: sqlite3.Connection) -> dict[str, tuple[Any, Any]]:
            rows = ((key, connection.execute(wanted, (key,)).fetchone()) for key in keys)
            return {key: row for key, row in rows if row is not None}

        return self.store.read(read, {})

    def _earlier(self, key: str) -> Reply | None:
        """A reply that an earlier version left in a file."""
        if self._earlier_places is None:
            self._earlier_places = _earlier_places(self.folder)
        for folder in self._earlier_places.get(key[:2], ()):
            with suppress(OSError, ValueError, TypeError):
                digest, _, text = (folder / f"{key}.json").read_bytes().partition(b"\n")
                text = text.removesuffix(b"\n")
                if hashlib.sha256(text).hexdigest().encode() == digest:
                    reply = _reply(text)
                    if reply.storable:
                        return reply
        return None

    def arrivals(self, keys: Iterable[str]) -> list[float]:
        """When the replies under these keys came, in seconds since 1970, of those that are there."""
        wanted = list(dict.fromkeys(keys))

        def read(connection: sqlite3.Connection) -> list[float]:
            one = "SELECT came FROM replies WHERE key = ?"
            rows = [connection.execute(one, (key,)).fetchone() for key in wanted]
            return [row[0] for row in rows if row is not None and isinstance(row[0], float)]

        return self.store.read(read, [])

    def write(self, key: str, reply: Reply, came: float | None = None) -> bool:
        """Store a reply that came now; False if it cannot be written."""
        text = _packed(reply)
        row = (key, text, time.time() if came is None else came, _checksum(key, text))

        def write(connection: sqlite3.Connection) -> bool:
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
            return True

        written = self.store.write(write, False)
        self.n_lost += not written
        return written


class Claims:
    """Which requests a process is asking, so that another one with the same questions waits for the replies.

    A context manager, at whose end they are given up. A process that has died, or on another machine gave no
    sign of life for a while, claims nothing more. Where the store cannot be written to, both processes ask.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owner = secrets.token_hex(8)
        self._over = threading.Event()
        self._alive: threading.Thread | None = None

    def __enter__(self) -> Claims:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._alive is not None:
            self._write("DELETE FROM claims WHERE owner = ?", self._owner)

    def take(self, keys: Iterable[str]) -> set[str]:
        """Claim those of the keys that no other process has claimed, and give up those of before."""
        wanted = set(keys)

        def take(connection: sqlite3.Connection) -> set[str]:
            connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner,))
            others: dict[bytes, set[str]] = {}
            for owner, *who, key in connection.execute(
                "SELECT owner, machine, process, seen, key FROM claims"
            ).fetchall():
                if owner not in others and _is_dead(*who):
                    connection.execute("DELETE FROM claims WHERE owner = ?", (owner.decode(),))
                else:
                    others.setdefault(owner, set()).add(key.decode())
            free = wanted.difference(*others.values())
            mine = (self._owner, machine_name(), os.getpid(), time.time())
            connection.executemany(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)", [(key, *mine) for key in free]
            )
            return free

        free = self._store.write(take, wanted)
        if free and self._alive is None:
            self._alive = threading.Thread(target=self._live, name="fourfold-claims", daemon=True)
            self._alive.start()
        return free

    def _live(self) -> None:
        while not self._over.wait(_BEAT):
            self._write("UPDATE claims SET seen = ? WHERE owner = ?", time.time(), self._owner)

    def _write(self, statement: str, *values: Any) -> None:
        self._store.write(lambda connection: connection.execute(statement, values).rowcount, 0)


def _is_dead(machine: Any, process: Any, seen: Any) -> bool:
    """Whether the process behind a claim goes on no more, or the claim is damaged."""
    try:
        return time.time() - seen > _EXPIRY or process_ended(machine.decode(), process)
    except (TypeError, AttributeError, UnicodeDecodeError):
        return True


@dataclass(frozen=True, slots=True)
class StoredReplies:
    """The replies of all models in a cache."""

    n_replies: int
    size: int  # bytes
    changed: float  # seconds since 1970
    earlier: tuple[Path, ...]  # the files of earlier versions


def stored_replies(cache: Path | None = None) -> StoredReplies | None:
    """What a cache, by default the user's, holds of replies; None if there is none."""
    stored = ReplyStore(cache)

    def counted(connection: sqlite3.Connection) -> tuple[int, float, float]:
        count = "SELECT count(*), total(length(reply)), max(came) FROM replies"
        n_replies, size, changed = connection.execute(count).fetchone()
        return n_replies, size, changed or 0.0

    n_replies, size, changed = stored.store.read(counted, (0, 0.0, 0.0))
    earlier = earlier_files(stored.folder)
    for path in earlier:
        with suppress(OSError):
            state = path.stat()
            size, changed = size + state.st_size, max(changed, state.st_mtime)
            n_replies += path.suffix == ".json"
    return StoredReplies(n_replies, int(size), changed, tuple(earlier)) if n_replies or earlier else None


def remove_replies(stored: StoredReplies, cache: Path | None = None) -> int:
    """Remove all replies; return how many bytes they took."""
    store = ReplyStore(cache).store
    if store.path.exists():
        store.write(lambda connection: connection.execute("DELETE FROM replies").rowcount, 0)
    for path in stored.earlier:
        with suppress(OSError):
            path.unlink()
    for folder in {path.parent for path in stored.earlier}:
        with suppress(OSError):  # somebody else's file is in it
            folder.rmdir()
    return stored.size


_EARLIER = re.compile(r"[0-9a-f]{64}\.json|\.[0-9a-f]{64}\.json\..*\.part")


def _earlier_places(cache: Path) -> dict[str, list[Path]]:
    """The folders of replies that earlier versions left, by the first two letters of their keys."""
    places: dict[str, list[Path]] = {}
    for folder in (cache / "replies", cache):
        for place in sorted(folder.glob("[0-9a-f][0-9a-f]/")):
            places.setdefault(place.name, []).append(place)
    return places


def earlier_files(cache: Path) -> list[Path]:
    """The files of earlier versions: a reply each, and what was written beside them."""
    folders = [folder for places in _earlier_places(cache).values() for folder in places]
    replies = [path for folder in folders for path in folder.iterdir() if _EARLIER.fullmatch(path.name)]
    return [*replies, *(path for path in (cache / "replies").glob(".*claims*") if path.is_file())]


def _checksum(key: str, text: bytes) -> int:
    return zlib.crc32(text, zlib.crc32(key.encode()))


def _packed(reply: Reply) -> bytes:
    content = asdict(reply)
    del content["cached"]
    return json.dumps(content, ensure_ascii=True).encode()


def _unpacked(key: str, row: tuple[Any, Any]) -> Reply | None:
    """The reply in a row; None where it is damaged."""
    with suppress(ValueError, TypeError):
        text, total = row
        if _checksum(key, text) == total:
            return _reply(text)
    return None


def _reply(text: bytes) -> Reply:
    """A reply from its JSON; fields that a later version may have added are left out."""
    content = json.loads(text)
    known = {each.name for each in fields(Reply)} & content.keys()
    values = {name: content[name] for name in known - {"usage", "served"}}
    usage, served = content.get("usage"), content.get("served") or {}
    return Reply(
        usage=None if usage is None else Usage(usage["prompt"], usage["completion"]),
        served=Served(served.get("model"), served.get("fingerprint"), served.get("listing") or {}),
        **{**values, "cached": True},
    )


def _on_stderr(line: str) -> None:
    print(line, file=sys.stderr)
