"""The folder in which records lie: each is written whole or not at all, and several processes may write.

A record is a folder that holds its kind's JSON file, the kind's other files and their checksums. It is made
under a temporary name beside its place and then renamed, which the file system does in one step; of two
processes that finish the same run, the first one's record stays.

The checksums are as ``sha256sum`` writes them, and ``sha256sum -c files.sha256`` checks them. Records of
before there were any have none, and are read as they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar

from ...conf.json_types import shown
from ...errors import UserError
from ..files.temporary_folder import TemporaryFolder, nearest_there, put_unless_there, to_disk, try_writing
from .envelope import RunRecord

R = TypeVar("R", bound=RunRecord)


class OtherSchemaError(ValueError):
    """A record that another version of fourfold wrote, in a layout that this one does not read."""

    def __init__(self, schema: int, expected: int) -> None:
        age = "an older" if schema < expected else "a newer"
        super().__init__(f"of {age} fourfold: its schema is {schema}, and this fourfold reads {expected}")
        self.advice = (
            "update fourfold, or choose another out="
            if schema > expected
            else "delete that folder and run again"
        )


def check_schema(content: Mapping[str, Any], expected: int) -> None:
    """Raise OtherSchemaError where a record's JSON object is of another schema, ValueError where of none."""
    schema = content.get("schema")
    if type(schema) is not int:
        raise ValueError(f"schema: expected a whole number, got {shown(schema)}")
    if schema != expected:
        raise OtherSchemaError(schema, expected)


@dataclass(frozen=True, slots=True)
class RecordLayout(Generic[R]):
    """How the records of one kind lie on disk."""

    file: str  # the JSON file that holds the record
    payload: str  # another file or folder of every record, which marks one whose own file is missing
    noun: str  # what the records are of, as in "an encoder"
    commands: str  # which commands take such a record, as a sentence
    parse: Callable[[str], R]  # raises ValueError, or OtherSchemaError, on what is not such a record
    check: Callable[[Path], None] = lambda folder: None  # raises ValueError where the payload is damaged

    def is_at(self, folder: Path) -> bool:
        """Whether a folder holds such a record, or what is left of one."""
        return (folder / self.file).exists() or (folder / self.payload).exists()


def read(layout: RecordLayout[R], folder: Path) -> R:
    """Read a record's folder, and check every file of it against its checksum.

    Raises
    ------
    UserError
        If the folder or one of its files is missing or damaged, holds a record of another kind, or another
        version of fourfold wrote it.

    """
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder: name the folder of a record, as in runs/0123456789abcdef")
    try:
        record = layout.parse((folder / layout.file).read_text(encoding="utf-8"))
        layout.check(folder)
        check_files(folder)
    except FileNotFoundError as error:
        if other := other_layout(folder, layout):
            raise UserError(f"{folder} is the record of {other.noun}: {other.commands}") from error
        if (folder / layout.payload).exists():
            raise damaged(folder, f"{layout.file} is missing") from error
        raise UserError(f"{folder} is not a record of {layout.noun}: it has no {layout.file}") from error
    except OtherSchemaError as error:
        raise UserError(f"the record {folder} is {error}: {error.advice}") from error
    except ValueError as error:
        raise damaged(folder, str(error)) from error
    except OSError as error:
        raise unreadable(folder, error) from error
    return record


def find(layout: RecordLayout[R], out: Path, name: str) -> R | None:
    """The record of that name in the folder ``out``, or None; UserError if it is there but damaged."""
    folder = out / name
    if not folder.is_dir():
        return None
    record = read(layout, folder)
    if record.name != name:
        raise damaged(folder, f"it is that of {record.name}")
    return record


def write(layout: RecordLayout[R], out: Path, record: R, add: Callable[[Path], None]) -> bool:
    """Write a record into the folder ``out``; False if another process finished the same run first.

    Then its record stays and this one is dropped. ``add`` writes the record's other files into a folder.

    Raises
    ------
    UserError
        If the folder cannot be written to.

    """
    target = out / record.name
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFolder(target) as folder:
            write_file(folder / layout.file, record.to_json().encode("utf-8", "surrogatepass"))
            add(folder)
            write_checksums(folder)
            return put_unless_there(folder, target, layout.file)
    except OSError as error:
        raise UserError(
            f"the record {target} could not be written ({error.strerror}): make room or choose another out="
        ) from error


def write_file(path: Path, content: bytes) -> None:
    """Write one file of a record and have it on the disk."""
    with path.open("wb") as file:
        file.write(content)
        to_disk(file)


@dataclass(frozen=True, slots=True)
class ListedRecord(Generic[R]):
    """A record's folder and what it holds: the record, or why it cannot be read."""

    folder: Path
    record: R | None
    problem: str = ""  # one line that names the folder; empty where the record was read


def list_records(layout: RecordLayout[R], out: Path) -> Iterator[ListedRecord[R]]:
    """The records of one kind in the folder ``out``, in the order of their folders' names.

    A record that is damaged, or of another version of fourfold, comes with what is wrong with it. Hidden
    folders, which a run that is writing may have made, and folders without a record are passed over.

    Raises
    ------
    UserError
        If ``out`` is not a folder or cannot be read.

    """
    out = out.expanduser()
    if not out.is_dir():
        raise UserError(
            f"{out} is not a folder of records: name the one that a run's out= named (runs, if it named none)"
        )
    try:
        folders = sorted(path for path in out.iterdir() if not path.name.startswith(".") and path.is_dir())
    except OSError as error:
        raise UserError(f"{out} cannot be read ({error.strerror}): name another folder") from error
    for folder in folders:
        try:
            if not layout.is_at(folder):
                continue
            listed = ListedRecord(folder, read(layout, folder))
        except (UserError, OSError) as error:
            listed = ListedRecord(folder, None, " ".join(str(error).split()))
        yield listed


@dataclass(frozen=True, slots=True)
class Collected(Generic[R]):
    """The records with their folders, each once, and what is to be said of those that cannot be read."""

    records: tuple[tuple[Path, R], ...]
    damaged: tuple[str, ...]


def collect(layout: RecordLayout[R], folders: Iterable[Path]) -> Collected[R]:
    """Read every record of one kind in some folders; each may be a folder of records or a record itself.

    Raises
    ------
    UserError
        If one of the folders is none, or is a record that cannot be read or is of another kind. A damaged
        record among others is not an error.

    """
    records: dict[str, tuple[Path, R]] = {}
    problems = []
    for folder in folders:
        if (folder / layout.file).exists():
            record = read(layout, folder)
            records.setdefault(record.name, (folder, record))
            continue
        if other := other_layout(folder, layout):
            raise UserError(f"{folder} is the record of {other.noun}: {other.commands}")
        for listed in list_records(layout, folder):
            if listed.record is None:
                problems.append(listed.problem)
            else:
                records.setdefault(listed.record.name, (listed.folder, listed.record))
    return Collected(tuple(records.values()), tuple(problems))


def other_layout(folder: Path, wanted: RecordLayout[Any]) -> RecordLayout[Any] | None:
    """The layout of the record of another kind that a folder holds, or None."""
    from .kinds import kinds

    layouts = [kind.layout for kind in kinds() if kind.layout.file != wanted.file]
    return next((layout for layout in layouts if (folder / layout.file).exists()), None)


def unreadable(folder: Path, error: OSError) -> UserError:
    """The error of a record whose files may be whole, but cannot be read for now."""
    return UserError(f"the record {folder} cannot be read ({error.strerror}): make its files readable")


def damaged(folder: Path, reason: str) -> UserError:
    """The error of a record of any kind that cannot be read."""
    said = " ".join(reason.split())
    return UserError(f"the record {folder} is damaged ({said}): delete that folder and run again")


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


CHECKSUMS = "files.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")


def write_checksums(folder: Path) -> None:
    """Write down what every file in the new folder of a record holds."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS)
    lines = [f"{_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    with (folder / CHECKSUMS).open("wb") as file:
        file.write("".join(lines).encode())
        to_disk(file)


def check_files(folder: Path) -> None:
    """Raise ValueError where a file of a record is missing or does not hold what was written.

    OSError where one cannot be read.
    """
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    except ValueError as error:
        raise ValueError(f"{CHECKSUMS} is not as it was written") from error
    for line in lines:
        entry = _LINE.fullmatch(line)
        if entry is None or ".." in PurePosixPath(entry[2]).parts or PurePosixPath(entry[2]).is_absolute():
            raise ValueError(f"{CHECKSUMS} is not as it was written")
        try:
            digest = _digest(folder / entry[2])
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ValueError(f"{entry[2]} is missing") from error
        if digest != entry[1]:
            raise ValueError(f"{entry[2]} is not as it was written")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
