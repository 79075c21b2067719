"""Which requests a process is asking, so that another one with the same questions waits for the replies.

A process that asks has a file in the folder of replies with the keys of its requests, a line each. It holds
a lock on the file and touches it while it lives: without either the claims count no more, so that a killed
process holds up nobody. Where the folder cannot be written to, or has no locks, both processes ask.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ...embeddings.user_cache import locked

ENDING = ".claims"
LOCK = ".claims.lock"
_BEAT = 5.0  # seconds between two signs of life
_EXPIRY = 30.0  # seconds without one after which a process is taken for dead


class Claims:
    """The claims of one call in one process; a context manager, at whose end they are given up."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f".{os.getpid()}.{secrets.token_hex(4)}{ENDING}"
        self._file: BinaryIO | None = None
        self._over = threading.Event()

    def __enter__(self) -> Claims:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._file.close()

    def take(self, keys: Iterable[str]) -> set[str]:
        """Claim those of the keys that no other process has claimed, and give up those of before."""
        wanted = set(keys)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with locked(self._folder / LOCK):
                free = wanted - self._of_others()
                self._write(free)
        except OSError:
            return wanted
        return free

    def _write(self, keys: Iterable[str]) -> None:
        if self._file is None:
            self._file = self._path.open("w+b")
            _hold(self._file)
            threading.Thread(target=self._live, name="fourfold-claims", daemon=True).start()
        self._file.seek(0)
        self._file.truncate()
        self._file.write("".join(f"{key}\n" for key in keys).encode())
        self._file.flush()

    def _live(self) -> None:
        while not self._over.wait(_BEAT):
            with suppress(OSError):
                os.utime(self._path)

    def _of_others(self) -> set[str]:
        """What living processes have claimed; the files of dead ones are removed."""
        claimed: set[str] = set()
        for path in self._folder.glob(f".*{ENDING}"):
            if path == self._path:
                continue
            with suppress(FileNotFoundError):
                if _alive(path):
                    claimed.update(path.read_text(encoding="ascii", errors="replace").split())
                else:
                    path.unlink()
        return claimed


def _alive(path: Path) -> bool:
    """Whether the process that wrote a file of claims goes on."""
    if time.time() - path.stat().st_mtime > _EXPIRY:
        return False
    with path.open("rb") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (ImportError, OSError):  # held, or there are no locks
            return True
    return False


def _hold(file: BinaryIO) -> None:
    """Lock a file for as long as the process lives."""
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
