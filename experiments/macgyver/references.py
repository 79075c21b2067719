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
