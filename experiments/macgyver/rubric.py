"""A language model judges answers by a rubric of the paper's six categories (section 4.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..language_models.chat import ChatRequest, Json
from ..language_models.prompt import Prompt
from ..language_models.reply_text import json_values, without_fences, without_thoughts
from ..progress import Update
from .asked import Asked
from .evaluation import Pair
from .judging import SCORES, cohen_kappa
from .problem import Category

# A small letter counts at the end of a line alone, since "a" is a word.
_LETTER = r"[\"'*_(\[<]*\b(?P<letter>(?-i:[A-F])\b|[a-f]\b(?=\W*(?:\n|\Z)))(?!['’])"
_LABELLED = re.compile(
    rf"\b(?:category|label|grade|judge?ment|verdict|rating|classification)\b(?:\s+is)?[\s*_]*[:=–—-]?[\s*_]*{_LETTER}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"^\W*{_LETTER}[\W]*(?:$|[:.)–—-]\s)", re.MULTILINE)
_KEYS = ("category", "label", "grade", "judgement", "judgment", "verdict", "rating")


def read_category(reply: str) -> Category | None:
    """The category that a reply ends with; None where there is none.

    A key of JSON counts, then the last letter that is labelled as the category, the last of the release's
    names for them, and the last line that is a letter alone.
    """
    text = without_fences(without_thoughts(reply))
    for value in json_values(text):
        if (found := _of_json(value)) is not None:
            return found
    if labelled := list(_LABELLED.finditer(text)):
        return Category[labelled[-1]["letter"].upper()]
    if (named := _named(text)) is not None:
        return named
    bare = list(_BARE.finditer(text))
    return Category[bare[-1]["letter"].upper()] if bare else None


def _of_json(value: Json) -> Category | None:
    if not isinstance(value, dict):
        return None
    plain = {str(key).strip().casefold(): inner for key, inner in value.items()}
    for key in _KEYS:
        inner = plain.get(key)
        if isinstance(inner, str):
            letter = re.match(rf"\s*{_LETTER}", inner, re.IGNORECASE)
            return Category[letter["letter"].upper()] if letter else _named(inner)
    return None


def _named(text: str) -> Category | None:
    found = [(text.rfind(category.value), category) for category in Category if category.value in text]
    return max(found, key=lambda each: each[0])[1] if found else None


def judge_requests(
    asked: Asked, prompt: Prompt, kept: Sequence[Pair], problems: dict[int, str]
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
    asked: Asked,
    requests: Sequence[ChatRequest],
    kept: Sequence[Pair],
    update: Update | None = None,
) -> list[Category | None]:
    """The category of each pair's answer, None where the reply names none; UserError if requests failed.

    Requests that are the same, as of an answer with several labels, are sent once.
    """
    keys = [asked.key(request) for request in requests]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    places = sorted(first.values())
    names = [str(kept[place].problem_id) for place in places]
    replies = asked.ask([requests[place] for place in places], names, "problem", update)
    found = {keys[place]: read_category(reply.text) for place, reply in zip(places, replies, strict=True)}
    return [found[key] for key in keys]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge and people choose the same category.

    ``same`` and ``same_side`` (right or wrong) are shares of the ``n`` answers that the judge gave a
    category; ``kappa`` is Cohen's over the six.
    """

    n: int
    unread: int
    same: float | None
    same_side: float | None
    kappa: float | None


def agreement(kept: Sequence[Pair], judged: Sequence[Category | None]) -> Agreement:
    """The agreement of a judge with people's labels."""
    both = [
        (pair.category, category) for pair, category in zip(kept, judged, strict=True) if category is not None
    ]
    unread = len(kept) - len(both)
    if not both:
        return Agreement(0, unread, None, None, None)
    same = sum(one is other for one, other in both) / len(both)
    side = sum(one.correct == other.correct for one, other in both) / len(both)
    return Agreement(
        len(both), unread, same, side, cohen_kappa([one for one, _ in both], [other for _, other in both])
    )


def scores(judged: Sequence[Category | None]) -> list[float | None]:
    """Categories as scores from 0 to 1."""
    return [None if category is None else SCORES[category] for category in judged]
