"""What a guess is told, what it costs, and when a game is over."""

import pytest

from fourfold.experiments.games.rules import Game, Rules, Verdict

TRUTH = [place // 4 for place in range(16)]
A, B, C, D = (tuple(range(4 * group, 4 * group + 4)) for group in range(4))
NEAR_A = (0, 1, 2, 4)  # one away
HALF = (0, 1, 4, 5)


def play(rules, *guesses):
    game = Game(TRUTH, rules)
    return game, [game.guess(guess) for guess in guesses]


def test_the_third_right_group_leaves_the_fourth_over():
    game, said = play(Rules(), A, D, B)
    assert said == [Verdict.RIGHT] * 3
    assert (game.solved, game.over, game.n_groups, game.lives_left) == (True, True, 4, 3)
    with pytest.raises(ValueError, match="over after 3 guesses"):
        game.guess(C)


def test_wrong_guesses_are_free_until_two_groups_are_found_and_then_the_third_ends_the_game():
    game, said = play(Rules(), NEAR_A, HALF, (0, 4, 8, 12), (0, 5, 10, 15), A, (4, 5, 6, 8), B)
    assert said.count(Verdict.WRONG) == 5
    assert (game.lives_left, game.n_groups) == (3, 2)
    for place, lives in ((13, 2), (14, 1), (15, 0)):
        assert not game.over
        assert game.guess((8, 9, 10, place)) is Verdict.WRONG
        assert game.lives_left == lives
    assert (game.over, game.solved, game.n_groups) == (True, False, 2)


def test_without_free_groups_every_wrong_guess_costs_a_life_and_one_away_is_told():
    game, said = play(Rules(lives=2, free_groups=0, one_away=True), NEAR_A, HALF)
    assert said == [Verdict.ONE_AWAY, Verdict.WRONG]
    assert game.over
    assert play(Rules(lives=2, free_groups=0), NEAR_A)[1] == [Verdict.WRONG]


@pytest.mark.parametrize(
    "void",
    [(), (0, 1, 2), (0, 1, 2, 3, 4), (0, 0, 1, 2), (12, 13, 14, 16), NEAR_A, (4, 2, 1, 0), (8, 9, 10, 12)],
)
def test_what_is_no_guess_costs_no_life_but_a_guess(void):
    game, _ = play(Rules(guesses=4, free_groups=0), NEAR_A, (8, 9, 10, 11))
    assert game.lives_left == 2
    assert game.guess(void) is Verdict.VOID
    assert (game.lives_left, len(game.guesses), game.over) == (2, 3, False)
    game.guess(void)
    assert game.over


def test_guesses_run_out():
    game, _ = play(Rules(guesses=2), A, B)
    assert (game.over, game.solved, game.n_groups) == (True, False, 2)
    assert game.left == C + D
