"""Words for messages and tables that more than one place says."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, as in 1 wall and 1,976 groups; ``plural`` is that of other nouns."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
