"""Prints a record's table; where stdout is no terminal, as wide as the table needs."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from ..record import Record
from ..results_table import footer, results_table

FILE_WIDTH = 120


def print_table(record: Record, folder: Path) -> None:
    """The table, then where the time went and where the record is, on stdout."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=FILE_WIDTH)
    with console.capture() as text:  # printed below, since rich would swallow a broken pipe
        console.print(results_table(record))
        console.print(Text(footer(record, folder)), soft_wrap=True)
    print(text.get(), end="")
