"""One entry of a list in a reply: what it may begin with, and its text without such marks."""

from __future__ import annotations

import re

# What a model may call an entry.
WORD = r"(?:problem|scenario|solution|answer|task|question|entry|item|no\.?|number)"
NUMBERED = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-+•>|][ \t]+)?(?:#+[ \t]*)?[*_]{0,3}[(\[]?[PQ]?(?P<number>\d{1,3})"
    r"(?:\\?[.)\]:．。、）：](?!\d)|[*_]+[.):]?(?=\s)|\ufe0f?\u20e3|[ \t]+[|–—-](?=\s)|$)[*_]*[ \t]*"
)
_TAG = re.compile(rf"</?{WORD}\b[^<>]*>", re.IGNORECASE)
_LABEL = re.compile(rf"^[\s*_]*{WORD}\s*(?:statement\s*)?:[\s*_]*", re.IGNORECASE)


def clean(text: str) -> str:
    """An entry in one line, without a label such as ``Problem:`` and without marks of bold letters."""
    one = " ".join(text.split())
    one = _LABEL.sub("", _TAG.sub("", one))
    one = one.removesuffix("|").strip()
    one = re.sub(r"\*\*(?P<bold>[^*]+)\*\*", r"\g<bold>", one)
    one = re.sub(
        r"^(?P<title>[^*]{1,99}?)[:.]?\*\*[:.]?\s+", r"\g<title>: ", one
    )  # bold from before its number on
    return one.strip().strip("*_").strip()
