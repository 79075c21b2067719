"""Lines of CSV, for programs and for spreadsheets, in which no text becomes a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

# What a spreadsheet takes for the beginning of a formula, in half width and in full.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_text(heads: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    """The lines under their heads, without a newline at the end; what a line lacks, or is None, is empty.

    A text that a spreadsheet would calculate, such as a title of ``=1+1``, has an apostrophe before it, as
    spreadsheets write text themselves. Numbers stay numbers.
    """
    written: list[str] = []
    # With this end of a line, a carriage return in a text is quoted too.
    end = "\r\n"
    writer = csv.DictWriter(SimpleNamespace(write=written.append), heads, restval="", lineterminator=end)
    writer.writeheader()
    writer.writerows({head: no_formula(value) for head, value in line.items()} for line in lines)
    return "\n".join(line.removesuffix(end) for line in written)


def no_formula(value: Any) -> Any:
    """A text that a spreadsheet would calculate with an apostrophe before it; None is an empty text."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value
