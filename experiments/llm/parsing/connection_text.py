"""A connection without what its writer put around it: marks come off in pairs, and only around the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“”", "‘": "’", "«": "»", "「": "」"}
_BRACKETS = {"(": ")", "[": "]"}
_BLANK = re.compile(r"[_\s.…–—-]*")
_STRONG = re.compile(r"(?<!\*)\*\*(?=[^\s*])(.+?)(?<=\S)\*\*(?!\*)")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=\S)\*(?![\w*])")
# Full stops that are a word's own.
_ABBREVIATED = re.compile(
    r"(?:\b\w\.\w|\b(?:mr|mrs|ms|dr|st|jr|sr|co|inc|ltd|etc|vs|no|prof|rev|e\.g))\.$", re.I
)


def without_emphasis(text: str) -> str:
    """The text without the asterisks around what is bold or in italics; other asterisks stay."""
    return _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))


def tidied(text: str) -> str:
    """A connection without emphasis, brackets and a full stop around it; "" for a blank not filled in.

    Quotes stay: see ``unquoted``.
    """
    text = _without_stop(without_emphasis(text.strip(" \t|")).strip())
    if len(text) > 1 and text[-1] == "," and text[-2] in "\"'”’":
        text = text[:-1]  # a line of JSON
    for opened, closed in _BRACKETS.items():
        end = _end_of(text, opened, closed)
        if text.startswith(opened) and end in (-1, len(text) - 1):
            text = text[1 : end if end > 0 else None].strip()
        elif text.endswith(closed) and text.count(closed) == text.count(opened) + 1:
            text = text[:-1].strip()  # what opened it stood before the connection
    if text.count('"') == 1 and (text[0] == '"' or re.search(r'[^\d\s]"$', text)):
        text = text.strip('"').strip()  # half of a pair; after a digit it is inches
    return "" if _BLANK.fullmatch(text) else text


def unquoted(found: Sequence[str]) -> list[str]:
    """Connections of one reply without the quotes around them, where those are the reply's way to write them.

    Quotes around one of several are its own, as in "R" beside three without any.
    """
    inner = [_inside(text) for text in found]
    n_quoted = sum(text is not None for text in inner)
    if n_quoted < 2 and n_quoted < sum(bool(text) for text in found):
        return list(found)
    bare = [
        _without_stop(more) if more is not None else text for more, text in zip(inner, found, strict=True)
    ]
    return ["" if _BLANK.fullmatch(text) else text for text in bare]


def bare_line(line: str) -> str:
    """A line without the quotes around the whole of it."""
    inner = _inside(line)
    return line if inner is None else inner


def _inside(text: str) -> str | None:
    """What a pair of quotes holds that opens with the text and closes with it; None where none does."""
    text = text.strip()
    closing = _CLOSING.get(text[:1])
    if len(text) < 3 or closing is None or text[-1] not in closing:
        return None
    depth = 0
    for place, letter in enumerate(text):
        before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 2]
        if letter == '"' and before.isdigit() and after and text.count('"') % 2:
            continue  # inches
        if letter == text[0] and (letter not in closing or _opens(before, after, place, text)):
            depth += 1
        elif letter in closing and not (letter in "'’" and before.isalnum() and after.isalnum()):
            depth -= 1
        if depth == 0 and place < len(text) - 1:
            return None
    return text[1:-1].strip() if depth <= 0 else None


def _opens(before: str, after: str, place: int, text: str) -> bool:
    """Whether a quote that looks the same at both ends is the one that opens."""
    if not after.strip():
        return False
    return place == 0 or before.isspace() or before in "([-/" or set(text[:place]) <= {text[0]}


def _end_of(text: str, opened: str, closed: str) -> int:
    """Where the bracket closes with which the text begins; -1 where it does not."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == opened) - (letter == closed)
        if depth == 0:
            return place
    return -1


def _without_stop(text: str) -> str:
    if re.search(r"(?<!\.)\.\.$", text) or (re.search(r"(?<!\.)\.$", text) and not _ABBREVIATED.search(text)):
        return text[:-1].rstrip()
    return text
