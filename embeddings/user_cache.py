"""How several processes share the files of the user's cache."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..cache_folder import VARIABLE
from ..errors import UserError


def writable(folder: Path) -> Path:
    """``folder``, made if need be.

    Raises
    ------
    UserError
        If it cannot be written to.

    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise UserError(
            f"the cache folder {folder} cannot be written to ({error.strerror}): "
            f"name another with the environment variable {VARIABLE}"
        ) from error
    return folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock ``path`` against other processes and threads; it ends with the process, even if killed.

    Where the file system has no locks nothing is held, so that what is written under a lock must be written
    whole too: under a temporary name, then renamed.
    """
    with path.open("ab") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that others see with all of its content or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):  # what failed before says more
            temporary.unlink(missing_ok=True)


def states(paths: Iterable[Path]) -> dict[Path, os.stat_result]:
    """Size and age of the files that are still there: other processes rename and remove theirs meanwhile."""
    found = {}
    for path in paths:
        with suppress(FileNotFoundError):
            found[path] = path.stat()
    return found


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder beside ``target`` that takes its name when the block ends without an exception.

    Call it under the lock of ``target``: what a killed process left under a temporary name is removed.
    """
    for left in target.parent.glob(f".{target.name}.*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}")
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
