"""All records of a folder, the damaged ones told apart from the whole ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import UserError
from .encoder.record import Record
from .store import LABELS, RECORD, read_record


@dataclass(frozen=True, slots=True)
class Listed:
    """A record's folder and what it holds: the record, or why it cannot be read."""

    folder: Path
    record: Record | None
    problem: str = ""  # one line that names the folder; empty where the record was read


def list_records(out: Path) -> Iterator[Listed]:
    """The records in the folder ``out``, in the order of their folders' names.

    A record that is damaged, or of another version of fourfold, comes with what is wrong with it. Hidden
    folders, which a run that is writing may have made, and folders without a record are passed over.

    Raises
    ------
    UserError
        If ``out`` is no folder or cannot be read.

    """
    out = out.expanduser()
    if not out.is_dir():
        raise UserError(
            f"{out} is no folder of records: name the one that a run's out= named (runs, if it named none)"
        )
    try:
        folders = sorted(path for path in out.iterdir() if not path.name.startswith(".") and path.is_dir())
    except OSError as error:
        raise UserError(f"{out} cannot be read ({error.strerror}): name another folder") from error
    for folder in folders:
        try:
            if not any((folder / file).exists() for file in (RECORD, LABELS)):
                continue
            found = Listed(folder, read_record(folder))
        except (UserError, OSError) as error:
            found = Listed(folder, None, " ".join(str(error).split()))
        yield found
