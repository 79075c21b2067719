"""Task 1: sixteen clues in one order, four groups out, scored the paper's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..data.wall import GROUP_SIZE, N_GROUPS, Wall
from ..llm.chat import Asking, ChatRequest, Json, Reply
from ..llm.parsing.question import Question
from ..llm.parsing.read_groups import Groups, padded, read_groups
from ..llm.parsing.reply_text import answer_text
from ..llm.prompt import Prompt
from ..pipeline.orders import clue_order
from .candidates import candidates_schema
from .examples import as_variables

if TYPE_CHECKING:
    from ..metrics import Scores
    from .encoder_view import Hint


def groups_schema(n_groups: int) -> dict[str, Json]:
    """The shape of an answer of so many groups, for endpoints that can be held to one."""
    group = {
        "type": "array",
        "items": {"type": "string"},
        "minItems": GROUP_SIZE,
        "maxItems": GROUP_SIZE,
    }
    return {
        "type": "object",
        "properties": {
            "groups": {"type": "array", "minItems": n_groups, "maxItems": n_groups, "items": group}
        },
        "required": ["groups"],
        "additionalProperties": False,
    }


def grouping_requests(
    prompt: Prompt,
    walls: Sequence[Wall],
    examples: Sequence[Wall],
    run: int,
    asking: Asking,
    hints: Sequence[Sequence[Hint]] | None = None,
    candidates: int = 0,
) -> list[ChatRequest]:
    """One request a wall, its clues in the order of this run, with the wall's hints if there are some.

    What is asked for is four groups, or up to so many ``candidates``.
    """
    more = {"candidates": candidates} if candidates else {}
    schema = candidates_schema(candidates) if candidates else groups_schema(N_GROUPS)
    requests = []
    for place, wall in enumerate(walls):
        clues = [wall.clues[place] for place in clue_order(run, len(wall.clues))]
        shown = [] if hints is None else list(hints[place])
        messages = prompt.messages(
            clues=clues,
            examples=as_variables(examples),
            hints=shown,
            structured=asking.structured,
            **more,
        )
        requests.append(asking.request(messages, schema))
    return requests


def questions_of(walls: Sequence[Wall], requests: Sequence[ChatRequest]) -> list[Question]:
    """What each wall's request shows."""
    return [Question(request.messages, wall.clues) for wall, request in zip(walls, requests, strict=True)]


def grouping_answers(
    walls: Sequence[Wall], replies: Sequence[Reply], questions: Sequence[Question] | None = None
) -> list[Groups]:
    """The groups in each wall's reply, of any number up to four and of any sizes."""
    shown = [None] * len(walls) if questions is None else questions
    return [
        read_groups(answer_text(reply), wall.clues, question)
        for wall, reply, question in zip(walls, replies, shown, strict=True)
    ]


def score_grouping(walls: Sequence[Wall], answers: Sequence[Groups]) -> Scores:
    """The paper's Task 1 metrics of one run: four groups of four, cut and filled up as the paper does."""
    from ..metrics import score_groups

    true = [[group.clues for group in wall.groups] for wall in walls]
    return score_groups([padded(groups) for groups in answers], true)
