"""Data sets made of another one: which of its files are read, and how the new ones are written.

What is made of the walls is in `randomized.py` and `wordnet.py`. Walls are JSON objects here, so that what
fourfold does not read of them is kept. Walls that cannot be used have no part in it. A file is written whole
or not at all, and each says in its key "provenance", which no reader of this layout minds, how it was made
and of which walls it was not.
"""

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ... import __version__
from ...errors import UserError
from ...whole_files import written_whole
from ..files.temporary_folder import TemporaryFolder, replace_folder
from .document import Node, Number, load, one_line
from .readers import SPLIT_FILES, layout_of, read_document, read_walls
from .wall import LeftOut, WallSet

RawWall: TypeAlias = dict[str, Any]
Make: TypeAlias = Callable[[Sequence[RawWall]], list[RawWall]]

TEST_FILE = "test.json"


class MakingError(UserError):
    """A ``UserError`` about walls of which no others can be made; `derive` names their file."""


@dataclass(frozen=True, slots=True)
class DerivedFile:
    """A file that was written, with the number of its walls; those of a copied one are as they were.

    ``left_out`` are those of its source that could not be used.
    """

    path: Path
    n_walls: int
    copied: bool
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """What a file holds: the keys beside its walls, its walls as written, and their fingerprint."""

    others: dict[str, Any]
    walls: list[RawWall]
    fingerprint: str
    left_out: tuple[LeftOut, ...]


def derive(
    source: Path,
    out: Path,
    make: Make,
    provenance: Mapping[str, Any],
    *,
    only_test: bool,
    force: bool,
    strict: bool = False,
) -> list[DerivedFile]:
    """Write walls made of those of a file, or of the files of a folder.

    Parameters
    ----------
    source
        A file of the Only Connect Wall data set in either layout, or its official folder.
    out
        The file, or for a folder the folder, to write.
    make
        Makes walls of the walls of one file, or raises MakingError. What it raises leaves nothing behind.
    provenance
        What made them; the version of fourfold and the source are added.
    only_test
        Of a folder, copy train.json and validation.json as they are.
    force
        Replace what is there.
    strict
        Whether a wall that cannot be used is an error; otherwise it is left out.

    Raises
    ------
    UserError
        If no walls can be read, or ``out`` is there already or cannot be written.

    """
    source, out = source.expanduser(), out.expanduser()
    folder = source.is_dir()
    files = _files_of(source, only_test) if folder else [source]
    sources = {file: _read(file, strict) for file in files if not _is_copied(file, folder, only_test)}
    if not any(walls_there.walls for walls_there in sources.values()):
        split = "test" if folder and only_test else None
        read_walls(source, split=split, layout="ocw", strict=strict)  # its error says what is wrong
    check_out(source, out, force)
    contents: dict[str, bytes] = {}
    made: list[DerivedFile] = []
    for file in files:
        path = out / file.name if folder else out
        if file not in sources:
            contents[file.name] = file.read_bytes()
            made.append(DerivedFile(path, _count(file), copied=True))
            continue
        walls_there = sources[file]
        try:
            walls = make(walls_there.walls) if walls_there.walls else []  # a split may be empty
        except MakingError as error:
            raise UserError(one_line(f"{file}: {error}")) from error
        known = {
            key: walls_there.others[key] for key in ("season_to_walls_map",) if key in walls_there.others
        }
        origin: dict[str, Any] = {"file": file.name, "fingerprint": walls_there.fingerprint}
        if walls_there.left_out:
            origin["left_out"] = [asdict(wall) for wall in walls_there.left_out]
        if "provenance" in walls_there.others:
            origin["provenance"] = walls_there.others["provenance"]
        notes = {"made_by": f"fourfold {__version__}", **provenance, "source": origin}
        document = _plain({**known, "dataset": walls, "provenance": notes})
        contents[file.name] = json.dumps(document).encode()
        made.append(DerivedFile(path, len(walls), copied=False, left_out=walls_there.left_out))
    try:
        if folder:
            _write_folder(out, contents)
        else:
            _write_file(out, contents[source.name])
    except OSError as error:
        raise UserError(
            one_line(f"{out} cannot be written ({error.strerror}): choose another OUT, or make room")
        ) from error
    return made


def _files_of(folder: Path, only_test: bool) -> list[Path]:
    there = [folder / name for name in SPLIT_FILES if (folder / name).is_file()]
    if not there or (only_test and folder / TEST_FILE not in there):
        read_walls(folder, split="test" if only_test else None, layout="ocw")  # says what the folder lacks
    return there


def _is_copied(file: Path, folder: bool, only_test: bool) -> bool:
    return folder and only_test and file.name != TEST_FILE


def _count(file: Path) -> int:
    """The number of walls of a copied file, which may be empty."""
    return len(read_document(load(file), "ocw").walls) if file.stat().st_size else 0


def _read(file: Path, strict: bool) -> _Source:
    """A file's JSON, checked to be one of walls."""
    document = load(file)
    if layout_of(document) == "nyt":
        document.fail(
            "an archive of Connections puzzles",
            "walls in the layout of the Only Connect Wall data set",
            "name a file or the folder of that data set",
        )
    contents = read_document(document, "ocw", strict)
    value = document.value
    others = value if isinstance(value, dict) and "dataset" in value else {}
    walls = [wall for wall in contents.written if isinstance(wall, dict)]
    fingerprint = WallSet("", tuple(contents.walls)).fingerprint
    return _Source(others, walls, fingerprint, tuple(contents.left_out))


def _plain(value: Any) -> Any:
    """JSON values as `json` writes them: a number as the file had it, or as text where Python's differs."""
    if isinstance(value, Number):
        return _number(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _number(text: Number) -> int | float | str:
    for kind in (int, float):
        try:
            number: int | float = kind(text)
        except ValueError:
            continue
        if repr(number) == text:
            return number
    return str(text)


def check_out(source: Path, out: Path, force: bool) -> None:
    """Raise UserError unless walls of ``source`` may be written to ``out``; leave nothing behind."""
    source, out = source.expanduser(), out.expanduser()
    folder = source.is_dir()
    fail = Node(None, str(out)).fail
    if out.exists():
        if out.resolve() == source.resolve():
            fail("the walls that are read", "another file or folder", "choose another OUT")
        if folder != out.is_dir():
            kind = "folder" if folder else "file"
            fail(f"a {'file' if folder else 'folder'}", f"a {kind}, as {source} is", "choose another OUT")
        held = sorted(path.name for path in out.iterdir()) if folder else [out.name]
        if held and not force:
            fail("one that is there already", "a new name", "choose another OUT, or replace it with --force")
        strange = [name for name in held if folder and name not in SPLIT_FILES]
        if strange:
            fail(
                f'a folder that holds "{strange[0]}"', "nothing but the files of splits", "choose another OUT"
            )
    place = out.parent
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        Path(tempfile.mkdtemp(prefix=".fourfold-", dir=place)).rmdir()
    except OSError as error:
        fail(
            f"the system's answer {error.strerror!r}", "a folder that can be written to", "choose another OUT"
        )


def _write_file(out: Path, content: bytes) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(out) as part:
        part.write_bytes(content)


def _write_folder(out: Path, contents: Mapping[str, bytes]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryFolder(out) as folder:
        for name, content in contents.items():
            _to_disk(folder / name, content)
        replace_folder(folder, out)


def _to_disk(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
