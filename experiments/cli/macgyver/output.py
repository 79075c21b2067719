"""What the ``fourfold macgyver`` commands share: where the data is, and tables with the paper's numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table

from ...terminal.writing import cell
from ..table_output import rendered


def table_text(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> str:
    """A table with its title above; the first ``n_texts`` columns are texts, the others numbers."""
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
