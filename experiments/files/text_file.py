"""Files that users name: written whole or not at all; read with one line where somebody else's is damaged.

Libraries raise many exceptions on damaged files: openpyxl alone KeyError, IndexError, AttributeError, zlib's
and expat's. Readers call them within ``reading`` and leave exceptions to it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
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


FETCH = "fetch or save it again"


@contextmanager
def reading(path: Path, expected: str, advice: str = FETCH, place: str = "") -> Iterator[None]:
    """Turn whatever is raised within into a ``UserError`` that names the file.

    Parameters
    ----------
    path
        The file.
    expected
        What it should be, such as "an Excel workbook".
    advice
        What to do about it.
    place
        Where in the file, such as "column x".

    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if type(error) is MemoryError:  # not the file's fault, unlike pyarrow's own kind of it
            raise
        where = f"{path}, {place}" if place else f"{path}"
        if isinstance(error, OSError) and error.errno is not None:
            raise UserError(
                f"{where} cannot be read ({error.strerror or error}): check the path and its permissions"
            ) from error
        raise UserError(f"{where} cannot be read as {expected} ({_reason(error)}): {advice}") from error


def _reason(error: Exception) -> str:
    """The first line of what an exception says, in text that shows."""
    if isinstance(error, KeyError) and error.args:
        first = str(error.args[0])
    else:
        first = next(iter(str(error).splitlines()), "")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in first)
    return shown.strip() or type(error).__name__


def check_zip(path: Path) -> None:
    """Compare every member of a zip file with its checksum; call it within ``reading``.

    Readers of what is in a zip file may stop before a member's end, where its checksum is compared.
    """
    with zipfile.ZipFile(path) as archive:
        if (damaged := archive.testzip()) is not None:
            raise zipfile.BadZipFile(f"{damaged} in it is damaged")


def read_text(path: Path) -> str:
    """A text file in UTF-8, with or without a byte order mark; UserError if it is none or cannot be read."""
    with reading(path, "text"):
        raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{path} is not UTF-8 text (byte 0x{raw[error.start]:02x} on line {line}): save it as UTF-8"
        ) from error
