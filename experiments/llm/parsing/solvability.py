"""Whether an answer says that its problem can be solved, cannot be, or is not clear enough to say.

What single words say is in ``verdict_words.py``; here is where in a reply they count.
"""

from __future__ import annotations

import re

from ...macgyver.references import plain_text
from ...macgyver.shared_words import is_about, without_copies
from ..chat import Json, Reply
from .text import answer_text, json_values, without_fences, without_thoughts
from .verdict_words import Saying, Solvability, is_unclear, said, sayings

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
