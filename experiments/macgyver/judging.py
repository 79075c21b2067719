"""From annotators' labels to one label an answer, how well annotators agree, and a label as a score.

Source: Tian et al. (2024), sections 2.2 and 5.2 and appendix D.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from ..terminal.writing import counted
from . import paper
from .problem import Answer, Category

WORST_LAST = tuple(Category)  # from A, efficient, to F, failing to see whether there is a solution

# The paper says "from 0 (Fail) to 1 (Perfect)" and no more: its five steps, evenly spaced.
SCORES: Mapping[Category, float] = MappingProxyType(
    {
        Category.A: 1.0,
        Category.B: 0.75,
        Category.C: 1.0,
        Category.D: 0.5,
        Category.E: 0.25,
        Category.F: 0.0,
    }
)


def gold_label(labels: Sequence[Category], solvable: bool) -> Category:
    """One label of those that several annotators gave an answer.

    The worst one where the problem is solvable, since an annotator who does not know of a better way takes
    an inefficient one for efficient; elsewhere the most frequent one, of equally frequent ones the worst.

    Raises
    ------
    ValueError
        If there is no label.

    """
    if not labels:
        raise ValueError("got no labels, expected at least one")
    kept = labels
    if not solvable:
        counts = Counter(labels)
        most = max(counts.values())
        kept = [label for label in counts if counts[label] == most]
    return max(kept, key=WORST_LAST.index)


def aggregated(answers: Sequence[Answer], solvable: Mapping[int, bool]) -> tuple[Answer, ...]:
    """One answer for those of the same text by the same model to the same problem, with their gold label.

    Answers without any label stay as they are; so does the order.
    """
    kept = []
    for repeats in repeated(answers).values():
        labels = [answer.category for answer in repeats if answer.category is not None]
        first = repeats[0]
        label = gold_label(labels, solvable[first.problem_id]) if labels else None
        kept.append(Answer(first.problem_id, first.model, label, first.solution))
    return tuple(kept)


def repeated(answers: Sequence[Answer]) -> dict[tuple[int, str, str], list[Answer]]:
    """Answers by problem, model and text, in the order in which each first occurs."""
    found: dict[tuple[int, str, str], list[Answer]] = {}
    for answer in answers:
        found.setdefault((answer.problem_id, answer.model, answer.solution), []).append(answer)
    return found


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two annotators' labels of the same items; None where chance alone agrees on all.

    Raises
    ------
    ValueError
        If there are no items, or they have labelled different numbers.

    """
    if len(first) != len(second) or not first:
        raise ValueError(
            f"got {len(first)} and {counted(len(second), 'label')}, expected as many of both, and some"
        )
    numbers = {label: number for number, label in enumerate(dict.fromkeys((*first, *second)))}
    if len(numbers) == 1:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(*([numbers[label] for label in side] for side in (first, second))))


@dataclass(frozen=True, slots=True)
class Repeats:
    """Answers that the release labels more than once, and how far these labels agree.

    ``kappa`` is Cohen's over all pairs of an answer's labels, each pair taken both ways round, since the
    release does not say who gave which.
    """

    n_answers: int
    n_pairs: int
    agreed: float | None
    kappa: float | None


def repeats(answers: Sequence[Answer]) -> Repeats:
    """The agreement of the labels of answers that have several."""
    labels = [
        [answer.category for answer in same if answer.category is not None]
        for same in repeated(answers).values()
    ]
    several = [found for found in labels if len(found) > 1]
    pairs = [pair for found in several for pair in combinations(found, 2)]
    if not pairs:
        return Repeats(0, 0, None, None)
    first, second = (list(side) for side in zip(*pairs, strict=True))
    agreed = sum(a is b for a, b in pairs) / len(pairs)
    return Repeats(len(several), len(pairs), agreed, cohen_kappa(first + second, second + first))


Floats = NDArray[np.float64]

CATEGORIES = tuple(Category)
N_CORRECT = sum(category.correct for category in CATEGORIES)  # they come first
_PLACES = {category: place for place, category in enumerate(CATEGORIES)}


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one model, or people, did on each problem.

    Attributes
    ----------
    name
        As in ``paper.TITLES``, or the release's own name where the paper has none.
    problem_ids
        The problems that have an answer with a label.
    counts : (n_problems, 6) int64
        Labels by category, A to F.

    """

    name: str
    problem_ids: tuple[int, ...]
    counts: NDArray[np.int64]

    @property
    def n_labels(self) -> int:
        """Labels in all."""
        return int(self.counts.sum())


def judged(answers: Sequence[Answer], names: Mapping[str, str] = paper.RELEASED_NAMES) -> dict[str, Judged]:
    """The labelled answers by who gave them, in the paper's order, then whom it does not have.

    Parameters
    ----------
    answers
        Those without a label do not count.
    names
        What the release's names stand for. By default all of GPT-4's instructions are taken together.

    Raises
    ------
    UserError
        If no answer has a label.

    """
    tables: dict[str, dict[int, list[int]]] = {}
    for answer in answers:
        if answer.category is not None:
            name = names.get(answer.model, answer.model)
            row = tables.setdefault(name, {}).setdefault(answer.problem_id, [0] * len(CATEGORIES))
            row[_PLACES[answer.category]] += 1
    if not tables:
        raise UserError("no answer of the benchmark has a label: expected an annotation with each")
    order = [name for name in paper.TITLES if name in tables]
    order += [name for name in tables if name not in paper.TITLES]
    return {
        name: Judged(name, tuple(tables[name]), np.array(list(tables[name].values()), np.int64))
        for name in order
    }


def pooled(who: Judged) -> Floats:
    """(6,) share of each category in percent, every label counted once."""
    shares: Floats = 100.0 * who.counts.sum(0) / who.n_labels
    return shares


def average(who: Judged) -> Floats:
    """(6,) mean over the problems of each category's share in percent."""
    shares: Floats = (100.0 * who.counts / who.counts.sum(1, keepdims=True)).mean(0)
    return shares


def single_efforts(who: Judged, seeds: int) -> Floats:
    """(seeds, 6) percent of problems by the category of one label that is drawn for each.

    Seed number s gives the same draws however many seeds there are.
    """
    edges = np.cumsum(who.counts, axis=1)
    shares = np.empty((seeds, len(CATEGORIES)))
    for seed in range(seeds):
        draws = np.random.default_rng(seed).random(len(edges))
        ranks = np.floor(draws * edges[:, -1]).astype(np.int64)
        drawn = (edges <= ranks[:, None]).sum(1)
        shares[seed] = 100.0 * np.bincount(drawn, minlength=len(CATEGORIES)) / len(drawn)
    return shares


def best(who: Judged) -> Floats:
    """(6,) percent of problems by the category of their best label, A before B and so on to F."""
    first = (who.counts > 0).argmax(1)
    return 100.0 * np.bincount(first, minlength=len(CATEGORIES)) / len(first)


@dataclass(frozen=True, slots=True)
class Majority:
    """Percent of problems on which most labels are right, and on which right and wrong are equally many."""

    right: float
    tied: float

    @property
    def decided(self) -> float | None:
        """The right ones in percent of the problems that have a majority; None where none has."""
        return 100 * self.right / (100 - self.tied) if self.tied < 100 else None

    @property
    def half(self) -> float:
        """With half of the ties, as a coin would settle them."""
        return self.right + self.tied / 2


def majority(who: Judged) -> Majority:
    """What most answers to a problem are, right (A, B or C) or wrong."""
    right, total = who.counts[:, :N_CORRECT].sum(1), who.counts.sum(1)
    return Majority(float(100 * (2 * right > total).mean()), float(100 * (2 * right == total).mean()))


SHARES_ANSWERED = (0.2, 0.4, 0.6, 0.8, 1.0)


def problems_answered(who: Judged, shares: Sequence[float] = SHARES_ANSWERED) -> list[int]:
    """Figure 10: the number of problems of which at least each of these shares of the labels is right."""
    right, total = who.counts[:, :N_CORRECT].sum(1), who.counts.sum(1)
    return [int((right >= share * total - 1e-9).sum()) for share in shares]


def problem_scores(who: Judged, scores: Mapping[Category, float]) -> dict[int, float]:
    """For each problem the mean score of its labels."""
    weights = np.array([scores[category] for category in CATEGORIES])
    means = who.counts @ weights / who.counts.sum(1)
    return dict(zip(who.problem_ids, means.tolist(), strict=True))
