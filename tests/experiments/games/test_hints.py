"""The engine's hints in a game, beside every partition tried."""

import itertools

import numpy as np
import pytest
from naive_games import every_partition, fits

from fourfold.experiments.games.engine_player import Adviser
from fourfold.experiments.games.rules import Verdict

CLUES = [f"clue {place}" for place in range(16)]


def squares(points, group):
    """Squared distances of a group's points to their mean."""
    mean = sum(points[place] for place in group) / len(group)
    return sum(float((points[place] - mean) @ (points[place] - mean)) for place in group)


@pytest.mark.parametrize("one_away", [False, True])
def test_hints_are_the_best_partitions_of_what_is_left_that_fit_all_verdicts(one_away):
    numbers = np.random.default_rng(5)
    points = numbers.normal(size=(2, 16, 3))
    order = numbers.permutation(16).tolist()
    adviser = Adviser(points @ points.swapaxes(1, 2), order, 4, one_away)
    seen = points[1][order]
    truth = [(0, 5, 6, 11), (1, 2, 3, 4), (7, 8, 9, 10), (12, 13, 14, 15)]
    guesses = [(truth[0], "right"), ((1, 2, 3, 7), "one away" if one_away else "wrong")]
    guesses += [((7, 8, 12, 13), "wrong"), ((1, 7, 8, 14), "wrong")]
    for guess, verdict in guesses:
        adviser.learn(1, guess, Verdict(verdict))
    adviser.learn(1, (1, 2, 3), Verdict.VOID)
    left = [place for place in range(16) if place not in truth[0]]
    (hints,) = adviser.hints([1], [CLUES], [left])
    ranked = sorted(
        (sum(squares(seen, group) for group in groups), sorted(groups))
        for groups in every_partition(left, 4)
        if fits([*groups, truth[0]], guesses, one_away)
    )
    assert len(hints) == 4
    for hint, (cost, groups) in zip(hints, ranked, strict=False):
        assert [[CLUES[place] for place in group] for group in groups] == hint.groups
        assert hint.behind == pytest.approx(100 * (cost / ranked[0][0] - 1), abs=1e-6)


def test_there_are_no_more_hints_than_partitions_that_fit():
    points = np.random.default_rng(1).normal(size=(1, 16, 2))
    adviser = Adviser(points @ points.swapaxes(1, 2), range(16), 50, one_away=True)
    for guess in ((0, 1, 2, 3), (4, 5, 6, 7)):
        adviser.learn(0, guess, Verdict.RIGHT)
    left = range(8, 16)
    assert len(adviser.hints([0], [CLUES], [left])[0]) == 35
    adviser.learn(0, (8, 9, 10, 12), Verdict.ONE_AWAY)
    hints = adviser.hints([0], [CLUES], [left])[0]
    assert len(hints) == 16
    assert all(sorted(itertools.chain(*hint.groups)) == sorted(CLUES[8:]) for hint in hints)
