"""Whether an answer says that its problem can be solved, cannot be, or is not clear enough to say."""

from __future__ import annotations

import re
from enum import Enum

from ..language_models.chat import Json
from ..language_models.reply_text import json_values, without_fences, without_thoughts
from .references import plain_text


class Solvability(Enum):
    """What an answer says of its problem; an empty one is unread."""

    SOLVABLE = "solvable"
    UNSOLVABLE = "unsolvable"
    UNCLEAR = "needs_clarification"
    UNREAD = "unread"


_KEYS = ("verdict", "solvability", "solvable", "is_solvable", "issolvable", "status", "conclusion", "answer")
_MARKS = re.compile(r"[*_`#>]+")
_MARKUP = re.compile(r"<\s*(?:br|/p|/li)\s*/?\s*>", re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:\d+[.)]\s*)?(?:part\s+\d\W+)?(?:final\s+)?(?:verdict|solvability(?:\s+status)?|status|solvable\s*\??"
    r"|conclusion(?:\s*\d)?|is\s+(?:it|the\s+problem)\s+(?:indeed\s+)?solvable\s*\??)\s*[:=–—-]\s*(?P<said>\S.*)$",
    re.IGNORECASE,
)
# The prompt's own words, where a model repeats them.
_CHOICES = re.compile(r"^.*\bsolvable\b\W{1,4}(?:or\W+)?unsolvable\b.*$", re.IGNORECASE | re.MULTILINE)
_UNCLEAR = re.compile(
    r"\b(?:need(?:s|ed|ing)?|require[sd]?|ask(?:ing)?\s+for|without)\s+(?:any\s+|some\s+|further\s+|more\s+|additional\s+)*"
    r"(?:clarif\w+|information|details|context)\b|\bclarification\s+(?:is\s+)?(?:needed|required)\b"
    r"|\b(?:ambiguous|underspecified|too\s+vague|unclear\s+(?:whether|what|how|if))\b",
    re.IGNORECASE,
)
_NOT = r"(?:not|n't|never|no\s+longer)"
_UNSOLVABLE = re.compile(
    r"\bun-?solv(?:e?able|ed)\b|\binsolv(?:a|u)ble\b|\bunfeasible\b"
    rf"|(?<!\bnot\s)\bimpossible\b|\b(?:is|are|was|be|seems?|appears?|would\s+be|isn){_NOT}?\W*{_NOT}?\s*\binfeasible\b"
    r"|\b(?:not|isn't|isn’t)\s+(?:\w+\s+){0,2}(?:possible|feasible|solvable|achievable|doable)\b"
    r"|\b(?:cannot|can\s*not|can't|can’t|could\s+not|couldn't)\s+(?:\w+\s+){0,3}(?:be\s+)?"
    r"(?:solved?|achieved|done|accomplished|completed|find\s+a\s+(?:feasible\s+)?solution)\b"
    r"|\b(?:there\s+is|there's|i\s+see|i\s+(?:can\s+)?find|has|have)\s+no\s+(?:\w+\s+){0,3}"
    r"(?:solution|way|method)\b|\bno\s+(?:\w+\s+){0,2}solution\b(?!\s*:)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\b(?:problem|task|goal|situation|puzzle)\b.*\b(?:not|cannot|can't|isn't|impossible|un-?solvable)\b"
    r"|\bun-?solv(?:e?able|ed)\b|^\W*(?:it\s+is\s+)?(?:not\s+(?:possible|feasible|solvable)|impossible)\W*$",
    re.IGNORECASE,
)
_SOLVABLE = re.compile(r"\b(?:solvable|solved|feasible|possible|achievable|doable)\b", re.IGNORECASE)
_YES, _NO = re.compile(r"\W*(?:yes|true)\b", re.I), re.compile(r"\W*(?:no|false)\b(?!\s+modif)", re.I)
_STEP = re.compile(r"(?:^|\n|\s)(?:step\s*-?\s*\d+|\d+\s*[.)])", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_OPENING = 2  # sentences in which an answer without steps says what it makes of the problem


def read_solvability(reply: str) -> Solvability:
    """What a reply says of its problem.

    The last line that is labelled as a verdict counts, or such a key of JSON. Without one, what the reply
    opens with counts, and, where it holds no steps, what it says anywhere. An answer that says nothing of
    it is meant as a solution.
    """
    text = without_fences(without_thoughts(_MARKUP.sub("\n", reply)))
    if not any(map(str.isalnum, text)):
        return Solvability.UNREAD
    for value in json_values(text):
        if (found := _of_json(value)) is not None:
            return found
    plain = _CHOICES.sub("", _MARKS.sub("", text).replace("’", "'"))
    labelled = [
        found
        for line in plain.splitlines()
        if (label := _LABEL.match(line)) is not None and (found := said(label["said"])) is not None
    ]
    if labelled:
        return labelled[-1]
    return _unlabelled(plain)


def _unlabelled(text: str) -> Solvability:
    sentences = [plain_text(part) for part in _SENTENCE.split(text) if part.strip()]
    opening = [part for part in sentences if not re.fullmatch(r"\W*(?:answer|solution)\W*", part, re.I)]
    has_steps = _STEP.search(text) is not None
    # After steps, what is not possible is as often another way of doing it: the whole problem must be meant.
    ending = [part for part in opening[-1:] if _WHOLE.search(part)]
    parts = opening[:1] + ending if has_steps else opening
    if _UNCLEAR.search(" ".join(opening[:_OPENING])) and not has_steps:
        return Solvability.UNCLEAR
    if any(_UNSOLVABLE.search(part) for part in parts):
        return Solvability.UNSOLVABLE
    return Solvability.SOLVABLE


def said(text: str) -> Solvability | None:
    """What a few words say: a verdict's own."""
    if _UNCLEAR.search(text) or re.search(r"\bclarif|\bunclear\b", text, re.IGNORECASE):
        return Solvability.UNCLEAR
    if _UNSOLVABLE.search(text) or _NO.match(text):
        return Solvability.UNSOLVABLE
    if _SOLVABLE.search(text) or _YES.match(text):
        return Solvability.SOLVABLE
    return None


def _of_json(value: Json) -> Solvability | None:
    if not isinstance(value, dict):
        return None
    plain = {str(key).strip().casefold().replace(" ", "_"): inner for key, inner in value.items()}
    for key in _KEYS:
        inner = plain.get(key)
        if isinstance(inner, bool) and "solvable" in key:
            return Solvability.SOLVABLE if inner else Solvability.UNSOLVABLE
        if isinstance(inner, str) and (found := said(inner.replace("_", " "))) is not None:
            return found
    return None
