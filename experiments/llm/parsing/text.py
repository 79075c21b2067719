"""What a reply says beside its thoughts, and the JSON that it holds, whole or cut short."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..chat import Json, Reply
from ..outcomes import CUT, of_finish

_THOUGHT = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_CLOSED = re.compile(rf"<({_THOUGHT})>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_OPENED = re.compile(rf"<({_THOUGHT})>.*\Z", re.IGNORECASE | re.DOTALL)
_ENDED = re.compile(rf"\A.*</({_THOUGHT})\s*>", re.IGNORECASE | re.DOTALL)
_CHANNEL = re.compile(r"\A.*<\|channel\|>\s*final\s*<\|message\|>", re.DOTALL)
_ANSWER = re.compile(r"<(answer|solution|output|response)>(.*?)(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_MARK = re.compile(r"<\|[^|<>\n]*\|>|</?(?:s|pad|answer|solution|output|response)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_HEADING = re.compile(
    r"^\W*(?:(?:my|the|so|here is|here's|and)\s+)*"
    r"(?:final\s+(?:answer|solution|groups?|grouping|connections?)|solved\s+wall|answer|solution)\b"
    r"(?:[^\n:]{0,40}[:：]|[\W_]*$)",
    re.IGNORECASE | re.MULTILINE,
)
# How models begin that think aloud without tags, and what they say on the way.
_THINKING = re.compile(
    r"\A\W*(?:(?:okay|ok|alright|all right|well|so|now|first|right|hmm+)\b\W*)*"
    r"(?:let me|let's|let us|we (?:need|have|are|must|can|should|want)|the (?:user|task|puzzle)|thinking|"
    r"looking at|i (?:need|have|should|must|will|think|am|can|want)|i['’](?:m|ll|ve)|"
    r"to (?:solve|find|group|answer)\b[^.\n]{0,80}\b(?:we|i|let))\b",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r"\A\s*[^\n]{0,200}[:：]\W*\n")  # to a list
_DOUBT = re.compile(
    r"\b(?:wait|hmm+|maybe|perhaps|alternatively|let me|let's|i think|i need|(?:could|might) be|not sure)\b",
    re.IGNORECASE,
)
_DOUBTS = 3
# Four clues on a line, of which one or two may hold a separator; and four below each other.
_ITEM = r"[^,;|\n]{1,60}"
_GROUP_LINE = re.compile(rf"^[ \t|]*{_ITEM}(?:[,;|]{_ITEM}){{3,5}}[ \t|]*$", re.MULTILINE)
_GROUP_BLOCK = re.compile(r"(?:^[ \t]*[-*+•][ \t]+[^\n]{1,60}(?:\n|\Z)){4}(?![ \t]*[-*+•])", re.MULTILINE)
_SOME_GROUPS, _ALL_GROUPS = 2, 4
_JSON_STRING = r'"(?:[^"\\\n]|\\.)*"'
_STRINGS = re.compile(rf"\[\s*({_JSON_STRING}(?:\s*,\s*{_JSON_STRING})*)\s*(?:,?\s*\]|,?\s*\"?[^\[\]\"]*\Z)")
_NESTED = 200  # brackets in each other, far beyond any answer's


def without_thoughts(text: str) -> str:
    """The reply without what its model thought aloud between tags, and without marks of its template.

    Thoughts whose opening the chat template has swallowed end at their closing tag; thoughts that never end
    leave nothing. Of several answers between tags, the last one counts.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    text = _CLOSED.sub("\n", text)
    text = _ENDED.sub("\n", text)
    text = _OPENED.sub("\n", text)
    text = _CHANNEL.sub("\n", text)
    answers = [match[2] for match in _ANSWER.finditer(text) if match[2].strip()]
    if answers:
        text = answers[-1]
    return _MARK.sub("\n", text)


def answer_text(reply: Reply) -> str:
    """What a reply says beside its thoughts, those included that have no tags.

    The latter are known only where the reply ran out of tokens in the middle of them: no answer has come.
    Groups that follow a chatty opening, such as "Let me group these", are an answer; among doubts they are
    one only if all four stand behind the last doubt.
    """
    text = without_thoughts(reply.text)
    if of_finish(reply.finish) is not CUT:
        return text
    headings = list(_HEADING.finditer(text))
    if headings and text[headings[-1].end() :].strip():
        return text
    doubts = list(_DOUBT.finditer(text))
    if len(doubts) >= _DOUBTS:
        return text if _n_groups(text[doubts[-1].end() :]) >= _ALL_GROUPS else ""
    chatty = _THINKING.match(_INTRODUCTION.sub("", text)) is not None
    return "" if chatty and _n_groups(text) < _SOME_GROUPS else text


def _n_groups(text: str) -> int:
    """How many lists of four a text holds: on lines of their own, as bullets, or in JSON."""
    in_json = [strings[1] for strings in _STRINGS.finditer(text) if strings[1].count('",') >= 3]
    return max(len(_GROUP_LINE.findall(text)), len(_GROUP_BLOCK.findall(text)), len(in_json))


def without_fences(text: str) -> str:
    """The text without the lines that open and close blocks of code."""
    return _FENCE.sub("", text)


def is_json(text: str) -> bool:
    """Whether a text is one JSON object or array, perhaps in a block of code, and nothing else."""
    try:
        value = json.loads(without_fences(text))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list)


def json_values(text: str) -> Iterator[Json]:
    """Each outermost JSON object or array in the text that is whole, and then what is whole of others.

    The latter comes last, as a list of the lists of texts that can be read in all of the text.
    """
    decoder = json.JSONDecoder()
    place, failed = 0, 0
    while (opening := re.compile(r"[\[{]").search(text, place)) is not None and failed < _NESTED:
        try:
            value, place = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            place = opening.start() + 1
            failed += 1
        else:
            yield value
    if failed:
        lists = [json.loads(f"[{strings[1]}]") for strings in _STRINGS.finditer(text) if _sound(strings[1])]
        if lists:
            yield lists


def _sound(strings: str) -> bool:
    try:
        json.loads(f"[{strings}]")
    except ValueError:
        return False
    return True
