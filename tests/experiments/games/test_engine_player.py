"""The engine in games, what verdicts rule out and the hints it gives, beside every partition tried."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_games import costs_of_fitting, every_partition, fits

from fourfold.engine.partition import best_partitions, list_groups
from fourfold.experiments.games.engine_player import Adviser, Knowledge, play_with_gram
from fourfold.experiments.games.rules import Game, Rules, Verdict
from fourfold.experiments.pipeline.gram import gram_group_costs, pair_group_costs


@st.composite
def walls_with_guesses(draw):
    """A wall of 6, 9 or 12 clues, costs for its groups, and guesses with the verdicts of a solution."""
    n_points, size = draw(st.sampled_from([(9, 3), (8, 4), (12, 4)]))
    one_away = draw(st.booleans())
    numbers = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    truth = numbers.permutation(n_points) // size
    groups = list_groups(n_points, size)
    game = Game(truth.tolist(), Rules(10**6, 0, 10**6, one_away))
    guesses = []
    for _ in range(draw(st.integers(0, 6))):
        if game.solved:
            break
        left = game.left
        guess = tuple(sorted(numbers.choice(left, size, replace=False).tolist()))
        if draw(st.booleans()):  # a right one, or nearly
            guess = tuple(place for place in range(n_points) if truth[place] == truth[left[0]])
        verdict = game.guess(guess)
        if verdict is not Verdict.VOID:
            guesses.append((guess, str(verdict)))
    scale = draw(st.sampled_from([1e-9, 1.0, 1e9]))
    return n_points, size, one_away, scale * numbers.normal(size=len(groups)), guesses


@pytest.mark.slow
@given(walls_with_guesses())
@settings(deadline=None, max_examples=60)
def test_the_best_partitions_are_the_best_of_those_that_fit(wall):
    n_points, size, one_away, base, guesses = wall
    known = Knowledge(2, n_points, size, one_away)
    for guess, verdict in guesses:
        known.learn(1, guess, Verdict(verdict))
    (found,) = known.fitting(np.stack([0 * base, base]), [1], 7)
    number = {tuple(group): place for place, group in enumerate(list_groups(n_points, size).tolist())}
    costs = []
    for labels in found:
        groups = [tuple(np.flatnonzero(labels == g).tolist()) for g in range(n_points // size)]
        assert fits(groups, guesses, one_away)
        costs.append(sum(base[number[group]] for group in groups))
    best = costs_of_fitting(lambda group: base[number[group]], n_points, size, guesses, one_away)
    np.testing.assert_allclose(costs, best[:7], rtol=1e-9, atol=1e-9 * abs(base).max())


def random_walls(seed, n_walls=4):
    numbers = np.random.default_rng(seed)
    points = numbers.normal(size=(n_walls, 16, 5))
    truth = np.stack([numbers.permutation(16) // 4 for _ in range(n_walls)])
    order = np.stack([numbers.permutation(16) for _ in range(n_walls)])
    return points @ points.swapaxes(1, 2), truth, order


@pytest.mark.slow
@given(
    st.integers(0, 2**32 - 1),
    st.builds(Rules, st.integers(1, 6), st.integers(0, 3), st.integers(1, 15), st.booleans()),
)
@settings(deadline=None, max_examples=15)
def test_the_engine_never_repeats_a_guess_and_keeps_what_is_right(seed, rules):
    for game in play_with_gram(*random_walls(seed)[:2], rules, random_walls(seed)[2]):
        places = [guess.places for guess in game.guesses]
        assert len(set(places)) == len(places) <= rules.guesses
        assert all(guess.verdict is not Verdict.VOID for guess in game.guesses)
        assert game.over
        lost = found = 0
        done = set()
        for guess in game.guesses:
            assert not done & set(guess.places)
            if guess.verdict is Verdict.RIGHT:
                found += 1
                done |= set(guess.places)
            else:
                lost += found >= rules.free_groups
        assert game.lives_left == rules.lives - lost >= 0
        assert game.solved == (found >= 3)


def test_with_time_and_lives_enough_every_wall_is_solved():
    gram, truth, order = random_walls(3)
    games = play_with_gram(gram, truth, Rules(10**6, 0, 2000, one_away=True), order)
    assert all(game.solved for game in games)


def test_where_nothing_tells_clues_apart_the_order_of_the_data_decides_nothing():
    truth = np.tile(np.arange(16) // 4, (3, 1))  # as files hold walls that are not shuffled
    order = np.tile(np.random.default_rng(0).permutation(16), (3, 1))
    games = play_with_gram(np.zeros((3, 16, 16)), truth, Rules(guesses=3), order)
    assert not any(game.found for game in games)


def test_group_costs_are_those_of_the_partitions():
    gram, _, _ = random_walls(5)
    found = best_partitions(gram, 4, top=3)
    by_group = best_partitions(group_size=4, group_cost=gram_group_costs(gram, 4), top=3)
    np.testing.assert_allclose(by_group.cost, found.cost, rtol=1e-9)
    np.testing.assert_array_equal(by_group.labels, found.labels)


def test_pair_costs_are_means_over_pairs():
    pairs = np.random.default_rng(0).random((2, 7, 7))
    pairs += pairs.swapaxes(1, 2)
    expected = [
        [np.mean([wall[i, j] for i, j in itertools.combinations(group, 2)]) for group in list_groups(7, 3)]
        for wall in pairs
    ]
    np.testing.assert_allclose(pair_group_costs(pairs, 3), expected, rtol=1e-12)


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
