"""How well automatic measures of an answer follow people's labels: the paper's open question.

Source: Tian et al. (2024), "Limitations": a weak correlation of BLEU and BERTScore with people's labels.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import UserError
from ..terminal.writing import counted
from . import paper
from .judging import SCORES, aggregated
from .measures import PearsonCorrelation, correlation
from .problem import Answer, Category
from .readers import Release
from .references import plain_text, references, same_text


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled answer and what it is compared with."""

    problem_id: int
    model: str
    category: Category
    text: str  # in one line, without markup
    references: tuple[str, ...]
    solvable: bool


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs that count, and how many labelled answers do not, and why."""

    kept: tuple[Pair, ...]
    without_reference: int
    identical: int


def pairs(release: Release, kind: str, aggregate: bool = False, identical: bool = False) -> Pairs:
    """The labelled answers of a release that have something to be compared with.

    Parameters
    ----------
    release
        The files.
    kind
        Of the references, as ``references`` has them.
    aggregate
        Whether several labels of one answer are made one, as in the paper's appendix D.2.
    identical
        Whether answers stay that are a reference of their problem, word for word. Most of them are GPT-4's,
        which the release has taken its solutions from.

    Raises
    ------
    UserError
        If no answer is left.

    """
    known, solvable = references(release, kind), release.solvable()
    answers: Sequence[Answer] = release.answers
    if aggregate:
        answers = aggregated(answers, solvable)
    kept, without, same = [], 0, 0
    for answer in answers:
        if answer.category is None:
            continue
        texts = known.get(answer.problem_id, ())
        if not texts:
            without += 1
        elif not identical and any(same_text(answer.solution, text) for text in texts):
            same += 1
        else:
            kept.append(
                Pair(
                    answer.problem_id,
                    answer.model,
                    answer.category,
                    plain_text(answer.solution),
                    texts,
                    solvable[answer.problem_id],
                )
            )
    if not kept:
        raise UserError("no answer has both a label and a solution to compare it with: check the files")
    return Pairs(tuple(kept), without, same)


SUBSETS: Mapping[str, Callable[[Pair], bool]] = {
    "all answers": lambda pair: True,
    "solvable problems": lambda pair: pair.solvable,
    "unsolvable problems": lambda pair: not pair.solvable,
    "people's answers": lambda pair: paper.RELEASED_NAMES.get(pair.model, pair.model) == "human",
    "models' answers": lambda pair: paper.RELEASED_NAMES.get(pair.model, pair.model) != "human",
}


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """One measure on some of the answers.

    ``score`` is its correlation with the label as a score from 0 to 1, ``right`` with 1 for right (A, B, C)
    and 0 for wrong. ``paper`` is the paper's correlation, which is of all answers.
    """

    measure: str
    subset: str
    n_problems: int
    score: PearsonCorrelation
    right: PearsonCorrelation
    paper: float | None


def measure_rows(
    name: str, kept: Sequence[Pair], scores: Sequence[float | None], draws: int, seed: int = 0
) -> list[MeasureRow]:
    """A measure's correlations by subset; pairs without a score are left out, and so are empty subsets."""
    if len(kept) != len(scores):
        raise ValueError(
            f"got {counted(len(kept), 'pair')} and {counted(len(scores), 'score')}, expected as many"
        )
    scored = [(pair, score) for pair, score in zip(kept, scores, strict=True) if score is not None]
    found = []
    for title, belongs in SUBSETS.items():
        part = [(pair, score) for pair, score in scored if belongs(pair)]
        if not part:
            continue
        groups = [pair.problem_id for pair, _ in part]
        values = [score for _, score in part]
        by_score, by_right = (
            correlation(values, labels, groups, draws, seed)
            for labels in (
                [SCORES[pair.category] for pair, _ in part],
                [float(pair.category.correct) for pair, _ in part],
            )
        )
        published = paper.CORRELATIONS.get(name) if title == "all answers" else None
        found.append(MeasureRow(name, title, len(set(groups)), by_score, by_right, published))
    return found


def sampled(found: Pairs, number: int | None, seed: int) -> tuple[Pair, ...]:
    """So many of the pairs, drawn by the seed, in their order; all of them where there are no more."""
    if number is None or number >= len(found.kept):
        return found.kept
    places = sorted(random.Random(seed).sample(range(len(found.kept)), number))
    return tuple(found.kept[place] for place in places)


def notes(found: Pairs, kind: str) -> list[str]:
    """What was left out, in words."""
    what = "solution that is labelled as right" if kind == "sound" else "solution"
    told = []
    if found.without_reference:
        told.append(f"Left out: {counted(found.without_reference, 'answer')} whose problem has no {what}.")
    if found.identical:
        told.append(
            f"Left out: {counted(found.identical, 'answer')} equal to a reference of the problem, "
            "word for word (--identical keeps them)."
        )
    return told
