"""Reading the four connections in a model's reply, in whatever form it wrote them: lines or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ...data.wall import N_GROUPS
from ..chat import Json
from .clues import WallClues, loose
from .question import Question
from .solved_groups import NUMBER, SolvedGroups, bare_line, numbered, tidied, unquoted, without_emphasis
from .text import is_json, json_values, without_fences, without_thoughts

_BULLET = re.compile(r"^\s*(?:>\s*)*(?:[-*+•]\s+|#{1,6}\s+|\(?\d{1,2}[.):]\s+)+")
_FINAL = re.compile(
    r"^[^\w\n{\[\x22']*(?:(?:my|the|so|and)\s+)*(?:final\s+(?:answer|connections?)|solved\s+wall|answer|solution)\b"
    r"[^\n:]{0,40}[:：]?[^\w\n\[({]*$",
    re.IGNORECASE | re.MULTILINE,
)
# A heading over the whole answer.
_HEADING = re.compile(
    r"\W*(?:(?:the|my|four|solved|final)\s+)*(?:groups?|walls?|connections?|answers?|clues?)\W*",
    re.IGNORECASE,
)
_MOST_LINES = 400
_MOST_LETTERS = 1_000
_LONGEST = 8  # words of a connection that stands on a line without any mark

Pairs: TypeAlias = list[tuple[int | None, str]]


def read_connections(
    reply: str, groups: Sequence[Sequence[str]], question: Question | None = None
) -> list[str]:
    """Four connections in the order of the groups; "" for each that is not there.

    Lines and JSON that repeat a group's clues are taken for that group, whatever their order; else
    connections are taken in the order in which they stand, the first four of them. What the reply repeats of
    its ``question`` is not a connection.
    """
    solved = SolvedGroups(groups, () if question is None else question.labels)
    texts = _found(without_thoughts(reply), solved, question)
    if question is not None:
        own = {*question.lines, *map(loose, question.labels)}
        texts = ["" if loose(text) in own else text for text in texts]
    texts = unquoted(texts[:N_GROUPS])
    return [*texts, *[""] * (N_GROUPS - len(texts))]


def _found(text: str, solved: SolvedGroups, question: Question | None) -> list[str]:
    of_json: Pairs = []
    for value in json_values(text):
        pairs = read_connection_json(value, solved)
        if len(pairs) > 1 and any(name for _, name in pairs):
            return in_order(pairs, len(solved))
        of_json += pairs  # an object of its own for each group
    n_groups = sum(group is not None for group, _ in of_json)
    if any(name for _, name in of_json) or n_groups > 1 or len(of_json) >= N_GROUPS:
        return in_order(of_json, len(solved))
    if is_json(text):
        return []  # such as the clues of one group
    lines = [part for line in _lines(without_fences(text), solved) for part in solved.parts(line)]
    if question is not None:
        lines = _without_copies(lines, solved, question)
    if (listed := _below_copies(lines, solved)) is not None:
        return listed
    by_clues = _by_clues(lines, solved)
    return _as_they_stand(lines, solved) if by_clues is None else by_clues


def in_order(pairs: Pairs, n_groups: int) -> list[str]:
    """Connections by their groups; those without one in the places where they stand, if they are free."""
    by_group: dict[int, str] = {}
    for group, text in pairs:
        if group is not None and (text or group not in by_group):
            by_group[group] = text  # the last one, where a model thinks twice
    if not by_group:
        return [text for _, text in pairs]
    if len(pairs) == n_groups:
        for place, (group, text) in enumerate(pairs):
            if group is None:
                by_group.setdefault(place, text)
    return [by_group.get(number, "") for number in range(n_groups)]


def _lines(text: str, solved: SolvedGroups) -> list[str]:
    finals = [match for match in _FINAL.finditer(text) if not solved.names_clues(match[0])]
    if finals and text[finals[-1].end() :].strip():
        text = text[finals[-1].end() :]
    lines = [line.strip()[:_MOST_LETTERS] for line in text.split("\n") if line.strip()]
    lines = [line for line in lines[-_MOST_LINES:] if not re.fullmatch(r"[|:\-\s=*_]+", line)]
    lines = [without_emphasis(line) for line in lines]
    return [line for line in lines if not _HEADING.fullmatch(line)] if len(lines) > N_GROUPS else lines


def _without_copies(lines: Sequence[str], solved: SolvedGroups, question: Question) -> list[str]:
    """The lines that are not the question's own; of those with clues, the clues stay."""
    kept = []
    for place, line in enumerate(lines):
        key = loose(line)
        copied = key in question.lines
        if place == len(lines) - 1:  # the last one may be cut short
            copied = copied or any(own.startswith(key) for own in question.lines)
        group = _bare(line, solved)[1]
        if not copied:
            kept.append(line)
        elif group is not None:
            kept.append(", ".join(solved.clues[group]))
    return kept


def _bare(line: str, solved: SolvedGroups) -> tuple[str, int | None]:
    """A line without what numbers or quotes it, and its group."""
    bare = bare_line(_BULLET.sub("", line))
    return bare, solved.group_of(bare)


def _below_copies(lines: Sequence[str], solved: SolvedGroups) -> list[str] | None:
    """The connections listed below all groups' clues, in the order of these; None where it is not so."""
    bare = [_bare(line, solved) for line in lines]
    places = [place for place, (_, group) in enumerate(bare) if group is not None]
    copied = [group for _, group in bare if group is not None]
    more = [text for text, group in bare if group is not None and solved.rest(text, group)]
    if len(copied) != len(solved) or len({*copied}) != len(solved):
        return None
    if more or places[-1] - places[0] != len(solved) - 1:
        return None
    texts = _as_they_stand(lines[places[-1] + 1 :], solved)
    if len(texts) < len(solved):
        return None
    return [texts[copied.index(number)] for number in range(len(solved))]


def _by_clues(lines: Sequence[str], solved: SolvedGroups) -> list[str] | None:
    """The connections on, above or below lines that hold a group's clues; None where there are no such."""
    texts: dict[int, str] = {}
    labelled: set[int] = set()  # groups whose connection stands behind a label
    above: dict[int, str] = {}  # what stands on the line before the clues
    below: dict[int, str] = {}  # and behind them
    group: int | None = None
    last = ""
    for line in lines:
        bare, here = _bare(line, solved)
        if here is not None:
            group = here
            above.setdefault(here, last)
            last = ""
            if rest := solved.rest(bare, here):
                texts[here] = rest  # the last one, where a model thinks twice
                if solved.named(bare):
                    labelled.add(here)
        elif group is not None and solved.begins_named(bare):
            named = solved.named(bare)
            if named and group not in labelled:
                texts[group] = named
                labelled.add(group)
        else:
            last = tidied(NUMBER.sub("", bare)) or last
            if group is not None and last:
                below.setdefault(group, last)
    if not above:
        return None
    if not texts:
        first, end = next(iter(above)), list(above)[-1]
        texts = below if below.get(end) and _introduces(above[first]) else above
    elif len(above) == 1 and len(lines) >= N_GROUPS and not labelled:
        return None  # a list of connections, one of which names clues
    return [texts.get(number, "") for number in range(len(solved))]


def _introduces(line: str) -> bool:
    """Whether a line is not a connection of the group below it, but says what follows."""
    return not line or line.endswith((":", ".", "!")) or len(line.split()) > _LONGEST


def _as_they_stand(lines: Sequence[str], solved: SolvedGroups) -> list[str]:
    """The connections of a reply that repeats no clues."""
    named = [
        (line, text)
        for line in lines
        if (text := solved.named(line)) is not None and (text or solved.begins_named(line))
    ]
    texts = [text for _, text in named]
    if sum(map(bool, texts)) > 1 or (any(texts) and len(lines) < N_GROUPS):
        return _by_number([line for line, _ in named], texts)
    cells = [(line, row) for line in lines if (row := _cells(line))]
    if len(cells) >= N_GROUPS:
        return [row[-1] for _, row in cells[-N_GROUPS:]]
    listed = [line for line in lines if NUMBER.match(line)]
    if len(listed) < N_GROUPS:
        listed = [line for line in lines if _BULLET.match(line)] or listed
    if not listed:
        listed = list(lines) if len(lines) == N_GROUPS else [x for x in lines if not x.endswith((":", "?"))]
        if len(listed) < N_GROUPS:  # a sentence or two, and no list
            listed = [
                line for line in listed if len(line.split()) <= _LONGEST and not line.endswith((".", "!"))
            ]
    return _by_number(listed, [_rest(line, solved) for line in listed])


def _rest(line: str, solved: SolvedGroups) -> str:
    """A connection that stands alone, without the clues that it may name beside it."""
    bare = _BULLET.sub("", NUMBER.sub("", line))
    group = solved.group_of(bare)
    return tidied(bare) if group is None else solved.rest(bare, group)


def _by_number(lines: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Connections in the places that their lines' numbers say, where each has its own; else as they stand."""
    numbers = [number for number in numbered(lines) if number is not None]
    if len(set(numbers)) == len(lines) and set(numbers) <= set(range(N_GROUPS)):
        return in_order(list(zip(numbers, texts, strict=True)), N_GROUPS)
    return list(texts)


def _cells(line: str) -> list[str]:
    """The cells of a table's row; [] where the line is none."""
    if line.count("|") < 2:
        return []
    return [tidied(cell) for cell in line.strip().strip("|").split("|")]


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
    match = _GROUP_KEY.fullmatch(key)
    return int(match[1]) - 1 if match and int(match[1]) <= len(solved) else None


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
