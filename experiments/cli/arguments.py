"""An argument parser whose errors are one line, like every other error, the paths that it
reads, and help that is wrapped anew where the terminal is narrower than its lines.
"""

from __future__ import annotations

import re
import textwrap
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, NoReturn

from ...errors import UserError

RUNS = "runs"  # where records are if no out= named another folder
_RECORD_FILES = (
    "record.json",
    "language_model.json",
    "play.json",
)  # of the kinds of runs, without their imports


class Parser(ArgumentParser):
    """``argparse`` with the project's way of failing, and descriptions that are wrapped only if need be."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise UserError with argparse's message."""
        # Where one of our types fails in Python's own way, argparse knows no more than its function's name.
        message = re.sub(r"invalid (?!int|float)\w+ value: ", "cannot be read: ", message)
        option = re.match(r"unrecognized arguments: --([A-Za-z_][\w.]*)(?![\w.-])", message)
        if option and any(str(action.metavar).startswith("key=value") for action in self._actions):
            message += f": settings are written without dashes, as in {option[1]}=VALUE"
        raise UserError(f"{message}: '{self.prog} --help' shows what there is")


def add_repeating(parser: Parser) -> None:
    """Give a command the arguments ``--from`` and ``--walls``, which repeat a record's run."""
    parser.add_argument(
        "--from",
        dest="record",
        type=record_folder,
        metavar="RECORD",
        help="repeat the run of a record and say whether it comes out equal; out=FOLDER keeps the repetition",
    )
    parser.add_argument("--walls", metavar="PATH", help="with --from: where the walls are now")


def path(text: str) -> Path:
    """A path of the command line; the empty one, which ``Path`` takes for this folder, is none."""
    if not text.strip():
        raise ArgumentTypeError("got an empty text, expected a path")
    return Path(text)


def record_folder(text: str) -> Path:
    """The folder of a record, of whose name the beginning will do, as ``fourfold runs`` shows it.

    A name without a folder is looked for here and in ``runs``. What begins no record is returned as
    it is: whoever reads it says what is wrong with it.
    """
    given = path(text).expanduser()
    if given.exists() or given.name in {"", "..", "~"}:
        return given
    places = [given.parent, *([Path(RUNS)] if given.parent == Path() else [])]
    matching = [folder for place in places for folder in _beginning(place, given.name)]
    if len(matching) > 1:
        raise ArgumentTypeError(f"{len(matching)} records begin with {text}: write more of the name")
    return matching[0] if matching else given


def _beginning(place: Path, name: str) -> list[Path]:
    try:
        folders = sorted(folder for folder in place.iterdir() if folder.name.startswith(name))
        return [folder for folder in folders if any((folder / file).is_file() for file in _RECORD_FILES)]
    except OSError:
        return []


AS_WRITTEN = 110  # columns; also where there is no terminal
_LEAST = 40  # columns to wrap for, however narrow the terminal

# What stands in two columns, such as a setting and what it means: at least two blanks between them.
_ENTRY = re.compile(r"( {2,4}\S.*? {2,})(\S.*)")
_CONTINUED = re.compile(r" {6,}\S")


class HelpFormatter(RawDescriptionHelpFormatter):
    """``argparse``'s help, with the descriptions as they are written or, if they do not fit, wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        del width  # argparse's own leaves two columns free, and takes 80 where there is no terminal
        columns = get_terminal_size((AS_WRITTEN, 24)).columns
        return super()._fill_text(wrapped(text, columns), columns, indent)


def wrapped(text: str, columns: int) -> str:
    """Text with its paragraphs and two-column entries wrapped to ``columns``; commands stay on their line."""
    if columns >= AS_WRITTEN:
        return text
    columns = max(columns, _LEAST)
    parts: list[str] = []
    for line in text.split("\n"):
        last = parts[-1] if parts else ""
        of_paragraph = bool(line) and not line.startswith(" ") and bool(last) and not last.startswith(" ")
        of_entry = _CONTINUED.match(line) and _ENTRY.fullmatch(last)
        if of_paragraph or of_entry:
            parts[-1] = f"{last} {line.strip()}"
        else:
            parts.append(line)
    return "\n".join(_filled(part, columns) for part in parts)


def _filled(part: str, columns: int) -> str:
    if len(part) <= columns:
        return part
    entry = _ENTRY.fullmatch(part)
    if part.startswith(" ") and not entry:
        return part  # a command: whoever copies it wants it whole
    hanging = len(entry[1]) if entry else 0
    if hanging > columns // 2:
        hanging = 6
    words = part.lstrip(" ")
    return textwrap.fill(
        words,
        columns,
        initial_indent=" " * (len(part) - len(words)),
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
