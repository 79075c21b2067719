"""A language model judges answers by a rubric of the paper's six categories (section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..llm.chat import ChatRequest, Reply
from ..llm.parsing.judgements import read_category
from ..llm.parsing.rubric_words import Rubric
from ..llm.parsing.text import answer_text
from ..llm.prompt import Prompt
from ..terminal.progress import Update
from .asking import ModelClient
from .evaluation import Pair
from .judging import SCORES, cohen_kappa
from .problem import Category


@dataclass(frozen=True, slots=True)
class Judgement:
    """A reply of the judge, the category that it names, if any, and the key it is kept under."""

    category: Category | None
    reply: Reply
    key: str


def judge_requests(
    asked: ModelClient, prompt: Prompt, kept: Sequence[Pair], problems: dict[int, str]
) -> list[ChatRequest]:
    """A question for each pair."""
    return [
        asked.request(
            prompt.messages(
                problem=problems[pair.problem_id], answer=pair.text, references=list(pair.references)
            )
        )
        for pair in kept
    ]


def judge(
    asked: ModelClient,
    prompt: Prompt,
    requests: Sequence[ChatRequest],
    kept: Sequence[Pair],
    update: Update | None = None,
) -> list[Judgement]:
    """What is judged of each pair's answer, by the rubric of ``prompt``; UserError if requests failed.

    Requests that are the same, as of an answer with several labels, are sent once.
    """
    rubric = Rubric.of(prompt.text)
    keys = [asked.key(request) for request in requests]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    places = sorted(first.values())
    names = [str(kept[place].problem_id) for place in places]
    replies = asked.ask([requests[place] for place in places], names, "problem", update)
    found = {
        keys[place]: Judgement(read_category(answer_text(reply), rubric), reply, keys[place])
        for place, reply in zip(places, replies, strict=True)
    }
    return [found[key] for key in keys]


@dataclass(frozen=True, slots=True)
class RubricAgreement:
    """How far a judge and people choose the same category.

    ``same`` and ``same_side`` (right or wrong) are shares of the ``n`` answers that the judge gave a
    category; ``kappa`` is Cohen's over the six.
    """

    n: int
    unread: int
    same: float | None
    same_side: float | None
    kappa: float | None


def agreement(kept: Sequence[Pair], judged: Sequence[Category | None]) -> RubricAgreement:
    """The agreement of a judge with people's labels."""
    both = [
        (pair.category, category) for pair, category in zip(kept, judged, strict=True) if category is not None
    ]
    unread = len(kept) - len(both)
    if not both:
        return RubricAgreement(0, unread, None, None, None)
    same = sum(one is other for one, other in both) / len(both)
    side = sum(one.correct == other.correct for one, other in both) / len(both)
    return RubricAgreement(
        len(both), unread, same, side, cohen_kappa([one for one, _ in both], [other for _, other in both])
    )


def scores(judged: Sequence[Category | None]) -> list[float | None]:
    """Categories as scores from 0 to 1."""
    return [None if category is None else SCORES[category] for category in judged]
