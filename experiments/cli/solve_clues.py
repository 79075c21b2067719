"""The clues of one wall from a text or from arguments, however they are typed.

A text can mostly be read in one way that comes out: so many clues as a wall has. Where two come out, or the
one that does leaves most lines with a separator in their clues, that is an error; a clue between quotes is
one clue in any reading.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ...errors import UserError
from ..terminal.writing import counted, tell

Fits = Callable[[int], bool]  # whether so many clues are a wall

_SEPARATORS = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs"}
_WALL = 16  # clues: so many are taken for a wall, whatever stands within them
_FEW = 9  # lines: fewer are rather groups than clues where each holds several
_WRITE = (
    "write a clue a line, each between quotes, or all clues in one line with commas, those with a comma of"
    " their own between quotes"
)


@dataclass(frozen=True, slots=True)
class _Table:
    """Lines that are split: the clues of each."""

    called: str
    rows: list[list[str]]

    @property
    def clues(self) -> list[str]:
        return [clue for row in self.rows for clue in row]

    @property
    def mostly(self) -> bool:
        """Whether at least half of the lines hold several clues."""
        return 2 * sum(len(row) > 1 for row in self.rows) >= len(self.rows)

    @property
    def even(self) -> bool:
        """Whether all lines hold as many clues, and more than two, as groups do."""
        return len({len(row) for row in self.rows}) == 1 and len(self.rows[0]) > 2


def read_clues(arguments: Sequence[str], file: str | None, fits: Fits) -> list[str]:
    """The clues from the command line, a file, or standard input where either is ``-``.

    Raises
    ------
    UserError
        Where there are none or one is empty, they can be read in several ways, or the file cannot be read.

    """
    if arguments and file is not None:
        raise UserError(f"got both --file {file} and the clue '{arguments[0]}': give one of the two")
    if list(arguments) == ["-"]:
        file = "-"
    if file is None:
        given = [clue.strip() for clue in arguments]
        if not given:
            raise UserError("got no clues: name them, or use --file FILE, or - for standard input")
        if "" in given:
            raise UserError(f"clue {given.index('') + 1} of {len(given)} is empty: every clue needs a text")
        return clues_of("\n".join(given), "the command line", fits)
    source = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).expanduser().read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {source}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{source} is not UTF-8 text (byte {error.start} is {data[error.start]:#04x}): save it as UTF-8"
        ) from error
    if text.lstrip()[:1] in ("{", "["):
        _refuse_json(text, source)
    return clues_of(text, source, fits)


def clues_of(text: str, source: str, fits: Fits) -> list[str]:
    """The clues in a text; ``source`` is what messages call it. UserError where several readings come out."""
    lines = [line for line in text.splitlines() if line.strip()]
    tables = [_table(lines, separator) for separator in _SEPARATORS]
    if not lines or not all(table.clues for table in tables):
        raise UserError(f"{source} holds no clues: expected one a line, or one line with commas")
    split = [table for table in tables if any(len(row) > 1 for row in table.rows)]
    if len(lines) == 1:
        return _of_one_line(lines[0], split, source, fits)
    return _of_lines(lines, split, source, fits)


def _of_one_line(line: str, split: list[_Table], source: str, fits: Fits) -> list[str]:
    """The clues of one line, in which the groups may be set apart by another separator than the clues."""
    if not split:
        words = line.split()
        if len(words) > 2 and line.strip()[0] != '"':
            raise UserError(
                f"{source}: got one line of {len(words)} words, expected separators; put commas between clues"
            )
        return _whole([line])
    nested, within = [], []
    for separator in _SEPARATORS:
        outer = _table([line], separator, unquote=False).rows[0]
        inner = [_table(outer, other) for other in _SEPARATORS if other != separator]
        nested += [table for table in inner if len(outer) > 1 and table.even and fits(len(table.clues))]
        lengths = [{len(row) for row in table.rows} for table in inner]
        within += [
            table
            for table, length in zip(inner, lengths, strict=True)
            if len(outer) > 1 and len(length) == 1 and length != {1}
        ]
    if len(nested) == 1:
        return nested[0].clues
    good = nested or [table for table in split if fits(len(table.clues))]
    if len(good) > 1:
        _refuse(source, [], good)
    chosen = (good or sorted(split, key=lambda table: -len(table.clues)))[0]
    if within and not nested and len(chosen.clues) < _WALL:  # each clue holds another separator
        _refuse(source, [], [chosen, *within])
    return chosen.clues


def _of_lines(lines: list[str], split: list[_Table], source: str, fits: Fits) -> list[str]:
    """The clues of several lines: each is one, or is split as all are."""
    whole, few = _whole(lines), len(lines) < _FEW
    rivals = [table for table in split if table.mostly]
    if few and not rivals:
        words = _Table("blanks", [line.split() for line in lines])
        several = all(len(row) > 2 and not row[0].startswith('"') for row in words.rows)
        rivals = [words] if several else []
    good = [table for table in rivals if fits(len(table.clues))]
    even = [table for table in good if table.even]
    if fits(len(whole)):
        if few and len(even) == 1:
            if even[0].called == "blanks":
                tell(
                    f"{source}: read as {len(even[0].clues)} clues with blanks between them; for"
                    f" {len(whole)} clues, one a line, put each between quotes"
                )
            return even[0].clues
        if rivals and (few or good):
            _refuse(source, whole, rivals)
        return whole
    best = even or [table for table in good if table.called != "blanks"]
    if len(best) > 1:
        _refuse(source, [], best)
    apart = [table for table in rivals if table.called != "blanks"]
    return (best or sorted(apart, key=lambda table: -len(table.clues)) or [_Table("", [whole])])[0].clues


def _refuse(source: str, whole: Sequence[str], tables: Sequence[_Table]) -> NoReturn:
    ways = [f"{len(whole)} clues, one a line"] if whole else []
    ways += [f"{counted(len(table.clues), 'clue')} with {table.called} between them" for table in tables]
    raise UserError(
        f"{source}: got {' or '.join(ways)}, expected clues that can be read in one way; {_WRITE}"
    )


def _table(lines: Sequence[str], separator: str, unquote: bool = True) -> _Table:
    """Lines split at a separator; blanks around a clue and empty clues are left out."""
    rows = []
    for line in lines:
        cells = [cell.strip() for cell in _cells(line, separator, unquote)]
        rows.append([cell for cell in cells if cell])
    return _Table(_SEPARATORS[separator], rows)


def _cells(line: str, separator: str, unquote: bool = True) -> list[str]:
    """One line of CSV; a quote that is not closed is a letter, as all are without ``unquote``."""
    if unquote:
        try:
            return next(
                csv.reader([line.strip(" ")], delimiter=separator, skipinitialspace=True, strict=True)
            )
        except csv.Error:
            pass
    return line.split(separator)


def _whole(lines: Sequence[str]) -> list[str]:
    """Each line as one clue, without the quotes of CSV: where all have them or what is between needs them."""
    whole = [line.strip() for line in lines]
    inner = [_between_quotes(line) for line in whole]
    if all(text is not None for text in inner):
        return [text for text in inner if text]
    return [
        text if text is not None and any(letter in text for letter in (*_SEPARATORS, '"')) else line
        for line, text in zip(whole, inner, strict=True)
    ]


def _between_quotes(line: str) -> str | None:
    """What a line of one quoted cell holds; None of another line."""
    cells = _cells(line, "\x1f")
    quoted = len(line) > 2 and line[0] == line[-1] == '"' and len(cells) == 1 and cells[0] != line
    return cells[0].strip() if quoted else None


def _refuse_json(text: str, source: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        return  # a clue may begin with a bracket
    raise UserError(
        f"{source} is JSON: expected one clue a line, or one line with commas; a file of walls goes to "
        "'fourfold run dataset=ocw dataset.path=FILE'"
    )
