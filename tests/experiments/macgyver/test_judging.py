"""From several labels to one, and how well annotators agree."""

import numpy as np
import pytest

from fourfold.experiments.macgyver.judging import (
    aggregated,
    cohen_kappa,
    gold_label,
    repeats,
)
from fourfold.experiments.macgyver.problem import Answer, Category

A, B, C, D, E, F = Category


@pytest.mark.parametrize(
    ("labels", "solvable", "expected"),
    [
        ([A, B, A], True, B),  # the paper's example
        ([A, A, A], True, A),
        ([B, F, A], True, F),
        ([D, E, D], True, E),
        ([A], True, A),
        ([C, F, C], False, C),
        ([F, C, F], False, F),
        ([C, E, F], False, F),
        ([C, E, E, C], False, E),
    ],
)
def test_the_worst_label_of_solvable_problems_and_the_most_frequent_of_others(labels, solvable, expected):
    assert gold_label(labels, solvable) is expected
    assert gold_label(labels[::-1], solvable) is expected


def test_no_labels_are_an_error():
    with pytest.raises(ValueError, match="got no labels"):
        gold_label([], True)


def test_answers_of_one_text_become_one():
    answers = [
        Answer(1, "m", A, "x"),
        Answer(1, "m", None, "y"),
        Answer(1, "m", D, "x"),
        Answer(1, "n", F, "x"),
        Answer(2, "m", C, "x"),
        Answer(2, "m", C, "x"),
        Answer(2, "m", E, "x"),
    ]
    assert aggregated(answers, {1: True, 2: False}) == (
        Answer(1, "m", D, "x"),
        Answer(1, "m", None, "y"),
        Answer(1, "n", F, "x"),
        Answer(2, "m", C, "x"),
    )


def test_kappa_is_its_definition():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 6, 200).tolist()
    second = [label if rng.random() < 0.6 else int(rng.integers(0, 6)) for label in first]
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / 200
    chance = sum(first.count(label) * second.count(label) for label in range(6)) / 200**2
    assert cohen_kappa(first, second) == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)
    letters = [["ABCDEF"[label] for label in side] for side in (first, second)]
    assert cohen_kappa(*letters) == pytest.approx(cohen_kappa(first, second), abs=1e-12)


def test_kappa_where_there_is_nothing_to_agree_on():
    assert cohen_kappa("aaa", "aaa") is None
    assert cohen_kappa("aab", "bba") == pytest.approx(-0.8)
    with pytest.raises(ValueError, match="got 1 and 2 labels"):
        cohen_kappa("a", "ab")
    with pytest.raises(ValueError, match="got 0 and 0 labels"):
        cohen_kappa("", "")


def test_the_agreement_of_repeated_labels_does_not_depend_on_their_order():
    labels = [[A, A], [A, B], [C, C, F], [E]]
    answers = [Answer(1, "m", label, str(place)) for place, found in enumerate(labels) for label in found]
    found = repeats(answers)
    assert (found.n_answers, found.n_pairs, found.agreed) == (3, 5, pytest.approx(2 / 5))
    first, second = [0, 0, 2, 2, 2], [0, 1, 2, 5, 5]
    expected = cohen_kappa(first + second, second + first)
    assert found.kappa == pytest.approx(expected, abs=1e-12)
    assert repeats(answers[::-1]) == found
    assert repeats(answers[-1:]).kappa is None
