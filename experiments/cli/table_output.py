"""Prints tables; where stdout is not a terminal, as wide as the table needs."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console, RenderableType

from ..runs.encoder.record import Record
from ..tables.results import footer, results_sheet
from ..tables.sheet import Sheet, fitted
from ..terminal.writing import own, safe_console

FILE_WIDTH = 120


def print_table(record: Record, folder: Path, fresh: bool = True) -> None:
    """A record's table, then where the time went and where the record is, on stdout."""
    print(rendered(fitted(results_sheet(record), _console())))
    print(footer(record, folder, fresh))


def sheet_text(sheet: Sheet, colour: bool = True) -> str:
    """A sheet as a terminal shows it; without ``colour``, as a file holds it."""
    console = (
        _console() if colour else safe_console(width=FILE_WIDTH, color_system=None, force_terminal=False)
    )
    return _text(fitted(sheet, console), console)


def rendered(what: RenderableType) -> str:
    """What rich can show, as stdout shows it."""
    return _text(what, _console())


def _text(what: RenderableType, console: Console) -> str:
    with console.capture() as text:
        console.print(what)
    return own(text.get().rstrip("\n"))


def _console() -> Console:
    console = safe_console()
    return console if console.is_terminal else safe_console(width=FILE_WIDTH)
