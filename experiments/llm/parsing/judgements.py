"""Reads a judge's reply: the category that it ends with, and whether a reflection changes the answer.

The rubric's own words are in ``rubric_words.py``; how the judge is asked is in ``macgyver/rubric.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...macgyver.problem import Category
from ..chat import Json
from .rubric_words import Rubric
from .text import json_values, without_fences, without_thoughts

# "A" and "a" are words too: a capital A counts before none but some words, a small letter at a line's end.
_ARTICLE = (
    r"(?<=A)\s+(?!(?:because|since|as|for|is|fits|applies|here|which|and|or|at|due|the|it|this)\b)(?-i:[a-z])"
)


def _letter(letter: str = "letter", more: str = "more") -> str:
    """A pattern for a letter, and for another that stands beside it, in groups of these names."""
    return (
        r"(?:option\s+)?[\"'*_`$(\[<]{0,9}(?:\\boxed\{)?"
        rf"\b(?P<{letter}>(?-i:[A-F]\b)(?!{_ARTICLE})|[a-f]\b(?=[^\w\n]*(?:\n|\Z)))(?!['’]\w)"
        rf"(?P<{more}>[*_`]*(?:\s*[/&|,]\s*|[–—-]|\s+(?:or|and|to|through)\s+)[*_`]*(?-i:[A-F])\b)?"
    )


_NAME = r"(?:categor(?:y|ie)|label|grade|judge?ment|verdict|rating|classification)"
_SEPARATOR = r"[\s*_]{0,9}(?:[:：=–—-]{1,3}>?|→)?[\s*_]{0,9}"
# A heading at the beginning of a line counts before words within a sentence.
_HEADING = (
    rf"^[^\w\n]*(?:(?:my|the|final|overall|correct)\s+)*(?:{_NAME}|(?:answer|choice)(?=[*_]*\s*[:：=]))"
    r"(?:\s+is)?"
)
_IN_SENTENCE = (
    rf"(?<!\bnot\s)(?<!\bnot a\s)(?<!\bnot be\s)(?<!\bno\s)\b{_NAME}\b"
    rf"(?:\s+(?:is|would\s+be|should\s+be))?{_SEPARATOR}"
)
_SAID = r"(?P<said>\S[^\n]*)"
_HEADED = re.compile(rf"{_HEADING}{_SEPARATOR}{_letter()}", re.IGNORECASE | re.MULTILINE)
_HEADED_WORDS = re.compile(
    rf"{_HEADING}(?:\s+\d+)?{_SEPARATOR}{_SAID}",
    re.IGNORECASE | re.MULTILINE,
)
_LABELLED = re.compile(
    rf"{_IN_SENTENCE}{_letter()}"
    rf"|\b(?:choose|pick|select|classif(?:y|ied)|label(?:led)?|rated?)(?:\s+(?:it|this))?(?:\s+as)?\s+"
    rf"{_letter('chosen', 'further')}",
    re.IGNORECASE,
)
_LABELLED_WORDS = re.compile(rf"{_IN_SENTENCE}{_SAID}", re.IGNORECASE)
_BARE = re.compile(rf"^[^\w\n]*{_letter()}[^\w\n]*(?:$|[:.)–—-]\s)", re.MULTILINE)
_LAST_WORDS = re.compile(rf"^[ \t]*{_SAID}\s*\Z", re.MULTILINE)
_BOXED = re.compile(r"\\boxed\{\W*(?:\\text\{)?([A-F])\b")
_KEYS = ("category", "label", "grade", "judgement", "judgment", "verdict", "rating", "choice", "answer")

_AT_LETTER = re.compile(rf"\A\W*(?:category\s+)?{_letter()}", re.IGNORECASE)

_LISTED = re.compile(
    r"^[^\w\n]*(?:\d{1,2}[.)]\s*)?(?:(?:option|categor(?:y|ie)|letter)\s*[:：]?\s*)?\W*([A-F])\b(?!['’]\w)"
    rf"(?!{_ARTICLE})",
    re.IGNORECASE,
)
_LIST = 3  # lines with one category after the other are a list of them, not a choice


def read_category(reply: str, rubric: Rubric | None = None) -> Category | None:
    """The category that a reply ends with; None where there is none, or where it names two at once.

    A key of JSON counts, then the last category that has a heading, by its letter or in the rubric's words,
    the last that is called so within a sentence, the last of the release's names for them, the rubric's words
    in the last line, and the last line that is a letter alone. A list of the categories is none of these.
    """
    rubric = rubric or Rubric()
    text = without_fences(without_thoughts(reply))
    for value in json_values(text):
        if (found := _of_json(value, rubric)) is not None:
            return found
    text = _without_lists(text, rubric)
    for letters, words, whole in ((_HEADED, _HEADED_WORDS, False), (_LABELLED, _LABELLED_WORDS, True)):
        if said := [*_by_letter(letters, text, rubric), *_by_words(words, text, rubric, whole)]:
            return _last(said)
    if (named := _named(text)) is not None:
        return named
    if boxed := _BOXED.findall(text):
        return Category[boxed[-1]]
    said = [*_by_letter(_BARE, text, rubric), *_by_words(_LAST_WORDS, text, rubric)]
    return _last(said) if said else None


def _last(said: list[tuple[int, Category | None]]) -> Category | None:
    return max(said, key=lambda each: each[0])[1]


def _by_letter(pattern: re.Pattern[str], text: str, rubric: Rubric) -> Iterator[tuple[int, Category | None]]:
    """Where a pattern's letters stand, and their categories: None of two, or where words say another."""
    for match in pattern.finditer(text):
        chosen = _chosen(match)
        beside = rubric.named(text[match.end() :].partition("\n")[0], whole=True)
        yield match.start(), chosen if beside in (None, chosen) else None


def _by_words(
    pattern: re.Pattern[str], text: str, rubric: Rubric, whole: bool = False
) -> Iterator[tuple[int, Category | None]]:
    """Where the rubric's words stand in a pattern's places, and their category."""
    for match in pattern.finditer(text):
        if (
            _AT_LETTER.match(match["said"]) is None
            and (named := rubric.named(match["said"], whole)) is not None
        ):
            yield match.start(), named


def _chosen(match: re.Match[str]) -> Category | None:
    groups = match.groupdict()
    if groups["more"] or groups.get("further"):
        return None
    return Category[(groups["letter"] or groups["chosen"]).upper()]


def _of_json(value: Json, rubric: Rubric) -> Category | None:
    if not isinstance(value, dict):
        return None
    plain = {str(key).strip().casefold().removeprefix("final_"): inner for key, inner in value.items()}
    for key in _KEYS:
        inner = plain.get(key)
        if isinstance(inner, str):
            inner = _without_lists(inner, rubric)
            said = list(_by_letter(_AT_LETTER, inner, rubric))
            return said[0][1] if said else rubric.named(inner) or _named(inner)
    return None


def _named(text: str) -> Category | None:
    found = [(text.rfind(category.value), category) for category in Category if category.value in text]
    return max(found, key=lambda each: each[0])[1] if found else None


def _without_lists(text: str, rubric: Rubric) -> str:
    """The text without lists of the categories, a line each or in one line, as copied from the question."""
    lines = [line for line in text.splitlines() if not _is_list(line, rubric)]
    places = [place for place, line in enumerate(lines) if line.strip()]
    entries = [_entry(lines[place], rubric) for place in places]
    runs: list[list[int]] = []
    last: Category | None = None
    for number, entry in enumerate(entries):
        if entry is None or last is None or entry.name <= last.name:
            runs.append([])
        runs[-1].append(number)
        last = entry
    dropped = {
        places[number]
        for run in runs
        for number in run
        if len(run) >= _LIST or (len(run) > 1 and all(rubric.all_in(lines[places[one]]) for one in run))
    }
    return "\n".join(line for place, line in enumerate(lines) if place not in dropped)


def _is_list(line: str, rubric: Rubric) -> bool:
    return len(rubric.all_in(line)) > 1 or sum(category.value in line for category in Category) >= _LIST


def _entry(line: str, rubric: Rubric) -> Category | None:
    """The category that a line of a list would be about."""
    if (letter := _LISTED.match(line)) is not None:
        return Category[letter[1].upper()]
    return rubric.named(line, whole=True) or _named(line)


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
