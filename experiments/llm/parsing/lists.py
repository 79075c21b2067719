"""The entries of a list in a reply, numbered or JSON, whatever form the model gave it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..chat import Json
from .text import json_values, without_fences, without_thoughts

# What a model may call an entry.
WORD = r"(?:problem|scenario|solution|answer|task|question|entry|item|no\.?|number)"
NUMBERED = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-+•>|][ \t]+)?(?:#+[ \t]*)?[*_]{0,3}[(\[]?[PQ]?(?P<number>\d{1,3})"
    r"(?:\\?[.)\]:．。、）：](?!\d)|[*_]+[.):]?(?=\s)|\ufe0f?\u20e3|[ \t]+[|–—-](?=\s)|$)[*_]*[ \t]*"
)
_TAG = re.compile(rf"</?{WORD}\b[^<>]*>", re.IGNORECASE)
_LABEL = re.compile(rf"^[\s*_]*{WORD}\s*(?:statement\s*)?:[\s*_]*", re.IGNORECASE)
_LABELLED = re.compile(
    rf"^(?P<indent>[ \t]*)(?:[-+•>#*_ \t])*{WORD}\s*#?\s*(?P<number>\d{{1,3}})"
    r"[*_]*(?:\s*[.):–—-](?!\d)[ \t*_]*|\s*$)",
    re.IGNORECASE,
)
_HASHED = re.compile(r"^(?P<indent>[ \t]*)#(?P<number>\d{1,3})\b[.):]?[ \t]*")
# What counts otherwise than by digits; taken only where all entries are there.
_LETTERED = re.compile(r"^(?P<indent>[ \t]*)[*_(]{0,3}(?P<letter>[a-z]|[A-Z])[.):][*_]*[ \t]+")
_WORDED = re.compile(
    rf"^(?P<indent>[ \t]*)[#*_ \t]*(?:(?i:{WORD})[ \t]+)?(?P<word>[IVX]+|[A-Z]?[a-z]+)"
    r"[*_]*[.):][*_]*(?:[ \t]+|$)"
)
_NUMBERS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_ROMAN = (
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi",
    "xvii", "xviii", "xix", "xx",
)  # fmt: skip
_INLINE = re.compile(r"(?:^|(?<=\s))[*_]{0,2}[(\[]?(?P<number>\d{1,3})[.)\]:][*_]{0,2}[ \t]+")
_TAGGED = re.compile(rf"<(?P<tag>{WORD}|li)\b[^<>]*>(?P<text>.*?)</(?P=tag)>", re.IGNORECASE | re.DOTALL)
_ANSWER_TAG = re.compile(r"<(/?)(?:answer|solution)\b[^<>]*>", re.IGNORECASE)
# Words to the reader behind the last entry.
_FAREWELL = re.compile(
    r"^\W*(?:let me know|i hope|hope (?:this|these)|feel free|would you like|if you (?:would|need|want))\b",
    re.IGNORECASE,
)
# A line that is a title: in bold letters as a whole, or with Markdown's mark of one.
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|(?:\*\*|__).*(?:\*\*|__)\s*$)")
_BULLET = re.compile(r"^(?P<indent>[ \t]*)[-+•*–][ \t]+")


def read_list(reply: str, wanted: int) -> dict[int, str]:
    """The entries of a reply by their number, each in one line.

    Parameters
    ----------
    reply
        A list as JSON, as ``1.``, ``1)``, ``(1)``, ``**Problem 1**`` and the like; or, with all that are
        wanted, by letters or words, in one line, between tags, as bullets or as paragraphs without numbers.
        What stands before the list and behind it is left out; of two lists as long the last one counts.
    wanted
        How many entries there should be; those with higher numbers are kept too.

    """
    if wanted > 1 and len(_ANSWER_TAG.findall(reply)) > 2:
        reply = _ANSWER_TAG.sub(r"<\1entry>", reply)  # one around each entry, not around the last answer
    text = without_fences(without_thoughts(reply))
    lines, written = text.splitlines(), from_json(text)
    for pattern in (_LABELLED, NUMBERED, _HASHED):
        found = _from_lines(lines, pattern, wanted)
        if len(found) > max(1, len(written)) or (found and not written and wanted == 1):
            if len(found) < wanted and (whole := _in_one_line(text, wanted)):
                return whole  # as behind a plan of some lines
            return _from_one(found, wanted)
    if written:
        return written
    tagged = [clean(found["text"]) for found in _TAGGED.finditer(text)]
    if whole := _in_one_line(text, wanted):
        return whole
    for parts in (_other_numbers(lines), tagged, _bullets(lines), _paragraphs(text)):
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
    outer = [head for head in heads if len(head[1]["indent"].expandtabs(4)) <= least]
    numbers = [int(match["number"]) for _, match in outer]
    if len(numbers) == wanted and set(numbers) == {1}:
        numbers = list(range(1, wanted + 1))  # as Markdown allows
    chain = _rising(numbers, wanted)
    ends = [outer[step][0] for step in chain[1:]] + [len(lines)]
    bodies = {
        numbers[step]: [lines[outer[step][0]][outer[step][1].end() :], *lines[outer[step][0] + 1 : end]]
        for step, end in zip(chain, ends, strict=True)
    }
    if all(_HEADING.match(lines[outer[step][0]]) and _goes_on(bodies[numbers[step]]) for step in chain):
        bodies = {number: body[1:] for number, body in bodies.items()}  # titles, with the entries below them
    return _joined(bodies)


def _goes_on(body: Sequence[str]) -> bool:
    return any(line.strip() for line in body[1:])


def _rising(numbers: Sequence[int], wanted: int) -> list[int]:
    """The places of the longest run of rising numbers, of several as long the last.

    A number follows the one before it, or skips some that should be there and are missing.
    """
    length, before = [1] * len(numbers), [-1] * len(numbers)
    first = list(numbers)  # the number with which the run ends that is best up to each place
    for place, number in enumerate(numbers):
        for earlier in range(max(0, place - 8 * wanted), place):
            last = numbers[earlier]
            follows = number == last + 1 or last < number < first[earlier] + wanted
            if follows and length[earlier] + 1 >= length[place]:
                length[place], before[place], first[place] = length[earlier] + 1, earlier, first[earlier]
    place = max(range(len(numbers)), key=lambda each: (length[each], each))
    chain = []
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]


def _other_numbers(lines: Sequence[str]) -> list[str]:
    """Entries that letters, Roman numbers or words count from the first on."""
    for pattern, group, names in (
        (_WORDED, "word", _ROMAN),
        (_WORDED, "word", _NUMBERS),
        (_LETTERED, "letter", tuple("abcdefghijklmnopqrstuvwxyz")),
    ):
        bodies: dict[int, list[str]] = {}
        for line in lines:
            match = pattern.match(line)
            next_name = names[len(bodies)] if len(bodies) < len(names) else None
            if match is not None and match[group].casefold() == next_name:
                bodies[len(bodies) + 1] = [line[match.end() :]]
            elif bodies:
                bodies[len(bodies)].append(line)
        if len(bodies) > 1:
            return list(_joined(bodies).values())
    return []


def _in_one_line(text: str, wanted: int) -> dict[int, str]:
    """All that are wanted, numbered from 1 on within lines, of several such lists the last; else none."""
    matches = list(_INLINE.finditer(text))
    for first in reversed([place for place, match in enumerate(matches) if match["number"] == "1"]):
        starts: list[re.Match[str]] = []
        for match in matches[first:]:
            if int(match["number"]) == len(starts) + 1:
                starts.append(match)
        if len(starts) == wanted:
            ends = [*(match.start() for match in starts[1:]), len(text)]
            return {
                number: clean(text[match.end() : end])
                for number, (match, end) in enumerate(zip(starts, ends, strict=True), 1)
            }
    return {}


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
        if _FAREWELL.match(line):
            break
        if not line.strip() or re.fullmatch(r"\s*(?:[-*_=]\s*){3,}", line):
            blocks.append([])
        else:
            blocks[-1].append(line.strip())
    return [" ".join(block) for block in blocks if block]


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
