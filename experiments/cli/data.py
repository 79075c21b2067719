"""``fourfold data``: what experiments read; ``data get`` downloads word vectors and ELMo."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import UserError
from ..terminal.writing import safe_console, safe_streams
from .arguments import Parser
from .commands import dispatch, need

if TYPE_CHECKING:
    from ...embeddings.download import Update
    from ...embeddings.published import Published


# Command: what takes the words after it, and what it does.
COMMANDS = {
    "get": ("data:get", "download published word vectors and ELMo: glove, crawl, news, bpemb, elmo"),
    "randomize": ("data_make:randomize", "make walls without red herrings of the groups of other walls"),
    "wordnet": ("data_make:wordnet", "make easy walls of synonyms from WordNet"),
    "cache": ("data_cache", "list the vectors that earlier runs left, or clear them"),
}

HELP = """\
usage: fourfold data COMMAND [arguments]

What experiments read, and what they keep to read again.

commands:
{commands}

'fourfold data COMMAND --help' shows a command's own help.
"""


def main(words: Sequence[str]) -> int:
    """Run one of the commands and return its exit code."""
    return dispatch("data", COMMANDS, HELP, words)


GET_DESCRIPTION = """\
Download word vectors, or ELMo's model, into the cache, check them and unpack what is needed. A download that
was stopped goes on where it was. What is there already is checked and not fetched again. Without a name, list
what there is.
"""

GET_EPILOG = """\
The cache is ~/.cache/fourfold; XDG_CACHE_HOME or FOURFOLD_CACHE name another folder. On a machine without a
network, fetch the files that the list names elsewhere, put them into the folders it names and run the
command: it checks and unpacks what it finds there.

examples:
  fourfold data get glove bpemb
  fourfold run model=glove
"""


def get(words: Sequence[str]) -> int:
    """Bring the word vectors that are named."""
    parser = Parser(prog="fourfold data get", description=GET_DESCRIPTION, epilog=GET_EPILOG)
    parser.add_argument("names", nargs="*", metavar="NAME", help="glove, crawl, news, bpemb or elmo")
    names: list[str] = parser.parse_args(words).names

    from ...embeddings.published import PUBLISHED

    unknown = [name for name in names if name not in PUBLISHED]
    if unknown:
        raise UserError(f"nothing published is called {unknown[0]!r}: choose {', '.join(PUBLISHED)}")
    if not names:
        print("\n\n".join(map(_entry, PUBLISHED.values())))
    for name in dict.fromkeys(names):
        _get(PUBLISHED[name])
    return 0


def _entry(published: Published) -> str:
    from ...embeddings.download import megabytes

    state = "here" if all(path.is_file() for path in published.paths()) else "not here"
    lines = [f"{published.name}: {published.title} ({state})", f"  {published.page}"]
    for download in published.downloads:
        size = "" if download.size is None else f"  {megabytes(download.size)}"
        lines.append(f"  {download.url}{size}")
    return "\n".join([*lines, f"  into {published.folder}"])


def _get(published: Published) -> None:
    from ...embeddings.download import fetch, megabytes

    for download in published.downloads:
        there = (published.folder / download.file).is_file()
        with _bar(download.archive) as update:
            path, note = fetch(download, published.folder, update)
        if there:
            checked = "is there, as it was"
        elif download.sha256 is not None:
            checked = "its checksum is the published one"
        else:
            checked = "no checksum is published for it; this one is noted, and checked from now on"
        print(f"{path} ({megabytes(note.size)}): {checked}\n  SHA-256 {note.sha256}")


@contextmanager
def _bar(label: str) -> Iterator[Update | None]:
    """A progress bar with size, speed and time left; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    need("data get", {"rich": "rich"})
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=safe_console(stderr=True), transient=True) as bars, safe_streams():
        task = bars.add_task(label, total=None)
        yield lambda have, total: bars.update(task, completed=have, total=total)
