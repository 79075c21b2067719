"""The order in which a run sees a wall's clues is the paper's."""

import random

import numpy as np

from fourfold.experiments.pipeline.orders import clue_order, clue_orders, wall_order, wall_orders


def test_run_r_has_the_order_of_the_papers_run_r():
    words = [f"word {place}" for place in range(16)]
    for number in (0, 1, 15, 999):
        order = clue_order(number, 16)
        assert [words[place] for place in order] == random.Random(number).sample(words, 16)


def test_all_orders_at_once():
    np.testing.assert_array_equal(clue_orders(3, 9), [clue_order(number, 9) for number in range(3)])


def test_a_walls_order_does_not_depend_on_how_the_wall_lists_its_clues():
    clues = [f"clue {place}" for place in range(16)]
    listed = random.Random(5).sample(clues, 16)
    for run in (0, 1, 7):
        met = [clues[place] for place in wall_order(clues, run)]
        assert [listed[place] for place in wall_order(listed, run)] == met
    assert wall_order(clues, 0) != wall_order(clues, 1)
    assert wall_order(clues) != wall_order([*clues[:15], "another"])
    assert sorted(wall_order(["a", "a", "b"])) == [0, 1, 2]


def test_the_orders_of_walls_are_even():
    walls = [[f"{wall} {place}" for place in range(16)] for wall in range(1600)]
    orders = wall_orders(walls, 2)
    assert orders.shape == (1600, 2, 16)
    counts = np.stack([np.bincount(column, minlength=16) for column in orders[:, 1].T])
    assert 150 < ((counts - 100) ** 2 / 100).sum() < 310  # chi-squared of about 225 degrees of freedom
