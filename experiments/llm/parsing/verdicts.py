"""Whether an answer says that its problem can be solved, cannot be, or is not clear enough to say.

First what a clause says, then where in a reply it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ...macgyver.references import is_about, plain_text, without_copies
from ..chat import Json, Reply
from .text import answer_text, json_values, without_fences, without_thoughts


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


_KEYS = ("verdict", "solvability", "status", "conclusion", "answer")
_TRUTHS = {
    "solvable": Solvability.SOLVABLE,
    "unsolvable": Solvability.UNSOLVABLE,
    "needs_clarification": Solvability.UNCLEAR,
}
_CONTRARY = {Solvability.SOLVABLE: Solvability.UNSOLVABLE, Solvability.UNSOLVABLE: Solvability.SOLVABLE}
_MARKS = re.compile(r"[*_`#>]+")
_MARKUP = re.compile(r"<\s*(?:br|/p|/li)\s*/?\s*>", re.IGNORECASE)
_NAME = (
    r"\W*(?:\d+[.)]\s*)?(?:part\s+\d\W+)?(?:(?:my|the)\s+)?(?:(?:final|overall)\s+)?"
    r"(?:verdict|solvability(?:\s+status)?|status|conclusion(?:\s*\d)?)"
)
_ALONE = re.compile(rf"^({_NAME})\s*[:：]?\s*\n\s*(?=\S)", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(
    rf"^(?:{_NAME}\s*(?:[:：=–—-]|\bis\b\s*:?)"
    r"|\W*(?:\d+[.)]\s*)?solvable\s*(?:[:：=–—-]|\?)"
    r"|\W*is\s+(?:it|this|(?:the|this)\s+(?:problem|task))\s+(?:indeed\s+|really\s+|still\s+)?solvable\s*(?:\?\s*[:：=–—-]?|[:：=–—-]))"
    r"\s*(?P<said>\S.*)$",
    re.IGNORECASE,
)
_UNSOLVABLE_LABEL = re.compile(r"^\W*unsolvable\s*[:?]+\s*(?P<truth>yes|no|true|false)\W*$", re.IGNORECASE)
# The prompt's own words, where a model repeats them.
_CHOICES = re.compile(r"^.*\bsolvable\b\W{1,4}(?:or\W+)?unsolvable\b.*$", re.IGNORECASE | re.MULTILINE)
_STEP = re.compile(r"(?:^|\n|\s)(?:step\s*-?\s*\d+|\d+\s*[.)])", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_HEADING = re.compile(r"\W*(?:answer|solution)\W*", re.IGNORECASE)
# That the whole problem is meant, and not one way of doing it; at the beginning all of the tools are enough.
_TOOLS = re.compile(r"\b(?:given|provided|available|these|those|listed|tools|items)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:problem|task|goal|situation|puzzle|challenge)\b"
    r"|^\W*(?:(?:it|this)\s+is\s+|it's\s+|this's\s+)?(?:\w+\s+)?\w+\W*$",
    re.IGNORECASE,
)
_NO_TOOL = re.compile(
    r"\b(?:none|neither|nothing)\s+(?:of|among|in|here)\b.*\b(?:can|could|will|would|is|are|do|does|allows?|helps?)\b"
    r"|^\W*(?:this|it|that|nothing)\s+(?:can't|cannot|won't|will\s+not|does\s*n.t|will)\s+work\b",
    re.IGNORECASE,
)
_NO = re.compile(r"\W*no(?:pe)?(?:\s+way)?\s*(?:[.,!;:–—]|$)", re.IGNORECASE)
# What a model says in place of an answer, and what says nothing of what to do.
_REFUSAL = re.compile(
    r"\bas an? (?:ai|artificial|(?:large )?language model)\b"
    r"|\bI(?:'m| am)?\s+(?:can't|can\s?not|unable to|not able to|won't|will not|must|have to|decline)\b"
    r"(?:\s+\w+){0,3}\s+(?:help|assist|answer|comply|fulfil|provide|respond|engage|discuss|decline|refuse)",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"[:：]\W*$|^\W*(?:how|what|can|could|would|do|does|is|are|shall|should|which|why)\b.*[?!]\W*$|^\W*(?:hello|hi|hey|sure|okay|ok|certainly|of\s+course|thanks|thank\s+you|sorry|here\s+(?:is|are|'s)"
    r"|let(?:'s|\s+me|\s+us)\s+(?:think|see|start|begin|look|analy[sz]e)"
    r"|i\s+(?:do\s+not|don't)\s+(?:know|understand)|i(?:'m|\s+am)\s+(?:not\s+sure|sorry))\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"\s*\{.*\}\s*", re.DOTALL)
_OF_PLAN = re.compile(r"\"\W*(?:steps?|plan|solution|answer|actions?)\w*\"\s*:", re.IGNORECASE)
_YES = re.compile(r"\W*(?:yes|yep|yeah)\b", re.IGNORECASE)
_WAY = re.compile(r"\bthere(?:'s|\s+is)\s+(?:\w+\s+){0,2}way\b", re.IGNORECASE)
_OPENING = 2  # sentences in which an answer without steps says what it makes of the problem


def read_solvability(reply: str, problem: str, question: str = "") -> Solvability:
    """What a reply says of its problem.

    The last line that is labelled as a verdict counts, or such a key of JSON. Without one, what the reply
    opens with counts, and, where it holds no steps, what it says anywhere. A plan that says nothing of it is
    meant as a solution. What is not a plan either is unread: a refusal, gibberish, or an answer to something
    else, which shares no word with the problem. Sentences copied from the problem, or from the whole
    ``question`` that the model was asked, do not count.
    """
    text = without_fences(without_thoughts(_MARKUP.sub("\n", reply))).replace("\u00ad", "")
    if not any(map(str.isalnum, text)):
        return Solvability.UNREAD
    for value in json_values(text):
        if (found := _of_json(value)) is not None:
            return found
    plain = without_copies(_CHOICES.sub("", _MARKS.sub("", text).replace("’", "'")), f"{problem}\n{question}")
    labelled = [
        found for line in _ALONE.sub(r"\1: ", plain).splitlines() if (found := _of_line(line)) is not None
    ]
    if labelled:
        return labelled[-1]
    if not any(map(str.isalnum, plain)):
        return Solvability.UNREAD  # nothing but copies
    if (found := _unlabelled(plain)) is not None:
        return found
    meant = _is_plan(plain) and (is_about(plain, problem) or _says_yes(plain))
    return Solvability.SOLVABLE if meant else Solvability.UNREAD


def _says_yes(text: str) -> bool:
    """Whether a text says in any words that there is a way, though not of the problem as a whole."""
    labels = [label["said"] for line in text.splitlines() if (label := _LABEL.match(line)) is not None]
    if _YES.match(text) or any(map(_WAY.search, labels)):
        return True
    return _weighed(list(sayings(text))) is Solvability.SOLVABLE


def answer_of(reply: Reply) -> str:
    """What a reply says beside its thoughts; empty where it ran out of tokens while its model thought aloud.

    What opens with a verdict, as the prompt asks for, is an answer however it goes on.
    """
    text = without_thoughts(reply.text)
    first = next((line for line in _MARKS.sub("", text).splitlines() if line.strip()), "")
    return text if _of_line(first) is not None else answer_text(reply)


def _is_plan(text: str) -> bool:
    """Whether a reply has the form of a plan: steps, or a sentence at least that may say what to do."""
    if _STEP.search(text) is not None:
        return True
    if _OBJECT.fullmatch(text) is not None:
        return _OF_PLAN.search(text) is not None
    sentences = []
    for line in text.splitlines():
        label = _LABEL.match(line)
        if label is None:
            sentences += [part.strip() for part in _SENTENCE.split(line)]
        elif _WAY.search(label["said"]):
            return True
    if any(_REFUSAL.search(part) for part in sentences[:_OPENING]):
        return False
    if sentences and _YES.match(sentences[0]):
        return True
    return any(len(part.split()) > 1 and not _TALK.search(part) for part in sentences)


def _of_line(line: str) -> Solvability | None:
    """What a line says that is labelled as a verdict."""
    if (label := _LABEL.match(line)) is not None:
        return said(label["said"])
    if (label := _UNSOLVABLE_LABEL.match(line)) is not None:
        right = label["truth"].casefold() in ("yes", "true")
        return Solvability.UNSOLVABLE if right else Solvability.SOLVABLE
    return None


def _unlabelled(text: str) -> Solvability | None:
    sentences = [plain_text(part) for part in _SENTENCE.split(text) if part.strip()]
    sentences = [part for part in sentences if not _HEADING.fullmatch(part)]
    if _STEP.search(text) is not None:
        # Beside steps, what is not possible is as often another way of doing it.
        opening = _TOOLS.search(sentences[0]) is not None
        found = [*_of_whole(sentences[0], opening), *_of_whole(sentences[-1], False)]
    else:
        if is_unclear(" ".join(sentences[:_OPENING])):
            return Solvability.UNCLEAR
        found = [one for part in sentences for one in sayings(part)]
        no = any(_NO.match(part) or _NO_TOOL.search(part) for part in sentences[:_OPENING])
        if no and not found:
            return Solvability.UNSOLVABLE
    return _weighed(found)


def _of_whole(sentence: str, whole: bool) -> list[Saying]:
    whole = whole or _WHOLE.search(sentence) is not None
    return [one for one in sayings(sentence) if one.strong or (whole and not one.hedged)]


def _weighed(found: list[Saying]) -> Solvability | None:
    """Of all that is said, the first in strong words without a hedge counts, and so on down."""
    for strong, hedged in ((True, False), (False, False), (True, True), (False, True)):
        for one in found:
            if (one.strong, one.hedged) == (strong, hedged):
                return one.solvability
    return None


def _of_json(value: Json) -> Solvability | None:
    if not isinstance(value, dict):
        return None
    plain = {re.sub(r"[\s-]+", "_", str(key).strip().casefold()): inner for key, inner in value.items()}
    for name, meant in _TRUTHS.items():
        for key in (name, f"is_{name}", f"is{name}"):
            inner = plain.get(key)
            if isinstance(inner, str) and inner.strip().casefold() in ("yes", "true", "no", "false"):
                inner = inner.strip().casefold() in ("yes", "true")
            if inner is True:
                return meant
            if inner is False and meant in _CONTRARY:
                return _CONTRARY[meant]
    for key in (*_KEYS, "solvable", "is_solvable"):
        inner = plain.get(key)
        if isinstance(inner, str) and (found := said(inner.replace("_", " "))) is not None:
            return found
    return None
