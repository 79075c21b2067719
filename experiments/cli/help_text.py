"""Help that is written line by line, wrapped anew where the terminal is narrower than its lines."""

from __future__ import annotations

import re
import textwrap
from argparse import RawDescriptionHelpFormatter
from shutil import get_terminal_size

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
