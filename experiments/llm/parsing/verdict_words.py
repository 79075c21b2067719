"""What a few words say of a problem: that it can be solved, that it cannot, or that it is not clear.

Where in a reply such words count is said in ``solvability.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Solvability(Enum):
    """What an answer says of its problem; one that is empty, or no answer, is unread."""

    SOLVABLE = "solvable"
    UNSOLVABLE = "unsolvable"
    UNCLEAR = "needs_clarification"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Saying:
    """What one clause says.

    ``strong`` words are about a problem and nothing else (solvable), others may be about a step (possible).
    A ``hedged`` clause says how something seems or would be.
    """

    solvability: Solvability
    strong: bool
    hedged: bool


_STRONG = r"(?P<no>un-?solve?able|un-?solved|insolv[au]ble|insoluble)|(?P<yes>solve?able)"
_WEAK = (
    r"(?P<no>impossible|infeasible|unfeasible|unachievable|unattainable|undoable"
    r"|no\s+(?:\w+\s+){0,2}solutions?(?!\s*:)"
    r"|(?:there\s+(?:is|are)|there's|see|find|found|have|has)\s+no\s+(?:\w+\s+){0,3}(?:way|means|method|option)s?"
    r"|there\s*(?:is\s+not|isn't)\s+(?:an?|any)\s+(?:\w+\s+){0,3}(?:way|means|method|option)s?"
    r"|(?:cannot|can't|can\s+not|could\s+not|couldn't|unable\s+to|not\s+able\s+to)\s+(?:\w+\s+){0,2}(?:"
    r"(?:do|solve|achieve|accomplish|complete)\s+(?:it|this|that|so|the\s+(?:\w+\s+)?(?:problem|task|goal))"
    r"|find\s+(?:an?|any|the)\s+(?:\w+\s+){0,3}(?:solution|way|means|method)s?))"
    r"|(?P<yes>possible|feasible|achievable|attainable|doable|workable"
    r"|be\s+(?:\w+\s+)?(?:solved|done|achieved|accomplished|completed))"
)
_STRONG_WORD = re.compile(rf"\b(?:{_STRONG})\b", re.IGNORECASE)
_WEAK_WORD = re.compile(rf"\b(?:{_WEAK})\b", re.IGNORECASE)
# What turns the word after it into its contrary.
_NEGATION = re.compile(
    r"\b(?:not|cannot|cant|never|no|none|nothing|nobody|neither|nor|hardly|barely|unable|doubt|fail(?:s|ed)?\s+to"
    r"|far\s+from|wrong\s+to|incorrect\s+to|mistake\s+to|anything\s+but)\b|n't\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r"\b(?:no\s+(?:problem|doubt|matter|need|worries)|(?:not|without)\s+(?:a\s+)?doubt|not\s+(?:only|just|to\s+mention)"
    r"|if\s+(?:not|possible)|(?:as|where|when|wherever|whenever|than)\s+(?:\w+\s+){0,3}(?:as\s+)?possible)\b",
    re.IGNORECASE,
)
_FAR = 8  # words between a negation and what it turns
_HEDGE = re.compile(r"\b(?:seem|look|appear|sound)s?\b|\b(?:may|might|would|could)\s+be\b", re.IGNORECASE)
# These clauses tell of another case, not of this problem.
_ASIDE = re.compile(
    r"^\W*(?:if|unless|although|though|even|while|whereas|when|since|because|as|in\s+case|otherwise)\b"
    r"|\bat\s+first\b|\binitially\b|\bwould\s+be\s+solvable\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[.!?;:,()\n]+|\s[–—-]+\s|[–—]|\b(?:but|however|yet|so|and|then|which|where)\b"
    r"|(?=\b(?:though|although|even\s+if|whereas|unless|because|since)\b)",
    re.IGNORECASE,
)
_INSERTED = re.compile(r"\b(not|never|cannot),[^,.]*,", re.IGNORECASE)  # not, in my view, solvable

_WANTED = r"(?:clarif\w+|information|details?|context)"
_UNCLEAR = re.compile(
    rf"\b(?:need|require|ask|lack|miss|without)\w*\s+(?:for\s+)?(?:\w+\s+){{0,2}}{_WANTED}\b"
    rf"|\b{_WANTED}\s+(?:\w+\s+){{0,4}}(?:needed|required|necessary|missing|lacking)\b"
    r"|\b(?:could|can|would|please)\s+(?:you\s+)?(?:please\s+)?(?:clarify|specify|tell\s+me)\b"
    r"|\b(?:ambiguous|underspecified|under-specified|too\s+vague|unclear\s+(?:whether|what|how|if|which))\b"
    r"|\b(?:impossible|cannot|can't|hard|not\s+possible)\s+(?:to\s+)?(?:say|tell|know|judge|decide)\s+(?:whether|if|how)\b"
    r"|\bnot\s+clear\s+(?:enough|whether|what|how|if|which)\b",
    re.IGNORECASE,
)
_CLEAR = re.compile(
    rf"\b(?:no|not)\s+(?:\w+\s+){{0,3}}{_WANTED}|n't\s+(?:\w+\s+){{0,3}}{_WANTED}|\bnot\s+ambiguous\b",
    re.IGNORECASE,
)


def is_unclear(text: str) -> bool:
    """Whether a text asks for something that the problem leaves open."""
    return _UNCLEAR.search(_CLEAR.sub("", text)) is not None


def sayings(text: str) -> Iterator[Saying]:
    """What the clauses of a text say, in their order; those that say nothing or are asides are left out."""
    text = _INSERTED.sub(r"\1 ", text.replace("’", "'"))
    for clause in _CLAUSE.split(text):
        if not clause.strip() or _ASIDE.search(clause):
            continue
        plain = _NO_NEGATION.sub("", clause)
        strong = _STRONG_WORD.search(plain)
        word = strong or _WEAK_WORD.search(plain)
        if word is None:
            continue
        before = plain[: word.start()]
        negations = [
            found for found in _NEGATION.finditer(before) if len(before[found.end() :].split()) <= _FAR
        ]
        yes = (word["yes"] is not None) ^ (len(negations) % 2 == 1)
        hedged = _HEDGE.search(before) is not None
        yield Saying(Solvability.SOLVABLE if yes else Solvability.UNSOLVABLE, strong is not None, hedged)


def said(text: str) -> Solvability | None:
    """What a verdict's own words say; its first clause that says something counts."""
    if is_unclear(text) or re.search(r"\bclarif|\bunclear\b", _CLEAR.sub("", text), re.IGNORECASE):
        return Solvability.UNCLEAR
    if re.match(r"\W*(?:no|false)\b(?!\s+(?:modif|clarif|problem|doubt))", text, re.IGNORECASE):
        return Solvability.UNSOLVABLE
    found = list(sayings(text))
    plain = [one for one in found if not one.hedged] or found
    if plain:
        return plain[0].solvability
    return Solvability.SOLVABLE if re.match(r"\W*(?:yes|true)\b", text, re.IGNORECASE) else None
