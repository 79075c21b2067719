"""The files that a ``fourfold macgyver`` command writes: what hinders is told before the work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ....errors import UserError
from ...files.temporary_folder import try_writing
from ...files.text_file import check_file
from ...macgyver.rows import ENDINGS


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
