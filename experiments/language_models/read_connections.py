"""Reading the four connections in a model's reply, in whatever form it wrote them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..data.wall import N_GROUPS
from .chat import Json
from .connection_text import bare_line, tidied, unquoted, without_emphasis
from .reply_text import json_values, without_fences, without_thoughts
from .wall_clues import WallClues, plain

_NAMED = re.compile(
    r"\b(?:the\s+)?(?:connections?|connecting\s+link|category|theme|link|answer)\b[\s*_\"`]*[:：=–—-]\s*(?:\*+\s+)?(.*)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"^[\s>*#|-]*(?:(?:group|set|groupe|gruppe|grupo|connection)\s*(\d)\b|\(?(\d)[.):]\s)(?:[\s*]*(?:[:.)]+|[–—-]+(?=\s)))*[\s*]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:>\s*)*(?:[-*+•]\s+|#{1,6}\s+|\(?\d{1,2}[.):]\s+)+")
_KEYS = ("connection", "category", "theme", "link", "name", "answer", "description")
_FINAL = re.compile(
    r"^[^\w\n{\[\x22']*(?:(?:my|the|so|and)\s+)*(?:final\s+(?:answer|connections?)|solved\s+wall|answer|solution)\b"
    r"[^\n:]{0,40}[:：]?[^\w\n\[({]*$",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_LINES = 400
_MOST_LETTERS = 1_000


def read_connections(reply: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """Four connections in the order of the groups; "" for each that is not there.

    Lines and JSON that repeat a group's clues are taken for that group, whatever their order; else
    connections are taken in the order in which they stand, the first four of them.
    """
    found = unquoted(_found(without_thoughts(reply), groups)[:N_GROUPS])
    return [*found, *[""] * (N_GROUPS - len(found))]


def _found(text: str, groups: Sequence[Sequence[str]]) -> list[str]:
    for value in json_values(text):
        pairs = [(group, name) for group, name in _of_json(value, groups) if name]
        if pairs:
            return _in_order(pairs, len(groups))
    lines = _lines(without_fences(text))
    by_clues = _by_clues(lines, groups)
    if by_clues is not None:
        return by_clues
    named = [tidied(match[1]) for line in lines if (match := _NAMED.search(line))]
    if len([text for text in named if text]) > 1 or (any(named) and len(lines) < N_GROUPS):
        return named
    cells = [row for row in (_cells(line) for line in lines) if row]
    if len(cells) >= N_GROUPS:
        return [row[-1] for row in cells[-N_GROUPS:]]
    numbered = [line for line in lines if _NUMBER.match(line)]
    if len(numbered) < N_GROUPS:
        numbered = [line for line in lines if _BULLET.match(line)] or numbered
    if not numbered:
        numbered = lines if len(lines) == N_GROUPS else [x for x in lines if not x.endswith((":", "?"))]
        if len(numbered) < N_GROUPS:  # a sentence or two, and no list
            numbered = [line for line in numbered if len(line.split()) <= 8 and not line.endswith((".", "!"))]
    return [tidied(_BULLET.sub("", _NUMBER.sub("", line))) for line in numbered]


def _lines(text: str) -> list[str]:
    finals = list(_FINAL.finditer(text))
    if finals and text[finals[-1].end() :].strip():
        text = text[finals[-1].end() :]
    lines = [line.strip()[:_MOST_LETTERS] for line in text.split("\n") if line.strip()]
    lines = [line for line in lines[-_MOST_LINES:] if not re.fullmatch(r"[|:\-\s=*_]+", line)]
    return [without_emphasis(line) for line in lines]


def _by_clues(lines: Sequence[str], groups: Sequence[Sequence[str]]) -> list[str] | None:
    """The connections on or below lines that hold a group's clues; None where too few are."""
    found: dict[int, str] = {}
    above: dict[int, str] = {}  # what stands on the line before the clues
    group: int | None = None
    seen, last = 0, ""
    for line in lines:
        bare = bare_line(_BULLET.sub("", line))
        here = _group_of(bare, groups)
        if here is not None:
            group, seen = here, seen + 1
            rest = _rest(bare, groups[here])
            above[here], last = last, ""
        elif group is not None and (named := _NAMED.search(bare)):
            rest = tidied(named[1])
        else:
            last = tidied(_NUMBER.sub("", bare)) or last
            continue
        if rest:
            found[group] = rest  # the last one, where a model thinks twice
    found = found or {number: text for number, text in above.items() if text}
    if seen < 2 or not found:
        return None
    return [found.get(number, "") for number in range(len(groups))]


def _group_of(line: str, groups: Sequence[Sequence[str]]) -> int | None:
    """The group all of whose clues stand on the line, or all but one."""
    held = [[clue for clue in clues if not WallClues([clue]).absent(line)] for clues in groups]
    best = max(range(len(groups)), key=lambda number: (len(held[number]), sum(map(len, held[number]))))
    return best if len(held[best]) >= len(groups[best]) - 1 else None


def _rest(line: str, clues: Sequence[str]) -> str:
    """What a line says beside the clues: after "Connection:", else before or behind them."""
    places = _places(line, clues)
    named = _NAMED.search(line)
    if named and (not places or places[0] < named.start()):
        text = tidied(named[1])
        # "Missing link: ___" is a connection, "Connection: ___" is none.
        if text or not places or not re.search(r"\w", line[places[1] : named.start()]):
            return text
    if not places:
        return ""
    # The marks next to a clue are the clue's; those beyond the separator are the connection's.
    before, after = line[: places[0]], line[places[1] :]
    after = re.sub(r"^[\"'”’`*)\]]*(?:[\s.,;:)\]|–—=>→]|-(?=[\s>]))*(?:(?:is|are)\s+)?", "", after)
    before = re.sub(r"[\"'“‘`*(\[]*$", "", _NUMBER.sub("", before))
    return tidied(after) or tidied(re.sub(r"[\s(\[|:–—=>→-]+$", "", before))


def _places(line: str, clues: Sequence[str]) -> tuple[int, int] | None:
    """Where the clues begin and end on the line: the stretch with most of them and least between them."""
    spans = WallClues(clues).spans(line)
    most = Counter(plain(clue) for clue in clues)
    best: tuple[int, int, int, int] | None = None
    for first, (start, _, _) in enumerate(spans):
        held: Counter[str] = Counter()
        between, place = 0, start
        for begin, end, clue in spans[first:]:
            held[plain(clue)] += 1
            between += sum(letter not in ", " for letter in line[place:begin])
            place = end
            worth = ((held & most).total(), -between, -start, end)
            best = worth if best is None else max(best, worth)
    return None if best is None else (-best[2], best[3])


def _cells(line: str) -> list[str]:
    """The cells of a table's row; [] where the line is none."""
    if line.count("|") < 2:
        return []
    return [tidied(cell) for cell in line.strip().strip("|").split("|")]


def _of_json(value: Json, groups: Sequence[Sequence[str]]) -> Iterator[tuple[int | None, str]]:
    """The connections in a JSON value, each with its group where the value tells its clues."""
    if isinstance(value, str):
        yield None, tidied(value)
    elif isinstance(value, list):
        for inner in value:
            yield from _of_json(inner, groups)
    elif isinstance(value, dict):
        named = [key for key in value if str(key).lower() in _KEYS]
        lists = {key: _group_of(_joined(inner), groups) for key, inner in value.items()}
        if named and isinstance(value[named[0]], str):
            yield (
                next((group for group in lists.values() if group is not None), None),
                tidied(value[named[0]]),
            )
        elif any(group is not None and not isinstance(value[key], dict) for key, group in lists.items()):
            for key, group in lists.items():  # connections as names of their groups' clues
                if group is not None:
                    yield group, tidied(key)
        else:
            for key, inner in value.items():
                of_key = _group_of(key, groups) if isinstance(inner, str) else None
                for group, text in _of_json(inner, groups):
                    yield of_key if group is None else group, text


def _joined(value: Json) -> str:
    """The texts of a list on one line, as a group's clues stand; of anything else, its own text or none."""
    if isinstance(value, list):
        return ", ".join(str(each) for each in value if isinstance(each, str | int | float))
    return value if isinstance(value, str) else ""


def _in_order(pairs: Sequence[tuple[int | None, str]], n_groups: int) -> list[str]:
    """Connections by their groups, where each has one of its own; else as they stand."""
    by_group = {group: text for group, text in pairs if group is not None}
    if len(by_group) < len(pairs):
        return [text for _, text in pairs]
    return [by_group.get(number, "") for number in range(n_groups)]
