"""The metrics against values worked out by hand, and what the declared metrics promise."""

from __future__ import annotations

import dataclasses
from math import log, sqrt

import numpy as np
import pytest

from fourfold.errors import UserError
from fourfold.experiments.metrics import METRICS, Scores, score_groups, score_labels

SIXTEEN = [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
LETTERS = [list("abcd"), list("efgh"), list("ijkl"), list("mnop")]


def one(scores: Scores) -> dict[str, float]:
    return {name: float(values[0, 0]) for name, values in scores.values.items()}


def close(**values: float) -> dict[str, object]:
    return {name: pytest.approx(value, rel=0, abs=1e-12) for name, value in values.items()}


def test_two_crossed_pairs() -> None:
    # Clusters {0, 2} and {1, 3} against groups {0, 1} and {2, 3}: every cell of the table holds one clue.
    # Unordered pairs: 2 in the groups, 2 in the clusters, 0 in both, 2 of the 6 in neither.
    # ARI = 2 (0*2 - 2*2) / (2 (2+2) + 2 (2+2)) = -1/2.
    # MI = log(4*1 / (2*2)) = 0, both entropies log 2. A group and a cluster of 2 of 4 share both clues with
    # probability 1/6 and then add 2/4 log 2; sharing one adds log 1. Four such pairs: EMI = log 2 / 3.
    # AMI = (0 - 1/3) / (1 - 1/3) = -1/2.
    # The sequence is 01 01. W(01, 00) = W(01, 11) = 1/2, so WD = (1/2 + 1/2) / 2, whatever the matching.
    assert one(score_labels([[[0, 1, 0, 1]]], [[0, 0, 1, 1]])) == close(
        wd=0.5, fms=0.0, ari=-0.5, ami=-0.5, solved_walls=0.0, correct_groups=0.0, wd_matched=0.5
    )


def test_two_clues_swapped() -> None:
    # Clusters 1111 0003 3330 2222, by true group.
    labels = [1, 1, 1, 2] + [0] * 4 + [3] * 4 + [2, 2, 2, 1]
    # WD: 1111 and 2222 go out in pairs; 0003 meets 0000 and 3330 meets 3333, each at 3/4: 1.5 / 4.
    # Unordered pairs: 4*6 = 24 on each side, 6+6+3+3 = 18 in both, 120-18-6-6 = 90 in neither.
    # FMS = 18/24. ARI = 2 (18*90 - 6*6) / (24*96 + 24*96) = 1584/2304.
    # MI: 8 clues in cells of 4 (log 16*4/16 = log 4), 6 in cells of 3, 2 in cells of 1.
    # EMI: 16 pairs of 4 and 4 of 16; overlaps 2, 3, 4 in 396, 48, 1 of 1820 cases, each c/16 log c.
    mutual = (8 * log(4) + 6 * log(3)) / 16
    expected = (2 * log(2) * 396 + 3 * log(3) * 48 + 4 * log(4) * 1) / 1820
    ami = (mutual - expected) / (log(4) - expected)
    partition = {"fms": 0.75, "ari": 0.6875, "ami": ami, "solved_walls": 0.0, "correct_groups": 2.0}
    assert one(score_labels([[labels]], [SIXTEEN])) == close(wd=0.375, wd_matched=0.375, **partition)

    # With clusters 1 and 2 the other way round 3330 meets 0000 and 0003 meets 3333, 9/4 each, capped at 1.
    turned = [{1: 2, 2: 1}.get(label, label) for label in labels]
    assert one(score_labels([[turned]], [SIXTEEN])) == close(wd=0.5, wd_matched=0.375, **partition)


def test_words_that_are_not_on_the_wall() -> None:
    predicted = [["A", "b", " C ", "x"], list("hgfe"), ["i", "j", "k", "zebra"], list("mnlo")]
    # Sorted and labelled: 0004 1111 2225 2333 (l is of group 2; x takes 4, zebra 5).
    # WD: 1111 goes out; W(0004, 0000) = 1, W(2225, 2222) = 3/4, W(2333, 3333) = 1/4: 2 / 4.
    # Unordered pairs: 24 in the slices, labels 0..5 occur 3 4 4 3 1 1 times, 3+6+6+3 = 18, both 3+6+3+3 = 15,
    # neither 120-15-9-3 = 93. FMS = 15 / sqrt(24*18). ARI = 2 (15*93 - 9*3) / (24 (9+93) + 18 (3+93)).
    got = one(score_groups([predicted], [LETTERS]))
    del got["ami"]
    assert got == close(
        wd=0.5,
        fms=15 / sqrt(24 * 18),
        ari=2736 / 4176,
        solved_walls=0.0,
        correct_groups=1.0,
        wd_matched=0.5,
    )


def test_each_unknown_word_takes_a_new_label() -> None:
    # 4567 meets 0000 at 1 (capped), the rest goes out: WD 1/4. One label, 4444, would give the same WD and a
    # perfect partition; as 4567 the pairs are 18 in both of 24 and 18: FMS = sqrt(18/24).
    got = one(score_groups([[list("xxxx"), *LETTERS[1:]]], [LETTERS]))
    assert (got["wd"], got["fms"]) == (pytest.approx(0.25), pytest.approx(sqrt(0.75)))


def test_a_word_twice_in_the_truth_has_its_last_label() -> None:
    true = [list("abcg"), list("defg")]  # the true sequence is 0001 1111
    right, wrong = [list("gcba"), list("defg")], [list("abcd"), list("efgg")]
    for predicted, correct in ((right, 2.0), (wrong, 0.0)):  # both give 0001 1111
        assert one(score_groups([predicted], [true])) == close(
            wd=0.0,
            fms=1.0,
            ari=1.0,
            ami=1.0,
            solved_walls=correct / 2,
            correct_groups=correct,
            wd_matched=0.0,
        )
    # Groups the other way round: 1111 0001 go out in pairs, but place by place it is another partition.
    turned = one(score_groups([right[::-1]], [true]))
    assert (turned["wd"], turned["solved_walls"]) == (0.0, 1.0)
    assert turned["ari"] < 0.5
    # By index there is no doubt: the same groups are a perfect partition in any order.
    assert one(score_labels([[[1] * 4 + [0] * 4]], [[0] * 4 + [1] * 4]))["ari"] == 1.0


def test_a_group_predicted_twice_counts_once() -> None:
    # 0000 0000 1112 3333: one 0000 and 3333 go out; the other 0000 meets 1111 at 1, 1112 meets 2222 at 3/4.
    # Matched: 1112 meets 1111 at 1/4, a 0000 meets 2222 at 1.
    got = one(score_groups([[LETTERS[0], LETTERS[0], list("efgi"), LETTERS[3]]], [LETTERS]))
    assert (got["wd"], got["wd_matched"]) == (1.75 / 4, 1.25 / 4)
    assert (got["correct_groups"], got["solved_walls"]) == (2.0, 0.0)


def test_predicted_groups_of_other_sizes_are_cut_into_fours() -> None:
    # The sequence is that of the truth; two of the groups are not.
    got = one(score_groups([[list("abcde"), list("fgh"), *LETTERS[2:]]], [LETTERS]))
    assert (got["wd"], got["ami"], got["correct_groups"]) == (0.0, 1.0, 2.0)


def test_groups_of_unequal_sizes_have_no_wd() -> None:
    # Clusters {0, 1, 2}, none, {3} against {0, 1} and {2, 3}: cells of 2, 1 and 1 clues.
    # Unordered pairs: 2 in the groups, 3 in the clusters, 1 in both, 2 of the 6 in neither.
    # FMS = 1 / sqrt(2 * 3). ARI = 2 (1*2 - 1*2) / (...) = 0.
    # Whichever clue is alone, the table of cells is this one up to the groups' names: MI = EMI, AMI = 0.
    got = one(score_labels([[[0, 0, 0, 2]]], [[0, 0, 1, 1]]))
    assert got == close(fms=1 / sqrt(6), ari=0.0, ami=0.0, solved_walls=0.0, correct_groups=0.0)
    # One wall of unequal groups, or one true group of another size, is enough; asking for WD is an error.
    labels = [[[0, 0, 1, 1]], [[0, 0, 0, 1]]]
    assert "wd" not in score_labels(labels, [[0, 0, 1, 1]] * 2).values
    assert "wd" in score_labels(labels[:1], [[0, 0, 1, 1]]).values
    assert "wd_matched" not in score_labels([[[0, 1, 1, 1]]], [[2, 0, 0, 0]]).values
    assert one(score_labels([[[0, 1, 1, 1]]], [[2, 0, 0, 0]]))["correct_groups"] == 2.0
    # All in one cluster: no group is right unless the wall is one group.
    assert one(score_labels([[[3, 3, 3, 3]]], [[0, 0, 1, 1]])) == close(
        fms=sqrt(2 / 6), ari=0.0, ami=0.0, solved_walls=0.0, correct_groups=0.0
    )


def test_runs_are_summed_up_as_in_the_paper() -> None:
    # Two walls, two runs: run 0 solves both walls, run 1 the first; it crosses the pairs of the second.
    labels = [[[0, 0, 1, 1], [1, 1, 0, 0]], [[0, 0, 1, 1], [0, 1, 0, 1]]]
    scores = score_labels(labels, [[0, 0, 1, 1]] * 2)
    assert (scores.n_walls, scores.n_seeds) == (2, 2)
    runs = scores.per_seed()
    assert list(runs) == ["wd", "fms", "ari", "ami", "solved_walls", "correct_groups", "wd_matched"]
    assert runs["wd"] == pytest.approx([0.0, 25.0])
    assert runs["ari"] == pytest.approx([100.0, 25.0])
    assert runs["solved_walls"].tolist() == [2.0, 1.0]
    assert runs["correct_groups"].tolist() == [4.0, 2.0]
    assert scores.summary()["wd"] == (pytest.approx(12.5), pytest.approx(12.5))  # population: 12.5, not 17.7
    assert scores.summary()["correct_groups"] == (3.0, 1.0)


def test_declared_metrics() -> None:
    assert all(name == metric.name for name, metric in METRICS.items())
    assert [metric.title for metric in METRICS.values()][:2] == ["WD ↓", "FMS ↑"]
    for metric in METRICS.values():
        assert metric.title.endswith({"lower": "↓", "higher": "↑"}[metric.better])
    with pytest.raises(dataclasses.FrozenInstanceError):
        METRICS["wd"].better = "higher"  # type: ignore[misc]


def test_chosen_metrics_come_in_the_declared_order_and_alone() -> None:
    chosen = ["solved_walls", "ari"]
    assert list(score_labels([[SIXTEEN]], [SIXTEEN], chosen).values) == ["ari", "solved_walls"]
    assert list(score_groups([LETTERS], [LETTERS], chosen).values) == ["ari", "solved_walls"]


@pytest.mark.parametrize(
    ("labels", "truth", "metrics", "error", "says"),
    [
        (
            [[0, 1]],
            [[0, 1]],
            None,
            ValueError,
            r"labels has shape \(1, 2\), expected \(n_walls, n_seeds, n_p",
        ),
        (np.zeros((0, 2, 4), int), np.zeros((0, 4), int), None, ValueError, r"labels has shape \(0, 2, 4\)"),
        ([[[0, 1]]], [0, 1], None, ValueError, r"truth has shape \(2,\), expected \(n_walls, n_points\)"),
        ([[[0, 1]]], [[0, 1, 1]], None, ValueError, r"truth has shape \(1, 3\).*= \(1, 2\).*\(1, 1, 2\)"),
        ([[[0.0, 1.0]]], [[0, 1]], None, TypeError, "labels has dtype float64, expected integers"),
        ([[[0, 1], [0, -1]]], [[0, 1]], None, ValueError, r"labels\[0, 1, 1\] is -1, expected 0 or above"),
        ([[[0, 1]]], [[0, -2]], None, ValueError, r"truth\[0, 1\] is -2"),
        ([[[0, 1]]], [[0, 1]], ["wdd"], ValueError, "got wdd, expected metrics among wd, fms"),
        ([[[0, 1]]], [[0, 1]], [], ValueError, "got no metric"),
        (
            [[[0, 0, 1]]],
            [[0, 1, 1]],
            ["wd_matched", "ari"],
            ValueError,
            "groups of 1 and, true in wall 0, of 2 clues; leave",
        ),
        (
            [[[0, 0, 1, 1], [0, 0, 0, 1]]],
            [[0, 0, 1, 1]],
            ["wd"],
            ValueError,
            "of 2 and, predicted in wall 0, seed 1, of 3",
        ),
    ],
)
def test_labels_that_cannot_be_scored(labels, truth, metrics, error, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=says):
        score_labels(labels, truth, metrics)


@pytest.mark.parametrize(
    ("predicted", "true", "says"),
    [
        ([LETTERS], [LETTERS] * 2, "got predictions for 1 wall and true groups for 2"),
        ([], [], "got predictions for 0 walls"),
        ([LETTERS, LETTERS[:3]], [LETTERS] * 2, "wall 1: got 12 predicted words, expected 16"),
        ([[*LETTERS, ["q"]]], [LETTERS], "wall 0: got 17 predicted words, expected 16"),
        ([LETTERS], [[list("abcde"), list("fgh"), *LETTERS[2:]]], r"true groups of \[5, 3, 4, 4\] words"),
        ([LETTERS] * 2, [LETTERS, LETTERS[:3]], r"wall 1: got true groups of \[4, 4, 4\] words, expected 4"),
        ([[]], [[]], r"wall 0: got true groups of \[\]"),
        ([[["a", 8.5]]], [[["a", "b"]]], "wall 0: got 8.5 in a group, expected a text"),
        ([["abcd", "efgh", "ijkl", "mnop"]], [LETTERS], "wall 0: got 'abcd' as a group, expected a list"),
    ],
)
def test_texts_that_cannot_be_scored(predicted, true, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserError, match=says):
        score_groups(predicted, true)
