"""``fourfold data cache``: what earlier runs left in the user's cache, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ..terminal.wording import counted
from .arguments import Parser, path

if TYPE_CHECKING:
    from ...embeddings.cache import Kept
    from ...embeddings.word_files import Converted
    from ..llm.reply_store import KeptReplies

REPLIES = "replies"
COMPILED = "compiled"

DESCRIPTION = """\
List the vectors of texts that earlier runs encoded, by model and settings, the tables of word vectors that
were converted, and compiled code. All are made again when they are needed. Replies of language models are
listed too; since they may have cost money, only --clear replies removes them. Downloads are never removed by
this command.
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
class Compiled:
    """The machine code of kernels in the user's cache, of all installations."""

    size: int  # bytes
    changed: float  # seconds since 1970
    files: tuple[Path, ...]


def main(words: Sequence[str]) -> int:
    """List what is kept, or remove it."""
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

    from ...embeddings.cache import clear, list_kept
    from ...embeddings.word_files import list_converted
    from ..llm.reply_store import kept_replies

    replies = kept_replies(chosen.folder)
    kept, converted = list_kept(chosen.folder), [] if chosen.folder else list_converted()
    compiled = None if chosen.folder else _compiled()
    if chosen.clear is None:
        if chosen.all:
            raise UserError("--all is for --clear: write 'fourfold data cache --clear --all'")
        _show(kept, converted, replies, compiled, chosen.folder)
        return 0
    if bool(chosen.clear) == chosen.all:
        raise UserError("--clear needs the name of a model, or --all: 'fourfold data cache' lists the names")
    if replies is not None and chosen.clear == REPLIES:
        print(f"removed {_replies(replies)}, {_size(clear([replies]))}")
        return 0
    _clear(kept, converted, None if chosen.all else chosen.clear, replies, compiled)
    return 0


def _compiled() -> Compiled | None:
    from ...cache_folder import cache_folder
    from ...embeddings.user_cache import states

    files = states((cache_folder() / "compiled").glob("fourfold-*/*.code"))
    if not files:
        return None
    size, changed = sum(s.st_size for s in files.values()), max(s.st_mtime for s in files.values())
    return Compiled(size, changed, tuple(files))


def _show(
    kept: list[Kept],
    converted: list[Converted],
    replies: KeptReplies | None,
    compiled: Compiled | None,
    folder: Path | None,
) -> None:
    from ...embeddings.cache import default_folder

    if not kept and not converted and replies is None and compiled is None:
        print(f"nothing is kept in {folder or default_folder().parent}")
    for each in kept:
        print(f"{each.name}  ({each.folder.name})")
        print(f"  {counted(each.n_texts, 'text')}, {_size(each.size)}, {_date(each.changed)}")
        print(f"  {_settings(each)}")
    for table in converted:
        print(f"{table.name}  (word vectors, converted)")
        print(f"  {_size(table.size)}, {_date(table.changed)}")
        print(f"  from {table.source}")
    if compiled is not None:
        print(f"{COMPILED}  (machine code)")
        print(
            f"  {counted(len(compiled.files), 'function')}, {_size(compiled.size)}, {_date(compiled.changed)}"
        )
    if replies is not None:
        print(f"{REPLIES}  (of language models)")
        print(f"  {_replies(replies)}, {_size(replies.size)}, {_date(replies.changed)}")


def _clear(
    kept: list[Kept],
    converted: list[Converted],
    name: str | None,
    replies: KeptReplies | None,
    compiled: Compiled | None,
) -> None:
    from ...embeddings.cache import clear

    gone = [each for each in kept if name in (None, each.name, each.folder.name)]
    tables = [table for table in converted if name in (None, table.name)]
    code = [compiled] if compiled is not None and name in (None, COMPILED) else []
    if name is not None and not gone and not tables and not code:
        names = dict.fromkeys([*(each.name for each in kept), *(table.name for table in converted)])
        if compiled is not None:
            names[COMPILED] = None
        if replies is not None:
            names[REPLIES] = None
        raise UserError(
            f"nothing is kept under the name {name!r}: choose from {', '.join(names) or 'nothing'}"
        )
    freed = clear([*gone, *tables, *code])
    stay = f"; {_replies(replies)} stay: --clear {REPLIES} removes them" if replies and name is None else ""
    n_gone, n_all = len(gone) + len(tables) + len(code), len(kept) + len(converted) + (compiled is not None)
    print(f"removed {n_gone} of {n_all}, {_size(freed)}{stay}")


def _replies(kept: KeptReplies) -> str:
    return counted(kept.n_replies, "reply", "replies")


def _settings(kept: Kept) -> str:
    """An encoder's description without what is shown elsewhere, and with a file's hash cut short."""
    shown = []
    for key, value in kept.settings.items():
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
