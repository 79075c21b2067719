"""Task 2: the four solved groups in, four connections out."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.wall import N_GROUPS, Wall
from .asking import Asking
from .chat import ChatRequest, Json, Reply
from .examples import as_variables
from .prompt import Prompt
from .read_connections import read_connections

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "connections": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": N_GROUPS,
            "maxItems": N_GROUPS,
        }
    },
    "required": ["connections"],
    "additionalProperties": False,
}


def connection_requests(
    prompt: Prompt, walls: Sequence[Wall], examples: Sequence[Wall], asking: Asking
) -> list[ChatRequest]:
    """One request a wall, its groups and their clues in the data set's order."""
    return [
        asking.request(
            prompt.messages(
                groups=[list(group.clues) for group in wall.groups], examples=as_variables(examples)
            ),
            SCHEMA,
        )
        for wall in walls
    ]


def connection_answers(walls: Sequence[Wall], replies: Sequence[Reply]) -> list[list[str]]:
    """The four connections in each wall's reply, "" where there is none."""
    return [
        read_connections(reply.text, [group.clues for group in wall.groups])
        for wall, reply in zip(walls, replies, strict=True)
    ]
