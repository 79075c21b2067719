"""The tools that a problem's text presents, by rules: where the list is, where it is cut, what a name is.

A tool's name is what the list calls it, in small letters, without its article, its measure ("a roll of"),
its size and state ("small", "broken") and what follows it ("with a blunt blade", "that is too short"). So a
plastic knife is not a metal knife, as in the paper, but a rusty knife is a knife.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .tool_words import (
    ADJECTIVE_FORMS,
    AFTER_STATES,
    AND,
    ASIDE,
    CLAUSES,
    CUES,
    DETERMINERS,
    ED_NOUNS,
    JOINING,
    KEPT,
    KINDS,
    LAST_AND,
    LAST_NOUNS,
    MEASURES,
    MORE,
    NO_ADVERBS,
    NO_NAME,
    NO_TOOLS,
    NOUNS,
    SAME,
    SKIPPED,
    STATE_FORMS,
    STATES,
    VERB,
)

_SENTENCE_END = re.compile(r"(?<=[.?!])[\"”')]*\s+(?=[\"“'(]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"\b(?:sq|ft|in|cm|mm|oz|lbs?|approx|e\.g|i\.e|vs|dr|mr|mrs|st)\.$", re.I)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_UNIT = (
    r"(?:inch(?:es)?|foot|feet|ft|cm|mm|m|meters?|metres?|centimet(?:er|re)s?|yards?|l|ml|lit(?:er|re)s?|"
    r"millilit(?:er|re)s?|gallons?|quarts?|pints?|watts?|oz|ounces?|pounds?|tons?|mah|kg|g)"
)
_COUNT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|half|several)"
)
_NUMBER = re.compile(
    rf"^(?:\d[\d.,/]*(?:\s*(?:x|by)\s*\d+)?(?:[\s-]?{_UNIT}\b)?|{_COUNT}[\s-]{_UNIT}\b)"
    r"(?:[\s-](?:long|tall|wide|high|deep)\b)?(?=\s|-|$)[-\s]*",
    re.I,
)
_COMMA = r",(?!\d{3}\b)"
_LONGEST = 7  # words of a name: what is longer is not a name but a sentence


def tools_of(text: str) -> tuple[str, ...]:
    """The tools of a problem, each once, in the order of the text; none where no list is found."""
    names = (tool_name(item) for part in _lists(text) for item in _items(part))
    return tuple(dict.fromkeys(name for name in names if name))


def _lists(text: str) -> Iterator[str]:
    """The parts of sentences that list tools: after a cue, to the sentence's end."""
    every = sentences(text)
    found = False
    for sentence in every:
        for cue in CUES:
            match = cue.search(sentence)
            if match is None:
                continue
            listed = sentence[match.end() :]
            number = len(_items(listed))
            if number >= (2 if match.group().endswith(":") else 3) or (number and MORE.search(sentence)):
                found = True
                yield listed
                break
    if not found:
        yield _longest(every)


def _longest(every: list[str]) -> str:
    """For want of a long enough list after a cue, the longest one there is."""
    after = [
        sentence[match.end() :]
        for sentence in every
        for match in [next(filter(None, (cue.search(sentence) for cue in CUES[:-1])), None)]
        if match is not None
    ]
    if after:
        return max(after, key=lambda listed: len(_items(listed)))
    longest = max(every, key=lambda sentence: sentence.count(","), default="")
    return longest if longest.count(",") >= 2 else ""


def sentences(text: str) -> list[str]:
    """The sentences of a text, without what stands in brackets."""
    plain = _BRACKETS.sub(" ", " ".join(text.replace("’", "'").split()))
    plain = re.sub(r"\s+([,.;:?!])", r"\1", plain)
    found: list[str] = []
    for part in _SENTENCE_END.split(plain):
        if found and _ABBREVIATION.search(found[-1]) and not part[:1].isupper():
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def _items(listed: str) -> list[str]:
    """The members of a list as they are written."""
    listed = listed.strip(" .?!:,-–")
    mark = ";" if listed.count(";") >= 2 else _COMMA
    joined: list[str] = []
    ended = False  # by an "and" before the last
    for part in filter(None, map(str.strip, re.split(rf"{mark}|;|\s[-–—]\s", listed))):
        if joined and ASIDE.match(part):
            joined[-1] += f", {part}"
        elif joined and mark != ";" and _is_unfinished(joined[-1], part):
            joined[-1] += f" {part}"
        else:
            bare = JOINING.sub("", part)
            ended = ended or (bare != part and bool(joined))
            if bare:
                joined.append(bare)
    pieces = [piece for part in joined for piece in AND.split(part)]
    if pieces and not ended and len(joined) > 1:
        pieces[-1:] = _split_last(pieces[-1])
    return [piece.strip() for piece in pieces if piece.strip()]


def _split_last(piece: str) -> list[str]:
    """The last two of a list without a comma between them."""
    end = _name_end(piece)
    ands = list(LAST_AND.finditer(piece[:end]))
    if ands and not _all_adjectives(piece[: ands[-1].start()]):
        return [piece[: ands[-1].start()], piece[ands[-1].end() :]]
    return [piece]


def _is_unfinished(part: str, following: str) -> bool:
    """Adjectives whose noun is yet to come, as "a small" before "thin plate"."""
    if DETERMINERS.match(following):
        return False
    if _all_adjectives(part):
        return True
    words = part.casefold().split()
    before = words[-2] if len(words) > 1 else ""
    return _is_adjective(words[-1]) and (
        _is_adjective(before) or before in {"of", "with", "a", "an", "the", "some", "by", "from"}
    )


def _all_adjectives(text: str) -> bool:
    words = MEASURES.sub("", f"{_without_determiners(text.casefold())} ").replace(",", " ").split()
    return all(_is_adjective(word) or word in {"and", "but", "or", "yet"} for word in words)


def _is_adjective(word: str) -> bool:
    if _is_state(word) or word in KINDS:
        return True
    if word not in NOUNS and ADJECTIVE_FORMS.search(word):
        return True
    return len(word) > 5 and word.endswith("ed") and not word.endswith(ED_NOUNS)


def _is_state(word: str) -> bool:
    if word in STATES or STATE_FORMS.search(word):
        return True
    return len(word) > 4 and word.endswith("ly") and word not in NO_ADVERBS


def _without_determiners(text: str) -> str:
    return DETERMINERS.sub("", f"{text} ").strip()


def _name_end(item: str) -> int:
    """Where what tells more of a tool begins."""
    for clause in CLAUSES.finditer(item):
        if not _all_adjectives(item[: clause.start()]):
            return clause.start()
    return len(item)


def tool_name(item: str) -> str:
    """The name of a list's member; empty where it has none."""
    name = SKIPPED.sub("", item.casefold().strip(" .,:;'\"“”"))
    name = _whole(re.split(_COMMA, name[: _name_end(name)]))
    name = re.sub(r"[^\w\s&'/.-]", "", _bare(name)).strip(" -.'&/")
    if (
        not any(map(str.isalpha, name))
        or NO_NAME.search(name)
        or name in NO_TOOLS
        or name.count(" ") >= _LONGEST
        or (_all_adjectives(name) and name not in NOUNS)
    ):
        return ""
    for written, known in SAME:
        name = re.sub(rf"\b{written}(?=s?\b)", known, name)
    return name


def _bare(name: str) -> str:
    """Without determiners, measures, sizes and states."""
    before = ""
    while name != before:
        before = name
        name = MEASURES.sub("", _without_determiners(_NUMBER.sub("", name).strip()))
        name = _without_states(VERB.sub("", name).split())
    return name


def _without_states(words: list[str]) -> str:
    """A name without the states among its first adjectives and those after "of", and at its end."""
    kept: list[str] = []
    adjectives = True
    for place, word in enumerate(words[:-1]):
        goes = _is_state(word) and f"{word} {words[place + 1]}" not in KEPT
        goes = goes or (word in AFTER_STATES and place > 0 and _is_adjective(words[place - 1]))
        if adjectives and (goes or word in {"but", "yet"} or (not kept and word in {"and", "or", "of"})):
            if kept and kept[-1] in {"and", "or"}:
                kept.pop()
            continue
        kept.append(word)
        adjectives = _is_adjective(word) or word in {"of", "and"}
    kept.extend(words[-1:])
    while len(kept) > 1 and _ends_no_name(kept[-2], kept[-1]):
        kept.pop()
    return " ".join(kept)


def _ends_no_name(before: str, word: str) -> bool:
    if word in {"and", "or"} or (word in {"out", "up"} and _is_adjective(before)):
        return True
    return _is_adjective(word) and word not in LAST_NOUNS | KINDS | NOUNS


def _whole(parts: list[str]) -> str:
    """The first of an item's parts that has a noun, with the adjectives before it."""
    kept = parts[0]
    for part in parts[1:]:
        if not _all_adjectives(_NUMBER.sub("", _without_determiners(kept)).strip()):
            break
        kept += f" {part.strip()}"
    return kept
