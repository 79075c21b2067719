"""The files of an encoder run's record: ``record.json``, and beside it labels, inertia and red herrings."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....errors import UserError
from ...files.temporary_folder import to_disk
from .. import store
from ..store import Collected, ListedRecord, RecordLayout, damaged, unreadable
from .record import Record

if TYPE_CHECKING:
    from ...pipeline.herrings.measures import Herrings

RECORD, LABELS, HERRINGS = "record.json", "labels.npz", "herrings.npz"


def _check_labels(folder: Path) -> None:
    if not zipfile.is_zipfile(folder / LABELS):  # its directory is at the end: a cut file has none
        raise ValueError(f"{LABELS} is missing or cut short")


LAYOUT: RecordLayout[Record] = RecordLayout(
    file=RECORD,
    payload=LABELS,
    noun="an encoder",
    commands="'fourfold run --from', 'runs', 'table 3', 'plot', 'herrings' and 'export' take it",
    parse=Record.from_json,
    check=_check_labels,
)


def read_record(folder: Path) -> Record:
    """Read a record's folder, as ``store.read``; its arrays are read by ``read_labels``."""
    return store.read(LAYOUT, folder)


def list_records(out: Path) -> Iterator[ListedRecord[Record]]:
    """The records in the folder ``out``, as ``store.list_records``."""
    return store.list_records(LAYOUT, out)


def find_records(folders: Iterable[Path]) -> Collected[Record]:
    """The records of some folders, as ``store.collect``."""
    return store.collect(LAYOUT, folders)


def find_record(out: Path, name: str) -> Record | None:
    """The record of that name in the folder ``out``, as ``store.find``."""
    return store.find(LAYOUT, out, name)


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


def read_herrings(folder: Path) -> Herrings:
    """What a record's run measured of red herrings; UserError if it cannot be read."""
    if not (folder / HERRINGS).exists():
        raise UserError(
            f"the record {folder} has no {HERRINGS}, since an older fourfold made it: delete that folder and"
            " run again"
        )
    from ...pipeline.herrings.measures import Herrings

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
    """Write a record into the folder ``out``, as ``store.write``. Without ``herrings``, none are written."""
    small = np.int8 if labels.size == 0 or labels.max() <= np.iinfo(np.int8).max else np.int16

    def add(folder: Path) -> None:
        _write_arrays(folder / LABELS, {"labels": labels.astype(small), "inertia": inertia})
        if herrings is not None:
            _write_arrays(folder / HERRINGS, herrings.arrays())

    return store.write(LAYOUT, out, record, add)


def _write_arrays(path: Path, arrays: dict[str, Any]) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
        to_disk(file)
