"""The folder in which records lie: each is written whole or not at all, and several processes may write.

A record is a folder that holds ``record.json`` and ``labels.npz``. It is made under a temporary name
beside its place and then renamed, which the file system does in one step; of two processes that finish
the same run, the first one's record stays.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .record import Record

RECORD, LABELS = "record.json", "labels.npz"


def find_record(out: Path, name: str) -> Record | None:
    """The record of that name in the folder ``out``, or None.

    Raises
    ------
    UserError
        If it is there but damaged.

    """
    folder = out / name
    return read_record(folder) if folder.is_dir() else None


def read_record(folder: Path) -> Record:
    """Read a record's folder.

    Raises
    ------
    UserError
        If the folder or one of its files is missing or damaged.

    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: name the folder of a record, as in runs/0123456789abcdef")
    try:
        record = Record.from_json((folder / RECORD).read_text(encoding="utf-8"))
        if not zipfile.is_zipfile(folder / LABELS):  # its directory is at the end: a cut file has none
            raise ValueError(f"{LABELS} is missing or cut short")
    except FileNotFoundError as error:
        raise UserError(f"{folder} is no record: it has no {RECORD}") from error
    except (OSError, ValueError) as error:
        raise UserError(
            f"the record {folder} is damaged ({_flat(error)}): delete that folder and run again"
        ) from error
    return record


def read_labels(folder: Path) -> NDArray[Any]:
    """A record's labels, (n_walls, n_seeds, n_points)."""
    try:
        with np.load(folder / LABELS) as arrays:
            labels: NDArray[Any] = arrays["labels"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UserError(
            f"the record {folder} is damaged ({LABELS}: {_flat(error)}): delete that folder and run again"
        ) from error
    return labels


def write_record(out: Path, record: Record, labels: NDArray[Any], inertia: NDArray[Any]) -> bool:
    """Write a record into the folder ``out``; False if another process finished the same run first.

    Then its record stays and this one is dropped.

    Raises
    ------
    UserError
        If the folder cannot be written to.

    """
    target = out / record.name
    small = np.int8 if labels.size == 0 or labels.max() <= np.iinfo(np.int8).max else np.int16
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFolder(target) as folder:
            with (folder / RECORD).open("wb") as file:
                file.write(record.to_json().encode())
                to_disk(file)
            with (folder / LABELS).open("wb") as file:
                np.savez_compressed(file, labels=labels.astype(small), inertia=inertia)
                to_disk(file)
            try:
                folder.rename(target)
            except OSError:
                if not (target / RECORD).exists():
                    raise
                return False
    except OSError as error:
        raise UserError(
            f"the record {target} could not be written ({error.strerror}): make room or choose another out="
        ) from error
    return True


class TemporaryFolder:
    """A new folder beside ``target``, removed with what it holds unless it was renamed.

    ``tempfile`` would make it readable by its owner alone, and so would be the record.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}")

    def __enter__(self) -> Path:
        self.path.mkdir()
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def to_disk(file: IO[bytes]) -> None:
    """Make sure that a file's content is on the disk before its folder gets its final name."""
    file.flush()
    os.fsync(file.fileno())


def check_writable(out: Path) -> None:
    """Raise UserError unless records can be written into ``out``; leave nothing behind, not even ``out``."""
    place = out
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise UserError(f"out={out} cannot be a folder, since {place} is a file: choose another out=FOLDER")
    try:
        Path(tempfile.mkdtemp(prefix=".fourfold-", dir=place)).rmdir()
    except OSError as error:
        raise UserError(
            f"out={out} cannot be written to ({error.strerror}): choose another out=FOLDER"
        ) from error


def _flat(error: Exception) -> str:
    return " ".join(str(error).split())
