"""The folder in which records lie: each is written whole or not at all, and several processes may write.

A record is a folder that holds ``record.json``, ``labels.npz``, ``herrings.npz`` and their checksums. It is
made under a temporary name beside its place and then renamed, which the file system does in one step; of two
processes that finish the same run, the first one's record stays.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from ..files.temporary_folder import TemporaryFolder, nearest_there, put_unless_there, to_disk, try_writing
from .checksums import check_files, write_checksums
from .encoder.record import OtherSchemaError, Record

if TYPE_CHECKING:
    from ..pipeline.herrings.measures import Herrings

RECORD, LABELS, HERRINGS = "record.json", "labels.npz", "herrings.npz"


# What kinds of records there are by the file that each has, and what takes them.
_KINDS = {
    RECORD: "an encoder: 'fourfold run --from', 'runs', 'table 3', 'plot', 'herrings' and 'export' take it",
    "language_model.json": "a language model: 'fourfold llm --from', 'runs', 'table 4', 'plot connections'"
    " and 'export' take it",
    "play.json": "games: 'fourfold play --records' shows it",
}


def other_kind(folder: Path, wanted: str) -> str:
    """What a folder is the record of, if not of the kind that has the file ``wanted``; "" if of none."""
    return next((told for file, told in _KINDS.items() if file != wanted and (folder / file).exists()), "")


def find_record(out: Path, name: str) -> Record | None:
    """The record of that name in the folder ``out``, or None.

    Raises
    ------
    UserError
        If it is there but damaged.

    """
    folder = out / name
    if not folder.is_dir():
        return None
    record = read_record(folder)
    if record.name != name:
        raise damaged(folder, f"it is that of {record.name}")
    return record


def read_record(folder: Path) -> Record:
    """Read a record's folder, and check what it says of the run; its arrays are read by ``read_labels``.

    Raises
    ------
    UserError
        If the folder or one of its files is missing or damaged, or another version of fourfold wrote it.

    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: name the folder of a record, as in runs/0123456789abcdef")
    try:
        record = Record.from_json((folder / RECORD).read_text(encoding="utf-8"))
        if not zipfile.is_zipfile(folder / LABELS):  # its directory is at the end: a cut file has none
            raise ValueError(f"{LABELS} is missing or cut short")
        check_files(folder)
    except FileNotFoundError as error:
        if other := other_kind(folder, RECORD):
            raise UserError(f"{folder} is the record of {other}") from error
        if (folder / LABELS).exists():
            raise damaged(folder, f"{RECORD} is missing") from error
        raise UserError(f"{folder} is no record: it has no {RECORD}") from error
    except OtherSchemaError as error:
        raise UserError(f"the record {folder} is {error}: run it again") from error
    except ValueError as error:
        raise damaged(folder, str(error)) from error
    except OSError as error:
        raise unreadable(folder, error) from error
    return record


def read_labels(folder: Path, record: Record | None = None) -> NDArray[Any]:
    """A record's labels, (n_walls, n_seeds, n_points) integers; UserError if they cannot be read.

    With ``record``, they must also be those of its walls and runs.
    """
    labels = _read_array(folder, "labels")
    if labels.ndim != 3 or labels.dtype.kind not in "iu" or (labels.size and labels.min() < 0):
        raise damaged(folder, f"{LABELS}: labels are {labels.dtype} of shape {labels.shape}, some below 0")
    if record is not None:
        entry = record.dataset
        shape = (entry.n_walls, record.n_seeds, entry.n_points)
        if labels.shape != shape or labels.max() >= entry.n_points:
            said = f"expected labels below {entry.n_points} of shape {shape}"
            raise damaged(folder, f"{LABELS}: {said}, got up to {labels.max(initial=0)} of {labels.shape}")
    return labels


def read_inertia(folder: Path) -> NDArray[np.float64]:
    """A record's inertia, (n_walls, n_seeds) float64; UserError if it cannot be read."""
    inertia = _read_array(folder, "inertia")
    if inertia.ndim != 2 or inertia.dtype != np.float64:
        raise damaged(folder, f"{LABELS}: inertia is {inertia.dtype} of shape {inertia.shape}")
    return inertia


def _read_array(folder: Path, name: str) -> NDArray[Any]:
    try:
        with np.load(folder / LABELS) as arrays:
            array: NDArray[Any] = arrays[name]
    except Exception as error:  # of the file, its zip, its compression or a header's syntax
        raise _unread(folder, LABELS, error) from error
    return array


def _unread(folder: Path, file: str, error: Exception) -> UserError:
    if isinstance(error, OSError) and not isinstance(error, FileNotFoundError) and error.strerror:
        return unreadable(folder, error)
    return damaged(folder, f"{file}: {error}")


def unreadable(folder: Path, error: OSError) -> UserError:
    """The error of a record whose files may be whole, but cannot be read for now."""
    return UserError(f"the record {folder} cannot be read ({error.strerror}): make its files readable")


def damaged(folder: Path, reason: str) -> UserError:
    """The error of a record of any kind that cannot be read."""
    said = " ".join(reason.split())
    return UserError(f"the record {folder} is damaged ({said}): delete that folder and run again")


def read_herrings(folder: Path) -> Herrings:
    """What a record's run measured of red herrings; UserError if it cannot be read."""
    if not (folder / HERRINGS).exists():
        raise UserError(
            f"the record {folder} has no {HERRINGS}, since an older fourfold made it: delete that folder and"
            " run again"
        )
    from ..pipeline.herrings.measures import Herrings

    try:
        with (folder / HERRINGS).open("rb") as file, np.load(file) as arrays:
            return Herrings.from_arrays(dict(arrays))
    except Exception as error:  # as above
        raise _unread(folder, HERRINGS, error) from error


def write_record(
    out: Path,
    record: Record,
    labels: NDArray[Any],
    inertia: NDArray[Any],
    herrings: Herrings | None = None,
) -> bool:
    """Write a record into the folder ``out``; False if another process finished the same run first.

    Then its record stays and this one is dropped. Without ``herrings``, nothing is kept of them.

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
            if herrings is not None:
                arrays: dict[str, Any] = herrings.arrays()
                with (folder / HERRINGS).open("wb") as file:
                    np.savez_compressed(file, **arrays)
                    to_disk(file)
            write_checksums(folder)
            return put_unless_there(folder, target, RECORD)
    except OSError as error:
        raise UserError(
            f"the record {target} could not be written ({error.strerror}): make room or choose another out="
        ) from error


def check_writable(out: Path) -> None:
    """Raise UserError unless records can be written into ``out``; leave nothing behind, not even ``out``."""
    place = nearest_there(out)
    if not place.is_dir():
        raise UserError(f"out={out} cannot be a folder, since {place} is a file: choose another out=FOLDER")
    try:
        try_writing(place)
    except OSError as error:
        raise UserError(
            f"out={out} cannot be written to ({error.strerror}): choose another out=FOLDER"
        ) from error
