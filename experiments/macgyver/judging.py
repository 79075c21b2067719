"""From annotators' labels to one label an answer, how well annotators agree, and a label as a score.

Source: Tian et al. (2024), sections 2.2 and 5.2 and appendix D.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

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
        raise ValueError(f"got {len(first)} and {len(second)} labels, expected as many of both, and some")
    n = len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    counts = Counter(first), Counter(second)
    chance = sum(count * counts[1][label] for label, count in counts[0].items()) / n**2
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def mean_kappa(annotators: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Cohen's kappa averaged over the pairs of annotators, each on the items that both have labelled.

    Parameters
    ----------
    annotators
        For each, a label an item; None for those that it has not labelled.

    Returns
    -------
    float or None
        None where no pair has a kappa.

    """
    kappas = []
    for one, other in combinations(annotators, 2):
        both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        if both:
            kappas.append(cohen_kappa(*zip(*both, strict=True)))
    known = [kappa for kappa in kappas if kappa is not None]
    return sum(known) / len(known) if known else None


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
