"""The order in which a run sees a wall's clues is the paper's."""

import random

import numpy as np

from fourfold.experiments.orders import clue_order, clue_orders


def test_run_r_has_the_order_of_the_papers_run_r():
    words = [f"word {place}" for place in range(16)]
    for number in (0, 1, 15, 999):
        order = clue_order(number, 16)
        assert [words[place] for place in order] == random.Random(number).sample(words, 16)


def test_all_orders_at_once():
    np.testing.assert_array_equal(clue_orders(3, 9), [clue_order(number, 9) for number in range(3)])
