"""How often a single, average, best and majority answer is right, against slow counting."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from fourfold.errors import UserError
from fourfold.experiments.macgyver import judging as efforts
from fourfold.experiments.macgyver.judging import SCORES
from fourfold.experiments.macgyver.problem import Answer, Category

LABELS = {1: "AAB", 2: "F", 3: "CDF", 4: "EF", 5: "BF"}


def someone(labels=LABELS, model="m"):
    answers = [
        Answer(number, model, Category[letter], "x")
        for number, letters in labels.items()
        for letter in letters
    ]
    return efforts.judged(answers)[model]


def shares(letters):
    counts = Counter(letters)
    return [100 * counts[letter] / len(letters) for letter in "ABCDEF"]


def test_pooled_average_and_best():
    who = someone()
    assert (who.name, who.problem_ids, who.n_labels) == ("m", (1, 2, 3, 4, 5), 11)
    np.testing.assert_allclose(efforts.pooled(who), shares("".join(LABELS.values())), atol=1e-12)
    np.testing.assert_allclose(
        efforts.average(who), np.mean([shares(letters) for letters in LABELS.values()], 0), atol=1e-12
    )
    np.testing.assert_allclose(efforts.best(who), shares("AFCEB"), atol=1e-12)


def test_a_single_effort_draws_every_label_equally_often():
    who = someone()
    draws = efforts.single_efforts(who, 4000)
    assert draws.shape == (4000, 6)
    np.testing.assert_allclose(draws.sum(1), 100, atol=1e-9)
    np.testing.assert_allclose(draws.mean(0), efforts.average(who), atol=1.5)
    possible = {tuple(shares(letters)) for letters in product(*LABELS.values())}
    assert {tuple(row) for row in draws.tolist()} == possible


def test_a_seed_draws_the_same_whatever_the_number_of_seeds():
    who = someone()
    np.testing.assert_array_equal(efforts.single_efforts(who, 3), efforts.single_efforts(who, 9)[:3])


def test_majority_tells_ties_apart():
    found = efforts.majority(someone())  # right on 1, tied on 5, wrong on the others
    assert (found.right, found.tied, found.half, found.decided) == (20.0, 20.0, 30.0, 25.0)
    assert efforts.majority(someone({1: "AF"})).decided is None


def test_problems_by_the_share_that_is_right():
    assert efforts.problems_answered(someone()) == [3, 2, 1, 1, 1]
    assert efforts.problems_answered(someone({1: "AAAAF"})) == [1, 1, 1, 1, 0]


def test_scores_are_means_over_labels():
    assert efforts.problem_scores(someone(), SCORES) == pytest.approx(
        {1: 11 / 12, 2: 0.0, 3: 0.5, 4: 0.125, 5: 0.375}
    )


def test_instructions_of_gpt4_are_one_and_the_order_is_the_papers():
    answers = [
        Answer(1, "other", Category.A, "x"),
        Answer(1, "Prolific", Category.A, "x"),
        Answer(1, "solutions_gpt4", Category.A, "x"),
        Answer(2, "gpt4-prompt-3", Category.B, "x"),
        Answer(2, "gpt4-prompt-3", None, "x"),
        Answer(2, "solutions_gpt35", Category.B, "x"),
    ]
    found = efforts.judged(answers)
    assert list(found) == ["gpt35", "gpt4", "human", "other"]
    assert found["gpt4"].problem_ids == (1, 2)
    assert found["gpt4"].n_labels == 2
    with pytest.raises(UserError, match="no answer of the benchmark has a label"):
        efforts.judged(answers[4:5])
