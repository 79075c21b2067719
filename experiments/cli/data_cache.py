"""``fourfold data cache``: what earlier runs left in the user's cache, and how to be rid of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...errors import UserError
from ..terminal.writing import counted
from .arguments import Parser, path

REPLIES = "replies"

DESCRIPTION = """\
List the vectors of texts that earlier runs encoded, by model and settings, the tables of word vectors that
were converted, compiled code (also in $NUMBA_CACHE_DIR), and checksums of large files. All are made again
when they are needed. What earlier versions of fourfold left is listed too. Replies of language models are
listed as well; since they may have cost money, only --clear replies removes them. Downloads are never removed
by this command.
"""

EPILOG = """\
examples:
  fourfold data cache
  fourfold data cache --clear packaged:all-MiniLM-L6-v2
  fourfold data cache --clear --all
  fourfold data cache --clear compiled
  fourfold data cache --clear replies
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the cache that can be removed by its name; ``remove`` returns how many bytes it took."""

    name: str
    title: str
    lines: tuple[str, ...]
    remove: Callable[[], int]
    other_name: str = ""


def main(words: Sequence[str]) -> int:
    """List what is stored, or remove it."""
    parser = Parser(prog="fourfold data cache", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument(
        "--clear",
        nargs="?",
        const="",
        metavar="NAME",
        help="remove a model's vectors; NAME is as it is listed",
    )
    parser.add_argument(
        "--all", action="store_true", help="with --clear: remove all that is listed but replies"
    )
    parser.add_argument("--folder", type=path, help="look here, as a run with cache=FOLDER does")
    chosen = parser.parse_args(words)

    if chosen.clear is None and chosen.all:
        raise UserError("--all is for --clear: write 'fourfold data cache --clear --all'")
    if chosen.clear is not None and bool(chosen.clear) == chosen.all:
        raise UserError("--clear needs the name of a model, or --all: 'fourfold data cache' lists the names")
    entries = list(_entries(chosen.folder))
    if chosen.clear is None:
        _show(entries, chosen.folder)
    else:
        _clear(entries, chosen.clear)
    return 0


def _entries(folder: Path | None) -> Iterable[Entry]:
    yield from _vectors(folder)
    if folder is None:
        from ...cache_folder import cache_folder
        from ...embeddings.word_files import list_converted

        for table in list_converted():
            title = f"{table.name}  (word vectors, converted)"
            lines = (f"{_size(table.size)}, {_date(table.changed)}", f"from {table.source}")
            yield Entry(table.name, title, lines, lambda files=table.files: _remove(files))  # type: ignore[misc]
        places = [cache_folder() / "compiled", Path(os.environ.get("NUMBA_CACHE_DIR") or os.devnull)]
        code = [file for place in places for file in place.glob("fourfold-*/*.code")]
        yield from _of_files("compiled", "machine code", "function", code)
        yield from _of_files("hashes", "of large files", "file", (cache_folder() / "hashes").glob("*.json"))
    yield from _replies(folder)


def _vectors(folder: Path | None) -> Iterable[Entry]:
    from ...embeddings.cache import earlier_vectors, remove_vectors, stored_vectors

    for each in stored_vectors(folder):
        facts = f"{counted(each.n_texts, 'text')}, {_size(each.size)}, {_date(each.changed)}"
        yield Entry(
            each.name,
            f"{each.name}  ({each.kind})",
            (facts, _settings(each.settings)),
            lambda each=each: remove_vectors([each], folder),  # type: ignore[misc]
            each.kind,
        )
    what = "vectors of an earlier version, which are read no more"
    yield from _of_files("earlier", what, "file", earlier_vectors(folder))


def _of_files(name: str, what: str, one: str, paths: Iterable[Path]) -> Iterable[Entry]:
    """An entry for files, if there are any."""
    states = {}
    for file in paths:
        with suppress(FileNotFoundError):  # another process has renamed or removed it
            states[file] = file.stat()
    if states:
        size, changed = sum(s.st_size for s in states.values()), max(s.st_mtime for s in states.values())
        facts = f"{counted(len(states), one)}, {_size(size)}, {_date(changed)}"
        yield Entry(name, f"{name}  ({what})", (facts,), lambda: _remove(states))


def _replies(folder: Path | None) -> Iterable[Entry]:
    from ..llm.reply_store import remove_replies, stored_replies

    stored = stored_replies(folder)
    if stored is not None:
        number = counted(stored.n_replies, "reply", "replies")
        facts = f"{number}, {_size(stored.size)}, {_date(stored.changed)}"
        title = f"{REPLIES}  (of language models)"
        yield Entry(REPLIES, title, (facts,), lambda: remove_replies(stored, folder), number)


def _show(entries: Sequence[Entry], folder: Path | None) -> None:
    from ...cache_folder import cache_folder

    if not entries:
        print(f"nothing is stored in {folder or cache_folder()}")
    for entry in entries:
        print(entry.title)
        for line in entry.lines:
            print(f"  {line}")


def _clear(entries: Sequence[Entry], name: str) -> None:
    """Remove what has this name; without one, all but the replies."""
    replies = next((entry for entry in entries if entry.name == REPLIES), None)
    if replies is not None and name == REPLIES:
        print(f"removed {replies.other_name}, {_size(replies.remove())}")
        return
    others = [entry for entry in entries if entry is not replies]
    gone = [entry for entry in others if name in ("", entry.name, entry.other_name)]
    if name and not gone:
        names = ", ".join(dict.fromkeys(entry.name for entry in entries))
        raise UserError(f"nothing is stored under the name {name!r}: choose from {names or 'nothing'}")
    freed = sum(entry.remove() for entry in gone)
    stay = f"; {replies.other_name} stay: --clear {REPLIES} removes them" if replies and not name else ""
    print(f"removed {len(gone)} of {len(others)}, {_size(freed)}{stay}")


def _remove(paths: Iterable[Path]) -> int:
    """Remove files and the folders that are then empty; return how many bytes they took."""
    freed = 0
    folders = set()
    for file in paths:
        with suppress(OSError):
            size = file.stat().st_size
            file.unlink()
            freed += size
        folders.add(file.parent)
    for place in folders:
        with suppress(OSError):  # somebody else's file is in it
            place.rmdir()
    return freed


def _settings(settings: Mapping[str, Any]) -> str:
    """An encoder's description without what is shown elsewhere, and with a file's hash cut short."""
    shown = []
    for key, value in settings.items():
        if key == "files" and isinstance(value, dict):
            shown += [f"{name}={str(digest)[:8]}" for name, digest in value.items()]
        elif key != "name" and value is not None:
            shown.append(f"{key}={value!r}" if isinstance(value, str) and not value else f"{key}={value}")
    return " ".join(shown)


def _size(size: int) -> str:
    from ...embeddings.download import megabytes

    return megabytes(size)


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"
