"""Reads what a reflection makes of an answer: whether it is to be changed, and into what."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .text import without_thoughts

_NEW_NAME = (
    r"^[\W_]*(?:here(?:'s|\s+is)\s+)?(?:(?:the|my|a)\s+)?(?:new|modified|revised|updated|improved|final)\s+"
    r"(?:answer|solution)s?\b[\s*_]*"
)
_NEW = re.compile(rf"{_NEW_NAME}[:：]?[\s*_]*$|{_NEW_NAME}[:：]", re.IGNORECASE | re.MULTILINE)
_NOTHING = re.compile(
    r"\W*(?:n/?a|(?:none|nothing)(?:\s+(?:is\s+)?(?:needed|necessary|required))?|unchanged|(?:the\s+)?same(?:\s+as\s+(?:before|above))?|not\s+(?:needed|applicable)"
    r"|no\s+(?:changes?|modifications?)(?:\s+(?:is|are))?(?:\s+(?:needed|necessary|required))?)\W*",
    re.IGNORECASE,
)
_NEEDED = r"(?:needed|necessary|required)"
_CHANGE = re.compile(
    r"^\W*(?:\d+[.)]\s*)?(?:(?:is\s+)?(?:an?y?\s+)?(?:changes?|modifications?)"
    rf"(?:\s+(?:is\s+|are\s+)?{_NEEDED})?|conclusion\s*2)[\s*_\"']*[:=?–—-][\s*_]*(?P<said>\S.*)$"
    rf"|^\W*(?:so\s+|hence\s+|therefore,?\s+)?(?P<alone>no\s+(?:further\s+|more\s+|other\s+)?(?:changes?|modifications?)\b.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ALTER = r"(?:need|chang|modif|necess|requir|adjust|revis|correct|updat|improv)\w*"
_NO_CHANGE = re.compile(
    # The whole of it: "none", "no", "not at all".
    r"^\W*(?:none|nothing|no(?:pe)?|not(?:\s+(?:at\s+all|really|applicable))?|never|false|zero|0|n/?a)\W*$"
    r"|^\W*(?:none|nothing)\b"
    rf"|(?:\b(?:no|not|none|nothing|without|never|cannot)|n't)\s+(?!(?:only|just|merely)\b)(?:\w+\s+){{0,3}}?{_ALTER}"
    r"|\bneed(?:n't|\s+not)\b|\bun(?:changed|needed|necessary|modified)\b"
    r"|\b(?:answer|solution|plan|it|everything|all)\s+(?:still\s+)?(?:stands|holds|works|(?:stays|remains)(?:\s+the\s+same|\s+as\s+\w+)?)\b"
    r"|^\W*(?:keep|stays?|same|as\s+(?:it\s+)?(?:is|before|above))\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"\A\s*[-=*_]{3,}[ \t]*\n")  # below a heading
_REASONS = re.compile(r"[,;:(.—–]|\s-\s|\b(?:so|but|since|because|as)\b", re.IGNORECASE)
_PARENTHESIS = re.compile(r"^\W*\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a reflection says of the answer before it.

    ``needs_change`` says that there is something to reflect on again. ``answer`` takes the place of the one
    before, if it is not empty. ``ignored`` is an answer that the reflection gives though it says that no
    change is needed.
    """

    needs_change: bool
    answer: str = ""
    ignored: str = ""


def read_reflection(reply: str) -> Reflection:
    """Read a reflection.

    The last line that is labelled as its conclusion counts; without one, a new answer is a change. Whether a
    new answer is wanted is said by the last conclusion before it, or after it where there is none before.
    """
    text = without_thoughts(reply)
    labels = list(_CHANGE.finditer(text))
    headings = list(_NEW.finditer(text))
    if headings:
        answer = _answer(text[headings[-1].end() :])
        before = [label for label in labels if label.start() < headings[-1].start()] or labels
    elif labels and not _says_none(labels[-1]):
        answer = _answer(text[labels[-1].end() :])  # without a heading, what follows on the need of a change
        before = labels
    else:
        answer, before = "", labels
    wanted = not before or not _says_none(before[-1])
    needs_change = not _says_none(labels[-1]) if labels else bool(answer)
    return Reflection(needs_change, answer if wanted else "", "" if wanted else answer)


def _answer(text: str) -> str:
    answer = _RULE.sub("", text).strip().strip("*_").strip()
    return "" if _NOTHING.fullmatch(answer) else answer


def _says_none(conclusion: re.Match[str]) -> bool:
    """Whether a conclusion says, before any reasons, that there is nothing to change."""
    said = conclusion["said"] or conclusion["alone"]
    plain = _PARENTHESIS.sub("", said.replace("’", "'"))
    return _NO_CHANGE.search(_REASONS.split(plain, maxsplit=1)[0]) is not None
