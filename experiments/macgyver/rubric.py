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

# "A" and "a" are words too: a capital A counts before none but some words, a small letter at a line's end.
_ARTICLE = (
    r"(?<=A)\s+(?!(?:because|since|as|for|is|fits|applies|here|which|and|or|at|due|the|it|this)\b)(?-i:[a-z])"
)


def _letter(letter: str = "letter", more: str = "more") -> str:
    """A pattern for a letter, and for another that stands beside it, in groups of these names."""
    return (
        r"(?:option\s+)?[\"'*_`$(\[<]{0,9}(?:\\boxed\{)?"
        rf"\b(?P<{letter}>(?-i:[A-F]\b)(?!{_ARTICLE})|[a-f]\b(?=[^\w\n]*(?:\n|\Z)))(?!['’]\w)"
        rf"(?P<{more}>[*_`]*(?:\s*[/&|,]\s*|\s+(?:or|and)\s+)[*_`]*(?-i:[A-F])\b)?"
    )


_NAME = r"(?:categor(?:y|ie)|label|grade|judge?ment|verdict|rating|classification)"
_SEPARATOR = r"[\s*_]{0,9}(?:[:：=–—-]{1,3}>?|→)?[\s*_]{0,9}"
# A heading at the beginning of a line counts before words within a sentence.
_HEADED = re.compile(
    rf"^[^\w\n]*(?:(?:my|the|final|overall|correct)\s+)*(?:{_NAME}|(?:answer|choice)(?=[*_]*\s*[:：=]))"
    rf"(?:\s+is)?{_SEPARATOR}{_letter()}",
    re.IGNORECASE | re.MULTILINE,
)
_LABELLED = re.compile(
    rf"(?<!\bnot\s)(?<!\bnot a\s)(?<!\bno\s)\b{_NAME}\b"
    rf"(?:\s+(?:is|would\s+be|should\s+be))?{_SEPARATOR}{_letter()}"
    rf"|\b(?:choose|pick|select|classif(?:y|ied)|label(?:led)?|rated?)(?:\s+(?:it|this))?(?:\s+as)?\s+"
    rf"{_letter('chosen', 'further')}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"^[^\w\n]*{_letter()}[^\w\n]*(?:$|[:.)–—-]\s)", re.MULTILINE)
_BOXED = re.compile(r"\\boxed\{\W*(?:\\text\{)?([A-F])\b")
_KEYS = ("category", "label", "grade", "judgement", "judgment", "verdict", "rating", "choice", "answer")


def read_category(reply: str) -> Category | None:
    """The category that a reply ends with; None where there is none, or where it names two at once.

    A key of JSON counts, then the last letter that is headed as the category, the last that is called so
    within a sentence, the last of the release's names for them, and the last line that is a letter alone.
    """
    text = without_fences(without_thoughts(reply))
    for value in json_values(text):
        if (found := _of_json(value)) is not None:
            return found
    for pattern in (_HEADED, _LABELLED):
        if labelled := list(pattern.finditer(text)):
            return _chosen(labelled[-1])
    if (named := _named(text)) is not None:
        return named
    if boxed := _BOXED.findall(text):
        return Category[boxed[-1]]
    bare = list(_BARE.finditer(text))
    return _chosen(bare[-1]) if bare else None


def _chosen(match: re.Match[str]) -> Category | None:
    groups = match.groupdict()
    if groups["more"] or groups.get("further"):
        return None
    return Category[(groups["letter"] or groups["chosen"]).upper()]


def _of_json(value: Json) -> Category | None:
    if not isinstance(value, dict):
        return None
    plain = {str(key).strip().casefold().removeprefix("final_"): inner for key, inner in value.items()}
    for key in _KEYS:
        inner = plain.get(key)
        if isinstance(inner, str):
            letter = re.match(rf"\s*(?:category\s+)?{_letter()}", inner, re.IGNORECASE)
            return _chosen(letter) if letter else _named(inner)
    return None


def _named(text: str) -> Category | None:
    found = [(text.rfind(category.value), category) for category in Category if category.value in text]
    return max(found, key=lambda each: each[0])[1] if found else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A reply of the judge, the category that it names, if any, and the key it is kept under."""

    category: Category | None
    reply: str
    key: str


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
) -> list[Judgement]:
    """What is judged of each pair's answer; UserError if requests failed.

    Requests that are the same, as of an answer with several labels, are sent once.
    """
    keys = [asked.key(request) for request in requests]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    places = sorted(first.values())
    names = [str(kept[place].problem_id) for place in places]
    replies = asked.ask([requests[place] for place in places], names, "problem", update)
    found = {
        keys[place]: Judgement(read_category(reply.text), reply.text, keys[place])
        for place, reply in zip(places, replies, strict=True)
    }
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
