"""What a model that is always right writes, in the forms in which models write it.

A form takes a wall's groups, each its clues and its connection, and returns a reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Groups: TypeAlias = Sequence[tuple[Sequence[str], str]]
Form: TypeAlias = Callable[[Groups], str]


def lines(row: str) -> Form:
    """A line a group; the row's fields are its number, its clues with commas, and its connection."""
    return lambda groups: "\n".join(
        row.format(n=number, clues=", ".join(clues), name=name)
        for number, (clues, name) in enumerate(groups, 1)
    )


def table(heading: str, row: str) -> Form:
    """A table of Markdown; ``row`` may also have the fields c[0] to c[3]."""

    def written(groups: Groups) -> str:
        rule = "|---" * heading.strip("|").count("|") + "|---|"
        rows = [
            row.format(n=number, clues=", ".join(clues), name=name, c=clues)
            for number, (clues, name) in enumerate(groups, 1)
        ]
        return "\n".join([heading, rule, *rows])

    return written


def columns(heading: Callable[[int, str], str]) -> Form:
    """A table of Markdown whose columns are the groups."""

    def written(groups: Groups) -> str:
        head = [heading(number, name) for number, (_, name) in enumerate(groups, 1)]
        body = zip(*(clues for clues, _ in groups), strict=True)
        return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *body])

    return written


CONNECTION_FORMS: Mapping[str, Form] = {
    "as asked": lines("{clues}. Connection: {name}"),
    "with a full stop": lines("{clues}. Connection: {name}."),
    "numbered": lines("{n}. {clues}. Connection: {name}"),
    "below the clues": lines("Group {n}: {clues}\nConnection: {name}\n"),
    "bold names": lines("**{clues}.** **Connection:** {name}"),
    "all in bold": lines("**{clues}.** **Connection: {name}**"),
    "bold": lines("{clues}. Connection: **{name}**"),
    "in italics": lines("{clues} — *{name}*"),
    "quoted": lines('{clues}. Connection: "{name}"'),
    "curly quotes": lines("{clues}. Connection: “{name}”"),
    "after a dash": lines("- {clues} - {name}"),
    "in brackets": lines("{clues} ({name})"),
    "before a colon": lines("{name}: {clues}"),
    "alone": lines("{name}"),
    "alone, numbered": lines("{n}. {name}"),
    "alone, in bullets": lines("- {name}"),
    "alone, quoted": lines('"{name}"'),
    "alone, named": lines("Connection: {name}"),
    "alone, named and numbered": lines("Connection {n}: {name}"),
    "alone, by group": lines("Group {n}: {name}"),
    "a table": table("| Group | Connection |", "| {clues} | {name} |"),
    "a table without clues": table("| # | Connection |", "| {n} | {name} |"),
    "JSON": lambda groups: json.dumps({"connections": [name for _, name in groups]}),
    "a fenced JSON list": lambda groups: (
        f"```json\n{json.dumps([name for _, name in groups], indent=1)}\n```"
    ),
    "JSON objects": lambda groups: json.dumps([{"clues": c, "connection": name} for c, name in groups]),
    "JSON objects, the last first": lambda groups: json.dumps(
        [{"clues": c, "connection": name} for c, name in reversed(groups)]
    ),
    "JSON, clues by connection": lambda groups: json.dumps({name: list(c) for c, name in groups}),
    "JSON, clues in one text by connection": lambda groups: json.dumps(
        {name: ", ".join(c) for c, name in groups}
    ),
    "JSON, connections by clues": lambda groups: json.dumps({", ".join(c): name for c, name in groups}),
    "JSON, connections by group": lambda groups: json.dumps(
        {f"Group {number}": name for number, (_, name) in enumerate(groups, 1)}
    ),
    "JSON, objects by group": lambda groups: json.dumps(
        {f"group_{n}": {"clues": list(c), "connection": name} for n, (c, name) in enumerate(groups, 1)}
    ),
}
"""Of the connections."""

GROUP_FORMS: Mapping[str, Form] = {
    "as asked": lines("{clues}"),
    "numbered": lines("{n}. {clues}"),
    "by group": lines("**Group {n}:** {clues}"),
    "quoted": lambda groups: "\n".join(", ".join(f'"{clue}"' for clue in clues) for clues, _ in groups),
    "with connections": lines("{clues}. Connection: {name}"),
    "after connections": lines("{name}: {clues}"),
    "in bullets": lambda groups: "\n".join(
        "\n".join([f"**{name}**", *(f"- {clue}" for clue in clues), ""]) for clues, name in groups
    ),
    "JSON": lambda groups: json.dumps({"groups": [list(clues) for clues, _ in groups]}),
    "JSON objects": lambda groups: json.dumps([{"connection": name, "clues": c} for c, name in groups]),
    "JSON, clues by connection": lambda groups: json.dumps({name: list(c) for c, name in groups}),
    "a table": table(
        "| Group | Clue 1 | Clue 2 | Clue 3 | Clue 4 |", "| {n} | {c[0]} | {c[1]} | {c[2]} | {c[3]} |"
    ),
    "a table below numbers": table("| 1 | 2 | 3 | 4 |", "| {c[0]} | {c[1]} | {c[2]} | {c[3]} |"),
    "a table below clues": table("| Clue 1 | Clue 2 | C | Word 4 |", "| {c[0]} | {c[1]} | {c[2]} | {c[3]} |"),
    "a table below its connections": columns(lambda number, name: name),
    "a table below its groups": columns(lambda number, name: f"Group {number}"),
}
"""Of the groups."""
