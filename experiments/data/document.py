"""A JSON document that knows where it came from, so that what is wrong can be named in one line.

JSON lines are a list, of which each line is an entry. This file knows nothing about walls' layouts; those are
in `ocw.py` and `nyt.py`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, TypeAlias

from ...errors import UserError

Json: TypeAlias = "bool | str | list[Json] | dict[str, Json] | Unread | None"

_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_SHOWN = 60  # characters of a value that a message quotes
_LINES = (".jsonl", ".ndjson")  # names of JSON lines; other files are known by their content


class Number(str):
    """A JSON number, kept as the text that the file holds: 8.5, 7.0 and 1e3 stay as written."""

    __slots__ = ()


class _Repeating(dict[str, Json]):
    """An object whose text holds a key twice. Plain `json` would drop the first value in silence."""

    __slots__ = ("key",)
    key: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A line of JSON lines that is not JSON: what it is, and what to do."""

    got: str
    fix: str


class PlaceError(UserError):
    """A ``UserError`` about one place of a document.

    ``place`` is that of the wall, without the file, and ``said`` what was got and what was expected.
    """

    def __init__(self, message: str, place: str, said: str) -> None:
        super().__init__(message)
        self.place, self.said = place, said


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    keys = [key for key, _ in pairs]
    repeating = _Repeating(made)
    repeating.key = next(key for key in keys if keys.count(key) > 1)
    return repeating


def one_line(text: str) -> str:
    """The text with line breaks and other unprintable characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def brief(text: str) -> str:
    """The text in one line, cut short for a message."""
    line = one_line(text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def shown(value: Json) -> str:
    """A short, one-line form of a JSON value for a message."""
    if isinstance(value, Number):
        return f"the number {brief(value)}"
    if isinstance(value, dict):
        return f"an object with {listed(value)}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    text = one_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + '..."'


def listed(names: Iterable[str]) -> str:
    """Names for a message, at most eight of them."""
    quoted = [f'"{brief(name)}"' for name in names]
    return ", ".join(quoted[:8]) + (f" and {len(quoted) - 8} more" if len(quoted) > 8 else "")


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the document together with its place: the file, the wall and the field."""

    value: Json
    file: str
    wall: str = ""
    field: str = ""
    lines: tuple[int, ...] | None = None  # of JSON lines, the number of each entry's line

    def fail(self, got: str, expected: str, fix: str) -> NoReturn:
        """Raise the PlaceError for this place."""
        field = self.field and f"field {self.field}"
        place = ", ".join(part for part in (self.file, self.wall, field) if part)
        said = f"got {got}, expected {expected}"
        raise PlaceError(
            one_line(f"{place}: {said}; {fix}"), self.wall, one_line(f"{field}: {said}" if field else said)
        )

    def entries(self, noun: str) -> list["Node"]:
        """The members of a list, each called by its number, or by its line in JSON lines."""
        return [
            entry.in_wall(f"wall number {number}" if self.lines is None else f"line {self.lines[number - 1]}")
            for number, entry in enumerate(self.items(noun), start=1)
        ]

    def in_wall(self, wall: str) -> "Node":
        """The same value, from here on reported as part of this wall."""
        return replace(self, wall=wall, field="", lines=None)

    def keys(self, expected: str) -> list[str]:
        """The keys of an object; anything else is an error that says what was expected."""
        if isinstance(self.value, Unread):
            self.fail(self.value.got, "an object on each line", self.value.fix)
        if not isinstance(self.value, dict):
            self.fail(shown(self.value), expected, "write an object in braces")
        if isinstance(self.value, _Repeating):
            self.fail(f'the key "{self.value.key}" twice', "each key once", "rename or remove one of them")
        return list(self.value)

    def find(self, key: str) -> "Node | None":
        """The value under a key that may be missing or null."""
        if key not in self.keys("an object"):
            return None
        node = self.get(key)
        return None if node.value is None else node

    def get(self, key: str) -> "Node":
        """The value under a key that must be there."""
        keys = self.keys(f'an object with the key "{key}"')
        field = f"{self.field}.{key}" if self.field else key
        if not isinstance(self.value, dict) or key not in self.value:
            missing = replace(self, field=field)
            missing.fail(
                f"no such key, only {listed(keys)}" if keys else "an empty object",
                f'the key "{key}"',
                "add it, or correct its spelling",
            )
        return replace(self, value=self.value[key], field=field)

    def items(self, noun: str, count: int | None = None) -> list["Node"]:
        """The members of a list, of a fixed length if `count` is given."""
        expected = f"a list of {noun}" if count is None else f"a list of {count} {noun}"
        if not isinstance(self.value, list):
            self.fail(shown(self.value), expected, "write a list in brackets")
        if count is not None and len(self.value) != count:
            n_items = len(self.value)
            fix = "add what is missing" if n_items < count else "take out what is too much"
            self.fail(f"{n_items} {noun}", f"{count}", fix)
        return [
            replace(self, value=value, field=f"{self.field}[{number}]", lines=None)
            for number, value in enumerate(self.value)
        ]

    def text(self, noun: str) -> str:
        """A text that shows something; a number is read as the text that the file holds."""
        if not isinstance(self.value, str):
            self.fail(shown(self.value), f"{noun} as text", "write it in quotation marks")
        if any("\ud800" <= c <= "\udfff" for c in self.value):
            self.fail(shown(self.value), f"{noun} in valid Unicode", "mend the half surrogate pair")
        if not any(c.isprintable() and not c.isspace() for c in self.value):
            self.fail(
                f"the blank text {shown(self.value)}", f"{noun} that can be read", "write it out in full"
            )
        return str(self.value)

    def integer(self, noun: str, low: int, high: int | None = None) -> int:
        """A whole number not below `low` nor above `high`."""
        bounds = f"from {low} to {high}" if high is not None else f"from {low} up"
        digits = self.value.removeprefix("-") if isinstance(self.value, Number) else ""
        if digits.isdigit() and len(digits) <= 9:
            number = int(str(self.value))
            if number >= low and (high is None or number <= high):
                return number
        self.fail(shown(self.value), f"{noun} as a whole number {bounds}", "correct it")


def load(path: Path) -> Node:
    """Read a JSON file in UTF-8, with or without a byte order mark. Raise UserError if that fails."""
    root = Node(None, str(path))
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        root.fail("no such file", "a JSON file of walls", "check the path")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        root.fail(
            f"the system's answer {reason!r}", "a readable JSON file", "check the path and its permissions"
        )
    return parse(raw, str(path))


def parse(raw: bytes, file: str) -> Node:
    """Read the bytes of a JSON file; `file` is how messages name it. Raise UserError if that fails."""
    root = Node(None, file)
    for mark, encoding in _OTHER_BOMS:
        if raw.startswith(mark):
            root.fail(f"a file in {encoding}", "UTF-8", "save it as UTF-8")
    raw = raw.removeprefix(_BOM)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        root.fail(f"the byte 0x{raw[error.start]:02x} on line {line}", "UTF-8", "save the file as UTF-8")
    if not text.strip():
        root.fail("an empty file", "JSON", "check that its download or copy was complete")
    try:
        value = _loaded(text)
    except json.JSONDecodeError as error:
        lines = _json_lines(text, always=Path(file).suffix.lower() in _LINES)
        if lines is not None:
            return replace(root, value=list(lines.values()), lines=tuple(lines))
        unread = _unread(text, error)
        root.fail(unread.got, "complete JSON", unread.fix)
    except RecursionError:
        root.fail("brackets nested too deeply", "a JSON file of walls", "check the path")
    return replace(root, value=value)


def _loaded(text: str) -> Json:
    value: Json = json.loads(
        text, parse_int=Number, parse_float=Number, parse_constant=Number, object_pairs_hook=_object
    )
    return value


def _unread(text: str, error: json.JSONDecodeError, line: int = 0) -> Unread:
    """What a text is that is not JSON; ``line`` is its number where it is one of JSON lines."""
    cut = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
    what = (
        ("a line that breaks off" if line else "a file that breaks off") if cut else f"a fault ({error.msg})"
    )
    return Unread(
        f"{what} at line {line or error.lineno} column {error.colno}",
        "fetch or copy the file again" if cut else "correct it there",
    )


def _json_lines(text: str, always: bool) -> dict[int, Json] | None:
    """The entries of JSON lines by the numbers of their lines; None for a text that is another thing.

    Where the name does not say so, at least half of the lines must be objects: of a faulty JSON document with
    an entry a line, which end in commas, at most the last one is.
    """
    values: dict[int, Json] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values[number] = _loaded(line)
        except json.JSONDecodeError as error:
            values[number] = _unread(line, error, number)
        except RecursionError:
            values[number] = Unread("brackets nested too deeply", "correct it there")
    n_objects = sum(isinstance(value, dict) for value in values.values())
    return values if always or 0 < len(values) <= 2 * n_objects else None
