"""Task 1: sixteen clues in one order, four groups out, scored the paper's way.

A reply gives four groups, or more candidates, of which the engine takes the cheapest partition. A candidate
costs minus the logarithm of how likely its model says that it is, so that the cheapest partition is the one
whose groups are likeliest together. A group that is not a candidate is a last resort.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import list_groups
from ..data.wall import GROUP_SIZE, N_GROUPS, Wall
from ..llm.chat import Asking, ChatRequest, Json, Reply
from ..llm.parsing.candidates import Candidate, is_whole, read_candidates
from ..llm.parsing.groups import Groups, padded, read_groups
from ..llm.parsing.question import Question
from ..llm.parsing.text import answer_text
from ..llm.prompt import Prompt
from ..pipeline.gram import Costs, pair_group_costs
from ..pipeline.orders import clue_order
from .voting import cheapest, places_of, tie_order
from .wall_prompt import as_variables

if TYPE_CHECKING:
    from ..metrics import Scores
    from .hints import Hint


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


_LEAST, _MOST = 0.01, 0.99  # likelihoods beyond these are taken for them: no model is as sure as that
_NO_CANDIDATE = 0.001


def candidates_schema(most: int) -> dict[str, Json]:
    """The shape of an answer, for endpoints that can be held to one."""
    group = {
        "type": "object",
        "properties": {
            "clues": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": GROUP_SIZE,
                "maxItems": GROUP_SIZE,
            },
            "percent": {"type": "integer"},
        },
        "required": ["clues", "percent"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"groups": {"type": "array", "minItems": 1, "maxItems": most, "items": group}},
        "required": ["groups"],
        "additionalProperties": False,
    }


def proposed(
    walls: Sequence[Wall], replies: Sequence[Reply], most: int, questions: Sequence[Question] | None = None
) -> list[list[Candidate]]:
    """The candidates in each wall's reply, at most so many."""
    shown = [None] * len(walls) if questions is None else questions
    return [
        read_candidates(answer_text(reply), wall.clues, most, question)
        for wall, reply, question in zip(walls, replies, shown, strict=True)
    ]


def chosen(
    walls: Sequence[Wall],
    candidates: Sequence[Sequence[Candidate]],
    gram: NDArray[np.float64] | None = None,
    weight: float = 0.0,
) -> list[Groups]:
    """Four groups a wall: the partition of least cost, exactly; ``gram`` and ``weight`` as of ``voted``."""
    costs = [
        candidate_costs(each, [wall.clues[place] for place in tie_order()])
        for wall, each in zip(walls, candidates, strict=True)
    ]
    return cheapest(walls, np.stack(costs), gram, weight)


def candidate_costs(candidates: Sequence[Candidate], clues: Sequence[str]) -> Costs:
    """The cost of every group of four of the clues, (n_groups,).

    That of a candidate is minus the logarithm of how likely it is; where its model says nothing, of n
    candidates the first is (n - 1/2) / n likely, the next (n - 3/2) / n and so on. A candidate that is not
    four of the wall's clues does not count. All other groups cost as one that is likely in one of a thousand
    walls, and the share of their pairs that no candidate has together on top.
    """
    n_points = len(clues)
    whole = [each for each in candidates if is_whole(each, clues)]
    groups = list_groups(n_points, GROUP_SIZE)
    number = {tuple(group): place for place, group in enumerate(groups.tolist())}
    together = np.zeros((1, n_points, n_points))
    own: dict[int, float] = {}
    for rank, each in enumerate(whole):
        likely = 1 - (rank + 0.5) / len(whole) if each.likely is None else each.likely
        cost = -log(min(max(likely, _LEAST), _MOST))
        for places in places_of(each.group, clues):
            for i, j in combinations(places, 2):
                together[0, i, j] = together[0, j, i] = 1.0
            place = number[places]
            own[place] = min(cost, own.get(place, cost))
    costs: Costs = 1.0 - pair_group_costs(together, GROUP_SIZE)[0] - log(_NO_CANDIDATE)
    costs[list(own)] = list(own.values())
    return costs


def candidate_faults(
    walls: Sequence[Wall], candidates: Sequence[Sequence[Candidate]], answers: Sequence[Groups]
) -> dict[str, float]:
    """Shares, 0 to 1: of all candidates, as ``grouping_faults`` names them; and of what the engine took.

    ``missed`` is the share of the walls' groups that no candidate is, which no choice could mend, and
    ``completed`` that of the answers' groups that were no candidates.
    """
    n_all = misformatted = hallucinated = strange = written = unread = missed = completed = 0
    for wall, proposal, answer in zip(walls, candidates, answers, strict=True):
        named = {tuple(sorted(each.group)) for each in proposal}
        n_all += len(proposal)
        misformatted += sum(len(each.group) != GROUP_SIZE for each in proposal)
        unknown = [sum(text not in wall.clues for text in each.group) for each in proposal]
        hallucinated += sum(number > 0 for number in unknown)
        strange += sum(unknown)
        written += sum(len(each.group) for each in proposal)
        unread += not proposal
        missed += sum(tuple(sorted(group.clues)) not in named for group in wall.groups)
        completed += sum(tuple(sorted(group)) not in named for group in answer)
    n_groups = sum(len(wall.groups) for wall in walls)
    return {
        "misformatted": misformatted / max(n_all, 1),
        "hallucinated": hallucinated / max(n_all, 1),
        "hallucinated_clues": strange / max(written, 1),
        "unread": unread / len(walls),
        "missed": missed / n_groups,
        "completed": completed / n_groups,
    }
