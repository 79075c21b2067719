"""What verdicts say of the solution, beside every partition tried."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_games import costs_of_fitting, fits

from fourfold.engine.partition import best_partitions, list_groups
from fourfold.experiments.games.engine_player import Knowledge, play_with_gram
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
