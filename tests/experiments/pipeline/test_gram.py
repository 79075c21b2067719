"""Gram matrices of walls: one a wall, or one a wall and order, rows in the wall's own order of clues."""

import numpy as np
import pytest
from letter_walls import LetterEncoder, WallReader

from fourfold.errors import ItemError
from fourfold.experiments.pipeline import gram as gram_module
from fourfold.experiments.pipeline.features import principal_gram
from fourfold.experiments.pipeline.gram import centred_gram, equal_clues, wall_grams
from fourfold.experiments.pipeline.herrings.measures import squared_distances
from fourfold.experiments.pipeline.orders import clue_order

WALLS = [[f"w{wall}{letter}{n}" for n in range(1, 5) for letter in "abcd"] for wall in range(5)]


def naive_gram(points):
    mean = sum(points.astype(np.float64)) / len(points)
    return np.array([[(a - mean) @ (b - mean) for b in points] for a in points])


def test_a_gram_matrix_is_of_inner_products_about_the_mean():
    points = np.random.default_rng(0).normal(size=(3, 2, 7, 5)).astype(np.float32) + 1e3
    found = centred_gram(points)
    assert found.dtype == np.float64
    for place in np.ndindex(3, 2):
        np.testing.assert_allclose(found[place], naive_gram(points[place]), rtol=0, atol=1e-9)


@pytest.mark.parametrize("block", [1, 16 * 5 * 2, 1 << 23])
def test_static_encoders_make_one_matrix_a_wall(block, monkeypatch):
    monkeypatch.setattr(gram_module, "BLOCK_VALUES", block)
    encoder = LetterEncoder()
    found = wall_grams(encoder, WALLS, runs=3)
    assert found.shape == (5, 1, 16, 16)
    assert len(encoder.calls) == 1
    for wall, gram in zip(WALLS, found[:, 0], strict=True):
        np.testing.assert_allclose(gram, naive_gram(encoder.vectors(wall)), rtol=1e-12, atol=1e-9)


def test_a_clue_that_repeats_is_encoded_once_and_stands_in_each_place():
    wall = ["xa1", "xb2", "xa1", "xc3"]
    encoder = LetterEncoder()
    (found,) = wall_grams(encoder, [wall, wall], runs=1)[1]
    np.testing.assert_allclose(found, naive_gram(encoder.vectors(wall)), rtol=1e-12, atol=1e-9)
    assert encoder.calls == [["xa1", "xb2", "xc3"]]


def test_a_file_in_another_order_gives_the_same_matrices_to_the_last_digit():
    rng = np.random.default_rng(0)
    orders = [rng.permutation(16) for _ in WALLS]
    moved = [[wall[place] for place in order] for wall, order in zip(WALLS, orders, strict=True)]
    for to_gram in (centred_gram, lambda points: principal_gram(points, 2)):
        found = wall_grams(LetterEncoder(), WALLS, 1, to_gram=to_gram)[:, 0]
        other = wall_grams(LetterEncoder(), moved[::-1], 1, to_gram=to_gram)[::-1, 0]
        for one, two, order in zip(found, other, orders, strict=True):
            np.testing.assert_array_equal(one[order][:, order], two)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_vectors_that_differ_by_rounding_are_equal(scale):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(3, 16, 40)).astype(np.float32)
    points[0, :] = points[0, 0]
    points[1, [2, 5, 9]] = points[1, 2]
    points[1, 7:9] = 0.0
    noisy = (points * scale * (1 + 1e-7 * rng.normal(size=points.shape))).astype(np.float32)

    class Fixed:
        name = "fixed"

        def encode(self, texts, progress=None):
            return noisy.reshape(-1, 40)[[16 * "abc".index(text[0]) + int(text[1:]) for text in texts]]

    walls = [[f"{letter}{place}" for place in range(16)] for letter in "abc"]
    gram = wall_grams(Fixed(), walls, 1)
    squared = squared_distances(gram[:, 0])
    assert not squared[0].any()
    assert not gram[0].any()
    expected = np.zeros((3, 16), dtype=bool)
    expected[0] = True
    expected[1, [2, 5, 9, 7, 8]] = True
    np.testing.assert_array_equal(equal_clues(gram), expected)
    assert (gram[1, 0, 2] == gram[1, 0, 9]).all()
    exact = squared_distances(centred_gram(points[1] * scale))
    np.testing.assert_allclose(squared[1], exact, rtol=1e-5, atol=0)


@pytest.mark.parametrize("block", [1, 4, 1024])
def test_a_wall_that_cannot_be_encoded_is_told_by_its_number(block, monkeypatch):
    monkeypatch.setattr(gram_module, "BLOCK_SENTENCES", block)

    class Refuses(WallReader):
        def encode_in_context(self, walls, progress=None):
            for number, clues in enumerate(walls):
                if WALLS[3][0] in clues:
                    raise ItemError(number, "too long")
            return super().encode_in_context(walls, progress)

    with pytest.raises(ItemError, match=r"^walls\[3\]: too long$"):
        wall_grams(Refuses(), WALLS, 3)


@pytest.mark.parametrize("block", [1, 4, 1024])
def test_contextual_encoders_make_one_matrix_a_wall_and_order(block, monkeypatch):
    monkeypatch.setattr(gram_module, "BLOCK_SENTENCES", block)
    encoder, told = WallReader(), []
    found = wall_grams(encoder, WALLS, 3, lambda *counts: told.append(counts))
    assert found.shape == (5, 3, 16, 16)
    assert max(map(len, encoder.calls)) <= block
    assert told[0] == (0, 15)
    assert told[-1] == (15, 15)
    assert told == sorted(told)
    for (wall, run), gram in zip(np.ndindex(5, 3), found.reshape(15, 16, 16), strict=True):
        order = clue_order(run, 16)
        (read,) = encoder.encode_in_context([[WALLS[wall][place] for place in order]])
        own = dict(zip(order, read, strict=True))
        np.testing.assert_allclose(
            gram, naive_gram(np.array([own[place] for place in range(16)])), rtol=1e-12, atol=1e-9
        )


@pytest.mark.parametrize("block", [1, 4, 1024])
def test_an_encoder_that_goes_on_from_wall_to_wall_reads_run_after_run(block, monkeypatch):
    monkeypatch.setattr(gram_module, "BLOCK_SENTENCES", block)
    encoder = WallReader()
    expected = wall_grams(encoder, WALLS, 3)
    encoder.calls.clear()
    encoder.carry_state = True
    np.testing.assert_array_equal(wall_grams(encoder, WALLS, 3), expected)
    read = [wall for call in encoder.calls for wall in call]
    assert read == [[wall[i] for i in clue_order(run, 16)] for run in range(3) for wall in WALLS]


@pytest.mark.parametrize("block", [1, 4, 1024])
@pytest.mark.parametrize("carry_state", [False, True])
def test_no_more_orders_are_read_than_are_wanted(block, carry_state, monkeypatch):
    monkeypatch.setattr(gram_module, "BLOCK_SENTENCES", block)
    encoder = WallReader()
    expected = wall_grams(encoder, WALLS, 4)[:, [3, 1]]
    encoder.calls.clear()
    encoder.carry_state = carry_state
    np.testing.assert_array_equal(wall_grams(encoder, WALLS, [3, 1]), expected)
    read = {tuple(wall) for call in encoder.calls for wall in call}
    # To an encoder that goes on from wall to wall, the runs before are context.
    runs = range(4) if carry_state else [3, 1]
    assert read == {tuple(wall[i] for i in clue_order(run, 16)) for run in runs for wall in WALLS}
    assert sum(map(len, encoder.calls)) == len(runs) * len(WALLS)
