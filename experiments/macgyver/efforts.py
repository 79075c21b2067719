"""How often models and people are right on the benchmark: a single effort, on average, at best, by majority.

Source: Tian et al. (2024), section 4.4 and Table 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import UserError
from . import paper
from .problem import Answer, Category

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
