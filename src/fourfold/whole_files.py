"""Files that others see with all of their content or not at all, and locks between processes."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def new_name(path: Path) -> Path:
    """A hidden name beside ``path`` that no other process or thread has."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")


@contextmanager
def written_whole(path: Path, to_disk: bool = True) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` when the block ends without an exception.

    What was at ``path`` stays until then, and nothing else is left behind. Without ``to_disk`` the file may
    be empty after the machine has lost its power.
    """
    temporary = new_name(path)
    try:
        yield temporary
        if to_disk:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):  # what failed before says more
            temporary.unlink(missing_ok=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock ``path`` against other processes and threads; it ends with the process, even if killed.

    Where the file system has no locks nothing is held, so that what is written under a lock must be written
    whole too.
    """
    with path.open("ab") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield


@contextmanager
def folder_written_whole(target: Path) -> Iterator[Path]:
    """A folder beside ``target`` that takes its name when the block ends without an exception.

    Call it under a lock of ``target``: what a killed process left under a temporary name is removed.
    """
    for left in target.parent.glob(f".{target.name}.*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = new_name(target)
    folder.mkdir()
    try:
        yield folder
        for path in folder.iterdir():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        try:
            folder.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
