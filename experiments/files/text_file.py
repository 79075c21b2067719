"""Writes a text file whole or not at all."""

from __future__ import annotations

from pathlib import Path

from ...errors import UserError
from ...whole_files import written_whole
from ..terminal.writing import visible


def check_file(path: Path, force: bool = True, option: str = "--out") -> None:
    """Raise UserError unless a file could be at ``path``, where without ``force`` there must be none yet.

    ``option`` is what names it on the command line.
    """
    if path.is_dir():
        raise UserError(f"{path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be written, since {path.parent} is not a folder: make it first")
    if path.is_file() and not force:
        raise UserError(f"{path} is there already: choose another {option}, or replace it with --force")


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8; what was at ``path`` stays until it is replaced by the whole.

    Raises
    ------
    UserError
        If it cannot be written.

    """
    check_file(path)
    target = path.resolve()  # a link stays a link
    try:
        if path.exists() and not path.is_file():  # a pipe or a device, such as /dev/stdout
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                stream.write(visible(text) if stream.isatty() else text)
            return
        with written_whole(target) as part, part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written ({error.strerror}): make room or choose another --out"
        ) from error
