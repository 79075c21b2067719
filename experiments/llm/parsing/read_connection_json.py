"""Reading connections in a JSON value, each with its group where the value says which it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..chat import Json
from .connection_text import bare_line, tidied
from .solved_groups import NUMBER, SolvedGroups
from .wall_clues import WallClues

_KEYS = ("connection", "category", "theme", "link", "name", "answer", "description")
_NUMBER_KEYS = ("group", "number", "id", "set", "index", "no", "#")
# Names of fields, which are no connections.
_FIELD = re.compile(
    r"(?:the[\s_]?)?(?:solved[\s_]?)?(?:connections?|groups?|groupings?|sets?|categor(?:y|ies)|answers?|solutions?|"
    r"results?|outputs?|responses?|clues?|words?|items?|members?|lines?|walls?|names?|links?|themes?|data|list)"
    r"[\s_#-]*(?:\d+|[a-d])?|[\W_]*(?:\d+|[a-d])",
    re.IGNORECASE,
)
_GROUP_KEY = re.compile(r"(?:group|set|connection|category|line)?[\s_#-]*([1-9])", re.IGNORECASE)


def read_connection_json(value: Json, solved: SolvedGroups) -> list[tuple[int | None, str]]:
    """Each connection with its group, or None; "" where a group's clues stand without one."""
    return list(_pairs(value, solved))


def _pairs(value: Json, solved: SolvedGroups) -> Iterator[tuple[int | None, str]]:
    if isinstance(value, str):
        yield from _of_text(value, solved)
    elif isinstance(value, list):
        group = _group_of(value, solved)
        if group is not None:
            yield group, ""
        else:
            for inner in value:
                yield from _pairs(inner, solved)
    elif isinstance(value, dict):
        yield from _of_object(value, solved)


def _of_text(text: str, solved: SolvedGroups) -> Iterator[tuple[int | None, str]]:
    """The connections in a text, which may be a line as one is asked for, or several."""
    lines = [part for line in text.split("\n") if line.strip() for part in solved.parts(line)]
    for line in lines or [text]:
        bare = NUMBER.sub("", bare_line(line))
        group = solved.group_of(bare)
        if group is not None:
            yield group, solved.rest(bare, group)
        else:
            named = solved.named(bare) if solved.begins_named(bare) else None
            # Quotes around a connection alone may be its own.
            yield None, tidied(NUMBER.sub("", line)) if named is None else named


def _of_object(value: Mapping[str, Json], solved: SolvedGroups) -> Iterator[tuple[int | None, str]]:
    named = [key for key in value if str(key).lower() in _KEYS and isinstance(value[key], str)]
    groups = {key: group for key, inner in value.items() if (group := _group_of(inner, solved)) is not None}
    if named:
        ((own, text), *_) = _of_text(value[named[0]], solved)
        beside = [group for key, group in groups.items() if key != named[0]]
        numbers = [
            value[key] - 1 for key in value if key.lower() in _NUMBER_KEYS and _is_group(value[key], solved)
        ]
        yield next((each for each in (*beside, own, *numbers) if each is not None), None), text
    elif groups and any(not _FIELD.fullmatch(key) for key in groups):
        for key, group in groups.items():  # connections as names of their groups' clues
            yield group, tidied(key)
    else:
        for key, inner in value.items():
            group = solved.group_of(key) if isinstance(inner, str) else None
            pairs = list(_pairs(inner, solved))
            if group is None and len(pairs) == 1:
                group = _of_key(key, solved)
            for own, text in pairs:
                yield group if own is None else own, text


def _of_key(key: str, solved: SolvedGroups) -> int | None:
    """The group that a key has the number of."""
    found = _GROUP_KEY.fullmatch(key)
    return int(found[1]) - 1 if found and int(found[1]) <= len(solved) else None


def _is_group(value: Json, solved: SolvedGroups) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= len(solved)


def _group_of(value: Json, solved: SolvedGroups) -> int | None:
    """The group whose clues a list or a text holds, and nothing else."""
    if isinstance(value, list):
        texts = [str(each) for each in value if isinstance(each, str | int | float)]
        if len(texts) < len(value):
            return None
        if len(texts) > 1 and (part := solved.group_with(texts)) is not None:
            return part
    elif isinstance(value, str):
        texts = [value]
    else:
        return None
    group = solved.group_of(", ".join(texts))
    if group is None:
        return None
    wall = WallClues(solved.clues[group])
    if isinstance(value, list):
        return group if sum(wall.find(text) is not None for text in texts) * 2 >= len(texts) else None
    return None if solved.rest(value, group) else group
