"""Folders that become whole results by one renaming, and what a killed process left of them.

A temporary folder lies beside its target, hidden, and its name says whose it is: machine, process, and a
random number. One whose process is gone is nobody's and may be removed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

_NAME = re.compile(r"\.(?P<target>.+)\.(?P<machine>[0-9a-f]{8})\.(?P<process>\d+)\.[0-9a-f]{8}")
_STALE = 7 * 86_400  # seconds after which a folder of a process that is not seen is nobody's


class TemporaryFolder:
    """A new folder beside ``target``, removed with what it holds unless it was renamed.

    ``tempfile`` would make it readable by its owner alone, and so would be the record.
    """

    def __init__(self, target: Path) -> None:
        own = f"{machine_name()}.{os.getpid()}.{secrets.token_hex(4)}"
        self.path = target.with_name(f".{target.name}.{own}")

    def __enter__(self) -> Path:
        self.path.mkdir()
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def try_writing(folder: Path) -> None:
    """Raise OSError unless something can be made in ``folder``; leave nothing behind."""
    Path(tempfile.mkdtemp(prefix=".fourfold-", dir=folder)).rmdir()


def nearest_there(path: Path) -> Path:
    """``path``, or the nearest of the folders above it that is there."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def to_disk(file: IO[bytes]) -> None:
    """Make sure that a file's content is on the disk before its folder gets its final name."""
    file.flush()
    os.fsync(file.fileno())


def folder_to_disk(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk, where the file system can be asked to."""
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def put_unless_there(folder: Path, target: Path, holds: str) -> bool:
    """Give a temporary folder that is written its final name.

    False if ``target`` is there already and ``holds`` this file: another process was first, and its folder
    stays.
    """
    folder_to_disk(folder)
    try:
        folder.rename(target)
    except OSError:
        if not (target / holds).exists():
            raise
        return False
    folder_to_disk(target.parent)
    return True


def replace_folder(folder: Path, target: Path) -> None:
    """Give a temporary folder its final name; what had it stays until the new one is in its place."""
    old = folder.with_name(f"{folder.name}.old")
    if target.exists():
        target.rename(old)
    try:
        folder.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary folders in ``folder`` whose processes are gone; whatever hinders is left alone."""
    with suppress(OSError):
        for path in list(folder.iterdir()):
            if _abandoned(path):
                shutil.rmtree(path, ignore_errors=True)


def _abandoned(path: Path) -> bool:
    named = _NAME.fullmatch(path.name)
    if named is None or not path.is_dir():
        return False
    if named["machine"] != machine_name() or sys.platform == "win32":
        with suppress(OSError):
            return time.time() - path.stat().st_mtime > _STALE
        return False
    return process_ended(named["machine"], int(named["process"]))


def process_ended(machine: str, process: int) -> bool:
    """Whether a process is known to have ended: one of another machine that shares the disk never is."""
    if machine != machine_name() or sys.platform == "win32":  # where os.kill would end it
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # another user's process
        return False
    return False


@lru_cache(maxsize=1)
def machine_name() -> str:
    """8 hex digits for what a process number is unique in: the machine, or a container on it."""
    numbers = ""
    with suppress(OSError):
        numbers = str(Path("/proc/self/ns/pid").stat().st_ino)
    return hashlib.sha256(f"{platform.node()} {numbers}".encode()).hexdigest()[:8]
