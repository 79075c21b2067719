"""The records that lie in some folders, whatever else lies there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ...errors import UserError
from .encoder.record import Record
from .listing import list_records
from .store import RECORD, other_kind, read_record


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """The records with their folders, each once, and what is to be said of those that cannot be read."""

    records: tuple[tuple[Path, Record], ...]
    damaged: tuple[str, ...]


def find_records(folders: Iterable[Path]) -> FoundRecords:
    """Read every record of some folders; each may be a folder of records or a record itself.

    Raises
    ------
    UserError
        If one of the folders is none, or is a record that cannot be read. A damaged record among others is
        no error.

    """
    records: dict[str, tuple[Path, Record]] = {}
    damaged = []
    for folder in folders:
        if (folder / RECORD).exists():
            record = read_record(folder)
            records.setdefault(record.name, (folder, record))
            continue
        if other := other_kind(folder, RECORD):
            raise UserError(f"{folder} is the record of {other}")
        for listed in list_records(folder):
            if listed.record is None:
                damaged.append(listed.problem)
            else:
                records.setdefault(listed.record.name, (listed.folder, listed.record))
    return FoundRecords(tuple(records.values()), tuple(damaged))
