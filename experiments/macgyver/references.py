"""What an answer is compared with: solutions of its problem that are known to be right.

The release's file of problems holds one solution each, which is GPT-4's answer with its label, and about half
of these are labelled as wrong. People's solutions to some of these problems are in a file of their own.
"""

from __future__ import annotations

import re

from .readers import Release

_MARKUP = re.compile(r"<\s*/?\s*(?:br|p|b|i|li|ul|ol)\s*/?\s*>", re.IGNORECASE)
_SOUND = frozenset({"efficient", "inefficient", "correct_right_reason", "none"})
KINDS = ("sound", "released")


def plain_text(text: str) -> str:
    """A text in one line without the markup that the release's answers hold."""
    return " ".join(_MARKUP.sub(" ", text).split())


def same_text(one: str, other: str) -> bool:
    """Whether two texts differ in markup, blanks and the size of letters at most."""
    return plain_text(one).casefold() == plain_text(other).casefold()


def references(release: Release, kind: str = "sound") -> dict[int, tuple[str, ...]]:
    """Each problem's solutions, by its ID; a problem without any is left out.

    Parameters
    ----------
    release
        The files.
    kind
        ``sound``: the solution of the file of problems unless its label says that it is wrong, and what
        people wrote if it says the same as the file about whether there is a solution. ``released``: the
        solution of the file of problems alone, whatever its label.

    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}, expected one of {', '.join(KINDS)}")
    found: dict[int, list[str]] = {}
    for problem in release.problems:
        if kind == "released" or problem.label in _SOUND:
            found.setdefault(problem.id, []).append(plain_text(problem.solution))
    if kind == "sound":
        solvable = release.solvable()
        for human in release.human_solutions:
            if human.solvable == solvable[human.problem_id]:
                found.setdefault(human.problem_id, []).append(plain_text(human.solution))
    kept = {number: tuple(dict.fromkeys(filter(None, texts))) for number, texts in found.items()}
    return {number: texts for number, texts in kept.items() if texts}


_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_COPIED = 6  # words of a sentence; fewer stand in a question by chance, as "Verdict: solvable" does
_STEM = 5  # letters, so that tie and tied, candle and candles are the same
_MANY, _FEW = 8, 4  # so many words that are not even so many different ones are a loop
# Words of any problem and of any answer.
_COMMON = re.compile(
    r"a|able|about|after|all|also|an|and|any|are|as|at|be|because|but|by|can|could|do|"
    r"does|each|for|from|get|goal|had|has|have|how|however|i|if|in|into|is|it|its|make|"
    r"more|need|no|not|of|off|on|one|only|or|out|over|problem|put|same|should|so|"
    r"solution|some|step|steps|such|than|that|the|their|them|then|there|these|they|this|"
    r"those|through|to|too|two|up|use|used|using|very|was|way|we|what|when|where|which|"
    r"while|will|with|without|would|you|your",
)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def is_about(text: str, problem: str) -> bool:
    """Whether a text that is more than one word in a loop has a word in common with a problem.

    Words that any text has do not count. Of the release's 6,900 answers, 0.4% have none in common, most of
    which are about another problem than their own.
    """
    words = [word for word in _words(text) if word.isalpha()]
    if len(set(words)) < 2 or (len(words) > _MANY and len(set(words)) < _FEW):
        return False
    return not _stems(words).isdisjoint(_stems(_words(problem)))


def _stems(words: list[str]) -> set[str]:
    return {word[:_STEM] for word in words if word.isalpha() and _COMMON.fullmatch(word) is None}


def without_copies(text: str, source: str) -> str:
    """The text without its sentences that another text holds word for word."""
    spaced = f" {' '.join(_words(source))} "
    lines = []
    for line in text.splitlines():
        lines.append(" ".join(part for part in _SENTENCE.split(line) if not _is_copy(part, spaced)))
    return "\n".join(lines)


def _is_copy(sentence: str, spaced: str) -> bool:
    words = _words(sentence)
    return len(words) >= _COPIED and f" {' '.join(words)} " in spaced
