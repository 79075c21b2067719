"""The entries of a numbered list in a reply, whatever form the model gave it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..language_models.chat import Json
from ..language_models.reply_text import json_values, without_fences, without_thoughts

_WORD = r"(?:problem|scenario|solution|answer|task|question|entry|item|no\.?|number)"
_LABELLED = re.compile(
    rf"^(?P<indent>[ \t]*)(?:[-+•>#*_ \t])*{_WORD}\s*#?\s*(?P<number>\d{{1,3}})"
    r"[*_]*(?:\s*[.):–—-](?!\d)[ \t*_]*|\s*$)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-+•>][ \t]+)?(?:#+[ \t]*)?[*_]{0,3}[(\[]?(?P<number>\d{1,3})"
    r"(?:[.)\]:](?!\d)|[*_]+[.):]?(?=\s)|$)[*_]*[ \t]*"
)
_BULLET = re.compile(r"^(?P<indent>[ \t]*)[-+•*–][ \t]+")
_LABEL = re.compile(rf"^[\s*_]*{_WORD}\s*(?:statement\s*)?:[\s*_]*", re.IGNORECASE)
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


def read_list(reply: str, wanted: int) -> dict[int, str]:
    """The entries of a reply by their number, each in one line.

    Parameters
    ----------
    reply
        A list as JSON, as ``1.``, ``1)``, ``(1)``, ``**Problem 1**`` and the like, or as ``wanted`` bullets
        or paragraphs without numbers. What stands before the list and behind it is left out.
    wanted
        How many entries there should be; those with higher numbers are kept too.

    """
    text = without_fences(without_thoughts(reply))
    lines, written = text.splitlines(), _from_json(text)
    for pattern in (_LABELLED, _NUMBERED):
        found = _from_lines(lines, pattern, wanted)
        if len(found) > max(1, len(written)) or (found and not written and wanted == 1):
            return _from_one(found, wanted)
    if written:
        return written
    for parts in (_bullets(lines), _paragraphs(text)):
        if len(parts) == wanted:
            return dict(enumerate(parts, 1))
    return {}


def _from_one(found: dict[int, str], wanted: int) -> dict[int, str]:
    """Numbers that go on from an earlier list, such as 16 to 30, counted from 1."""
    first = min(found)
    whole = len(found) == wanted and max(found) - first == wanted - 1
    return {number - first + 1: text for number, text in found.items()} if whole else found


def _from_lines(lines: Sequence[str], pattern: re.Pattern[str], wanted: int) -> dict[int, str]:
    """Entries that begin on lines with rising numbers and the least indentation of all such lines.

    A number that skips more than there should be is none of an entry, such as a measure.
    """
    heads = [(place, match) for place, line in enumerate(lines) if (match := pattern.match(line)) is not None]
    if not heads:
        return {}
    least = min(len(match["indent"].expandtabs(4)) for _, match in heads)
    last = 0
    starts: list[tuple[int, re.Match[str]]] = []
    for place, match in heads:
        number = int(match["number"])
        indent = len(match["indent"].expandtabs(4))
        if indent <= least and number > last and (not starts or number - last <= wanted):
            starts.append((place, match))
            last = number
    ends = [place for place, _ in starts[1:]] + [len(lines)]
    bodies = {
        int(match["number"]): [lines[place][match.end() :], *lines[place + 1 : end]]
        for (place, match), end in zip(starts, ends, strict=True)
    }
    return _joined(bodies)


def _joined(bodies: dict[int, list[str]]) -> dict[int, str]:
    """Each entry's lines as one; of the last entry, no more paragraphs than the others have at most."""
    numbers = list(bodies)
    blocks = {number: _blocks(lines) for number, lines in bodies.items()}
    if len(numbers) > 1:
        most = max(len(blocks[number]) for number in numbers[:-1])
        blocks[numbers[-1]] = blocks[numbers[-1]][: max(most, 1)]
    found = {number: clean(" ".join(parts)) for number, parts in blocks.items()}
    return {number: text for number, text in found.items() if text}


def _blocks(lines: Sequence[str]) -> list[str]:
    """Paragraphs; lines that only part entries from each other are none."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line.strip() or re.fullmatch(r"\s*(?:[-*_=]\s*){3,}", line):
            blocks.append([])
        else:
            blocks[-1].append(line.strip())
    return [" ".join(block) for block in blocks if block]


def clean(text: str) -> str:
    """An entry in one line, without a label such as ``Problem:`` and without marks of bold letters."""
    one = " ".join(text.split())
    one = _LABEL.sub("", one)
    one = re.sub(r"\*\*(?P<bold>[^*]+)\*\*", r"\g<bold>", one)
    return one.strip().strip("*_").strip()


def _bullets(lines: Sequence[str]) -> list[str]:
    parts: list[list[str]] = []
    for line in lines:
        match = _BULLET.match(line)
        if match is not None and not match["indent"]:
            parts.append([line[match.end() :]])
        elif parts and line.strip() and line[:1].isspace():
            parts[-1].append(line)
    return [text for part in parts if (text := clean(" ".join(part)))]


def _paragraphs(text: str) -> list[str]:
    return [found for part in re.split(r"\n[ \t]*\n", text) if (found := clean(part))]


def _from_json(text: str) -> dict[int, str]:
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
            if (match := re.fullmatch(rf"\s*(?:{_WORD}[\s_]*)?(\d{{1,3}})\.?\s*", str(key), re.IGNORECASE))
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
        return clean(_NUMBERED.sub("", member, count=1))
    if isinstance(member, dict):
        plain = {str(key).strip().casefold(): inner for key, inner in member.items()}
        for key in _KEYS:
            if isinstance(plain.get(key), str):
                return clean(plain[key])
    return ""


def _own_number(member: Json) -> int | None:
    if isinstance(member, dict):
        for key in ("id", "number", "no", "index"):
            value = member.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None
