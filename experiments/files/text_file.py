"""Writes a text file whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ...errors import UserError
from ..terminal.writing import visible


def check_file(path: Path, force: bool = True, option: str = "--out") -> None:
    """Raise UserError unless a file could be at ``path``, where without ``force`` there must be none yet.

    ``option`` is what names it on the command line.
    """
    if path.is_dir():
        raise UserError(f"{path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be written, since {path.parent} is no folder: make it first")
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
    part = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        if path.exists() and not path.is_file():  # a pipe or a device, such as /dev/stdout
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                stream.write(visible(text) if stream.isatty() else text)
            return
        try:
            with part.open("w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written ({error.strerror}): make room or choose another --out"
        ) from error
