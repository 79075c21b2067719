"""From a path to a set of walls: which files to read, in which layout, and what holds across walls.

A wall that cannot be used is left out and listed, unless the reading is strict. What is not a document of
walls, or one of which no wall can be used, is an error.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path

from ...errors import UserError
from .document import Json, Node, PlaceError, brief, listed, load, one_line, parse, shown
from .nyt import read_nyt_wall
from .ocw import read_ocw_wall
from .wall import LeftOut, Wall, WallSet

SPLITS = ("train", "validation", "test")
SPLIT_FILES = tuple(f"{split}.json" for split in SPLITS)
LAYOUTS = ("auto", "ocw", "nyt")
_CALLED = {
    "ocw": 'an object with the key "dataset" (Only Connect Wall)',
    "nyt": "a list of puzzles (Connections)",
}
# Keys by which a record is known to be a wall of a layout.
_KEYS = {"ocw": {"wall_id", "gt_connections", "groups"}, "nyt": {"answers", "categories"}}
_READ = {"ocw": read_ocw_wall, "nyt": read_nyt_wall}
_ID = {"ocw": "wall_id", "nyt": "id"}


@dataclass(frozen=True, slots=True)
class Contents:
    """What one document holds: its walls, each as it was written, and the walls that cannot be used."""

    walls: list[Wall]
    written: list[Json]
    left_out: list[LeftOut]


def read_walls(
    path: str | PathLike[str],
    split: str | None = None,
    layout: str = "auto",
    name: str | None = None,
    strict: bool = False,
) -> WallSet:
    """Read walls from a file of JSON or JSON lines, or a folder of train.json, validation.json and test.json.

    Parameters
    ----------
    path
        The file or folder.
    split
        One file of a folder; "all" reads the three in that order, and None those of them that are there.
    layout
        "ocw", "nyt" or "auto", which looks at the file.
    name
        The set's name; that of the file or folder by default.
    strict
        Whether a wall that cannot be used, and a split that is not there, is an error.

    Raises
    ------
    UserError
        If no walls can be read, or with ``strict`` not all of them: one line that names file, wall and field.

    """
    if layout not in LAYOUTS:
        raise UserError(one_line(f"got the layout {layout!r}, expected one of {listed(LAYOUTS)}; choose one"))
    if split not in (None, "all", *SPLITS):
        raise UserError(
            one_line(f'got the split {split!r}, expected one of {listed(SPLITS)} or "all"; choose one')
        )
    try:
        return _opened(Path(path).expanduser(), split, layout, name, strict)
    except (OSError, RuntimeError) as error:  # a folder that may not be entered, a "~name" without a home
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            one_line(f"{path}: got {reason!r}, expected a file or folder; check the path and its permissions")
        ) from None


def bundled_walls() -> WallSet:
    """The thirty walls that come with fourfold."""
    resource = files(__package__) / "bundled.json"
    return _joined([parse(resource.read_bytes(), "bundled.json")], "ocw", "bundled", strict=True)


def _opened(source: Path, split: str | None, layout: str, name: str | None, strict: bool) -> WallSet:
    """The walls at a path."""
    if source.is_dir():
        chosen = [split] if split in SPLITS else list(SPLITS)
        wanted = [source / f"{each}.json" for each in chosen]
        missing = [file for file in wanted if not file.is_file()]
        if missing and (split is not None or strict or len(missing) == len(wanted)):
            _refuse_missing(source, missing)
        if split is None and not strict:  # of what nobody asked for, a file without a byte is as none
            missing += [file for file in wanted if file not in missing and not file.stat().st_size]
        if len(missing) == len(wanted):
            missing = []  # reading says what is wrong
        documents = [load(file) for file in wanted if file not in missing]
        default = source.resolve().name + (f"-{split}" if split in SPLITS else "")
        absent = tuple(file.name for file in missing)
        return _joined(documents, layout, name or default, strict, absent)
    if split in SPLITS:
        Node(None, str(source)).fail(
            f'one file and the split "{split}"' if source.exists() else "no such folder",
            f"a folder of {listed(SPLIT_FILES)}",
            "give the folder, or no split",
        )
    return _joined([load(source)], layout, name or source.stem, strict)


def _refuse_missing(folder: Path, missing: Sequence[Path]) -> None:
    held = sorted(file.name for file in folder.glob("*.json"))
    splits = [name for name in SPLITS if f"{name}.json" in held]
    Node(None, str(folder)).fail(
        f"a folder with {listed(held)}" if held else "a folder without JSON files",
        f"{listed(file.name for file in missing)} in it",
        f"choose the split {' or '.join(splits)}"
        if splits
        else "give the path of the data set's folder or file",
    )


def _joined(
    documents: list[Node], layout: str, name: str, strict: bool, absent: tuple[str, ...] = ()
) -> WallSet:
    walls: list[Wall] = []
    left_out: list[LeftOut] = []
    seen: dict[str, str] = {}
    empty = []
    for document in documents:
        contents = read_document(document, layout, strict, seen)
        if not contents.walls:
            empty.append(document)
        walls += contents.walls
        left_out += contents.left_out
    if not walls:
        empty[0].fail("no walls", "at least one", "check that this is the whole file")
    without = {*absent, *(Path(document.file).name for document in empty)}
    return WallSet(
        name, tuple(walls), tuple(left_out), tuple(file for file in SPLIT_FILES if file in without)
    )


def read_document(
    document: Node, layout: str, strict: bool = False, seen: dict[str, str] | None = None
) -> Contents:
    """The walls of one document, which may hold none at all.

    ``seen`` has the file of each wall by its id, and those of this document are added to it.

    Raises
    ------
    UserError
        If it is not a document of walls, none of its walls can be used, or ``strict`` and one cannot.

    """
    kind = _checked(document, layout)
    entries = _entries(document, kind)
    seen = {} if seen is None else seen
    contents = Contents([], [], [])
    first: PlaceError | None = None
    for entry in entries:
        try:
            wall = _READ[kind](entry)
            _check_new(wall, document, kind, seen)
        except PlaceError as error:
            if strict:
                raise
            first = first or error
            contents.left_out.append(_left_out(error, document))
        else:
            seen[wall.wall_id] = document.file
            contents.walls.append(wall)
            contents.written.append(entry.value)
    if first is not None and not contents.walls:
        if len(entries) == 1:
            raise first
        raise UserError(f"{first} (none of its {len(entries):,} walls can be used)")
    return contents


def _left_out(error: PlaceError, document: Node) -> LeftOut:
    """By its id, or where it has none by its place."""
    place = one_line(error.place)
    known = place.removeprefix("wall ") if not place.startswith("wall number ") else place
    where = known if known != place else f"{place} of {brief(Path(document.file).name)}"
    return LeftOut(where, error.said)


def _check_new(wall: Wall, document: Node, kind: str, seen: dict[str, str]) -> None:
    if wall.wall_id in seen:
        Node(None, document.file, f"wall {brief(wall.wall_id)}", _ID[kind]).fail(
            f"an id that another wall in {seen[wall.wall_id]} has",
            "each wall once",
            "remove or rename one of them",
        )


def _checked(document: Node, layout: str) -> str:
    """The layout to read a document in: the one that was chosen, unless the file is plainly of another."""
    layout_there = layout_of(document)
    if layout_there is None and document.value == []:
        document.fail("no walls", "at least one", "check that this is the whole file")
    if layout == "auto" and layout_there is None:
        document.fail(
            shown(document.value),
            'an object with the key "dataset" (Only Connect Wall) or a list of puzzles (Connections)',
            "check that this is a file of walls",
        )
    if layout != "auto" and layout_there not in (None, layout):
        got, expected = (_CALLED[name] for name in (layout_there, layout))
        document.fail(got, expected, f"choose dataset={layout_there}, which reads this file")
    return layout_there if layout == "auto" and layout_there else layout


def layout_of(document: Node) -> str | None:
    """The layout, "ocw" or "nyt", that a document has by its form and its walls' keys; None if another."""
    value = document.value
    if isinstance(value, dict):
        return "ocw" if "dataset" in value else _layout_of_wall(value)
    if not isinstance(value, list):
        return None
    counts = Counter(layout for item in value if (layout := _layout_of_wall(item)) is not None)
    return counts.most_common(1)[0][0] if counts else ("nyt" if value else None)


def _layout_of_wall(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((layout for layout, keys in _KEYS.items() if not keys.isdisjoint(value)), None)


def _entries(document: Node, kind: str) -> list[Node]:
    """The walls of a document: a list, JSON lines, one alone, or a list in the data set's object."""
    value = document.value
    if isinstance(value, dict) and "dataset" not in value and _layout_of_wall(value) == kind:
        return [document.in_wall("wall number 1")]
    if kind == "ocw" and not isinstance(value, list):
        return document.get("dataset").entries("walls")
    return document.entries("walls" if kind == "ocw" else "puzzles")
