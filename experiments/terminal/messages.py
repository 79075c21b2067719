"""Messages of one line: how long they may be, the line on stderr, and numbers with their nouns."""

from __future__ import annotations

import sys

from ...errors import UserError
from ...masking import masked

_PREFIX = "fourfold: "
_WORD = 60  # letters of a word, such as a path, that stay as they are in a message that is too long
_GAP = " [...] "


def one_line(text: str, longest: int = UserError.longest) -> str:
    """``text`` in one line of at most ``longest`` letters.

    Of what is too long, long words lose their middle first, then the line does: what a message is about
    stands at its beginning, and what to do at its end.
    """
    text = masked(text)  # before its middle goes, by which a key would be known
    if len(text) > 100 * longest:  # a text of a billion letters takes no time either
        text = _without_middle(text, 50 * longest, "")
    line = " ".join(text.split())
    if len(line) > longest:
        line = " ".join(_without_middle(word, _WORD, "[...]") for word in line.split(" "))
    return _without_middle(line, longest, _GAP)


def tell(line: str, longest: int = UserError.longest) -> None:
    """A line on stderr that begins with the program's name, as ``one_line`` has it."""
    print(_PREFIX + one_line(line, longest - len(_PREFIX)), file=sys.stderr)


def _without_middle(text: str, longest: int, gap: str) -> str:
    if len(text) <= longest:
        return text
    left = longest - len(gap)
    end = left // 2
    return text[: left - end] + gap + text[len(text) - end :]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, as in 1 wall and 1,976 groups; ``plural`` is that of other nouns."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
