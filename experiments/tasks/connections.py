"""Task 2: the four solved groups in, four connections out."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.wall import N_GROUPS, Wall
from ..llm.chat import Asking, ChatRequest, Json, Reply
from ..llm.parsing.connections import read_connections
from ..llm.parsing.question import Question
from ..llm.parsing.text import answer_text
from ..llm.prompt import Prompt
from .wall_prompt import as_variables

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
                groups=[list(group.clues) for group in wall.groups],
                examples=as_variables(examples),
                structured=asking.structured,
            ),
            SCHEMA,
        )
        for wall in walls
    ]


def connection_answers(
    walls: Sequence[Wall], replies: Sequence[Reply], questions: Sequence[Question] | None = None
) -> list[list[str]]:
    """The four connections in each wall's reply, "" where there is none."""
    shown = [None] * len(walls) if questions is None else questions
    return [
        read_connections(answer_text(reply), [group.clues for group in wall.groups], question)
        for wall, reply, question in zip(walls, replies, shown, strict=True)
    ]
