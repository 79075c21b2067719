"""From a path to a set of walls: which files to read, in which layout, and what holds across walls."""

from importlib.resources import files
from os import PathLike
from pathlib import Path

from ...errors import UserError
from .document import Node, listed, load, one_line, parse, shown
from .nyt import read_nyt
from .ocw import read_ocw
from .wall import Wall, WallSet

SPLITS = ("train", "validation", "test")
SPLIT_FILES = tuple(f"{split}.json" for split in SPLITS)
LAYOUTS = ("auto", "ocw", "nyt")
_CALLED = {
    "ocw": 'an object with the key "dataset" (Only Connect Wall)',
    "nyt": "a list of puzzles (Connections)",
}


def read_walls(
    path: str | PathLike[str], split: str | None = None, layout: str = "auto", name: str | None = None
) -> WallSet:
    """Read walls from a JSON file, or from a folder of train.json, validation.json and test.json.

    `split` chooses one file of a folder; None or "all" reads the three in that order. `layout` is "ocw",
    "nyt" or "auto", which looks at the file. The set is named after the file or folder unless `name` is
    given. Whatever is wrong raises UserError: one line that names file, wall and field.
    """
    if layout not in LAYOUTS:
        raise UserError(one_line(f"got the layout {layout!r}, expected one of {listed(LAYOUTS)}; choose one"))
    if split not in (None, "all", *SPLITS):
        raise UserError(
            one_line(f'got the split {split!r}, expected one of {listed(SPLITS)} or "all"; choose one')
        )
    try:
        documents, default = _opened(Path(path).expanduser(), None if split == "all" else split)
    except (OSError, RuntimeError) as error:  # a folder that may not be entered, a "~name" without a home
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            one_line(f"{path}: got {reason!r}, expected a file or folder; check the path and its permissions")
        ) from None
    return _joined(documents, layout, name or default)


def bundled_walls() -> WallSet:
    """The thirty walls that come with fourfold."""
    resource = files(__package__) / "bundled.json"
    return _joined([parse(resource.read_bytes(), "bundled.json")], "ocw", "bundled")


def _opened(source: Path, split: str | None) -> tuple[list[Node], str]:
    """The documents at a path, and the name that the set has by default."""
    if source.is_dir():
        documents = [load(file) for file in _split_files(source, split)]
        return documents, source.resolve().name + (f"-{split}" if split else "")
    if split:
        Node(None, str(source)).fail(
            f'one file and the split "{split}"' if source.exists() else "no such folder",
            f"a folder of {listed(SPLIT_FILES)}",
            "give the folder, or no split",
        )
    return [load(source)], source.stem


def _split_files(folder: Path, split: str | None) -> list[Path]:
    wanted = [folder / f"{name}.json" for name in ([split] if split else SPLITS)]
    missing = [file.name for file in wanted if not file.is_file()]
    if missing:
        held = sorted(file.name for file in folder.glob("*.json"))
        splits = [name for name in SPLITS if f"{name}.json" in held]
        Node(None, str(folder)).fail(
            f"a folder with {listed(held)}" if held else "a folder without JSON files",
            f"{listed(missing)} in it",
            f"choose the split {' or '.join(splits)}"
            if splits
            else "give the path of the data set's folder or file",
        )
    return wanted


def _joined(documents: list[Node], layout: str, name: str) -> WallSet:
    walls: list[Wall] = []
    seen: dict[str, str] = {}
    for document in documents:
        kind = _checked(document, layout)
        found = read_ocw(document) if kind == "ocw" else read_nyt(document)
        if not found:
            document.fail("no walls", "at least one", "check that this is the whole file")
        for wall in found:
            if wall.wall_id in seen:
                field = "wall_id" if kind == "ocw" else "id"
                Node(None, document.file, f"wall {wall.wall_id}", field).fail(
                    f"an id that another wall in {seen[wall.wall_id]} has",
                    "each wall once",
                    "remove or rename one of them",
                )
            seen[wall.wall_id] = document.file
        walls += found
    return WallSet(name, tuple(walls))


def _checked(document: Node, layout: str) -> str:
    """The layout to read a document in: the one that was chosen, unless the file is plainly of another."""
    found = layout_of(document)
    if layout == "auto" and found is None:
        value = document.value
        document.fail(
            "a bare list of walls" if isinstance(value, list) else shown(value),
            'an object with the key "dataset" (Only Connect Wall) or a list of puzzles (Connections)',
            "check that this is a file of walls",
        )
    if layout != "auto" and found not in (None, layout):
        got, expected = (_CALLED[name] for name in (found, layout))
        document.fail(got, expected, f"choose dataset={found}, which reads this file")
    return found if layout == "auto" and found else layout


def layout_of(document: Node) -> str | None:
    """The layout, "ocw" or "nyt", that a document has by its outermost form; None if it is another."""
    value = document.value
    if isinstance(value, dict) and "dataset" in value:
        return "ocw"
    if isinstance(value, list) and not any(isinstance(item, dict) and "wall_id" in item for item in value):
        return "nyt"
    return None
