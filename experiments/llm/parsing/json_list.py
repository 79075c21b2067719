"""The entries of a list that a reply gives as JSON."""

from __future__ import annotations

import re

from ..chat import Json
from .list_entry import NUMBERED, WORD, clean
from .text import json_values

_KEYS = (
    "problem",
    "text",
    "solution",
    "answer",
    "question",
    "scenario",
    "statement",
    "description",
    "content",
)


def from_json(text: str) -> dict[int, str]:
    """The longest list in the reply's JSON."""
    found: dict[int, str] = {}
    loose: list[Json] = []
    for value in json_values(text):
        one = _entries(value)
        if len(one) > len(found):
            found = one
        if isinstance(value, dict):
            loose.append(value)
    lines = _entries(loose)  # an object a line
    return lines if len(lines) > len(found) else found


def _entries(value: Json) -> dict[int, str]:
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list | dict) and (inner := _entries(value[0])):
            return inner
        found: dict[int, str] = {}
        for place, member in enumerate(value, 1):
            text = _entry(member)
            if text:
                found[_own_number(member) or place] = text
        return found
    if isinstance(value, dict):
        numbered = {
            int(match[1]): text
            for key, inner in value.items()
            if (match := re.fullmatch(rf"\s*(?:{WORD}[\s_]*)?(\d{{1,3}})\.?\s*", str(key), re.IGNORECASE))
            and (text := _entry(inner))
        }
        if len(numbered) > 1:
            return numbered
        for inner in value.values():
            if isinstance(inner, list | dict) and len(inner) > 1 and (found := _entries(inner)):
                return found
    return {}


def _entry(member: Json) -> str:
    if isinstance(member, str):
        return clean(NUMBERED.sub("", member, count=1))
    if isinstance(member, dict):
        plain = {str(key).strip().casefold(): inner for key, inner in member.items()}
        for key in _KEYS:
            if isinstance(plain.get(key), str):
                return clean(plain[key])
        if len(plain) == 1 and isinstance(only := next(iter(plain.values())), str):
            return clean(only)
    return ""


def _own_number(member: Json) -> int | None:
    if isinstance(member, dict):
        for key in ("id", "number", "no", "index"):
            value = member.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None
