"""What the ``fourfold macgyver`` commands share: arguments, files that they write, tables and JSON."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ....errors import UserError
from ...files.temporary_folder import try_writing
from ...files.text_file import check_file
from ...macgyver.rows import ENDINGS
from ...terminal.writing import cell
from ..arguments import Parser


def check_output(
    path: Path,
    force: bool,
    read: Iterable[Path | None] = (),
    option: str = "--out",
    form: str = ".jsonl",
) -> None:
    """Raise UserError unless a file can be written to ``path``, leaving nothing behind.

    Parameters
    ----------
    path
        Where it goes: in a folder that is there.
    force
        Whether it may replace a file.
    read
        What the command reads, which it never replaces: files, or folders of the MacGyver files.
    option
        What names the file on the command line.
    form
        The ending of what is written: .jsonl, or that of a text file.

    """
    if any(_is_same(path, source) for source in _files(read)):
        raise UserError(f"{path} is read as well: choose another {option}")
    ending = path.suffix.lower()
    if ending != form.lower() and ending in (*ENDINGS, ".txt"):
        what = "JSON lines" if form == ".jsonl" else "lines of text"
        raise UserError(f"{option} {path} ends in {path.suffix}, but {what} are written: end it in {form}")
    check_file(path, force, option)
    if path.exists() and not path.is_file():  # a pipe or a device
        return
    check_folder(path.parent, path, option)


def check_folder(folder: Path, path: Path, option: str = "--out") -> None:
    """Raise UserError, which names ``path``, unless a file can be made in the folder."""
    try:
        try_writing(folder)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}): choose another {option}") from error


def _files(read: Iterable[Path | None]) -> Iterable[Path]:
    from ...macgyver.readers import BENCHMARK, HUMAN_SOLUTIONS, PROBLEMS

    for source in read:
        if source is None:
            continue
        if source.is_dir():
            yield from (
                source / f"{name}{ending}"
                for name in (PROBLEMS, HUMAN_SOLUTIONS, BENCHMARK)
                for ending in ENDINGS
            )
        else:
            yield source


def _is_same(path: Path, source: Path) -> bool:
    """Whether both are one file, by whatever name or link."""
    try:
        return path.samefile(source)
    except OSError:  # one of them is not there
        return path.resolve() == source.resolve()


def data_parser(command: str, description: str, epilog: str) -> Parser:
    """A parser with ``--data`` and ``--json``."""
    parser = Parser(prog=f"fourfold macgyver {command}", description=description, epilog=epilog)
    parser.add_argument(
        "--data", type=folder, required=True, metavar="DIR", help="the folder of the MacGyver files"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def folder(text: str) -> Path:
    """A path whose ~ is written out."""
    return Path(text).expanduser()


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not (text.isdecimal() and text.isascii() and int(text) > 0):
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 1")
    return int(text)


def whole(text: str) -> int:
    """A whole number of at least 0."""
    if not (text.isdecimal() and text.isascii()):
        raise ArgumentTypeError(f"got '{text}', expected a whole number of at least 0")
    return int(text)


def table_text(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> str:
    """A table with its title above; the first ``n_texts`` columns are texts, the others numbers."""
    from rich.table import Table

    from ..table_output import rendered

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for place, column in enumerate(columns):
        if place < n_texts:
            table.add_column(column, overflow="fold")
        else:
            table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(cell, row))
    return f"{title}\n{rendered(table)}"


def signed(value: float, digits: int = 1) -> str:
    """A difference with its sign; none where nothing is left after rounding."""
    text = f"{value:+,.{digits}f}".replace("-", "−")
    return text.strip("+−") if float(f"{value:.{digits}f}") == 0 else text


def print_json(content: Any) -> None:
    """One JSON object on stdout."""
    print(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False))
