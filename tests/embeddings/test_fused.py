"""Scaling of Gram matrices, and what a fused encoder says of itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from letter_walls import LetterEncoder, WallReader
from naive_fusion import naive_scaled

from fourfold.embeddings.fused import FusedEncoder, unit_spread


def gram_of(points):
    away = points - points.mean(axis=-2, keepdims=True)
    return away @ away.swapaxes(-1, -2)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), n_points=st.integers(3, 9), scale=st.sampled_from([1e-30, 1, 1e30]))
def test_scaled_matrices_are_the_naive_ones(seed, n_points, scale):
    points = np.random.default_rng(seed).normal(size=(2, 3, n_points, 4)) * scale
    found = unit_spread(gram_of(points))
    for place in np.ndindex(2, 3):
        np.testing.assert_allclose(found[place], naive_scaled(points[place]), rtol=1e-7, atol=1e-9)
    between = found[..., ~np.eye(n_points, dtype=bool)]
    np.testing.assert_allclose(between.std(axis=-1), 1.0, rtol=1e-9)


@pytest.mark.parametrize(
    "points",
    [np.zeros((16, 3)), np.full((16, 3), 0.1), np.eye(16) * 1e3, np.array([[0.0], [1.0]]), np.ones((1, 3))],
    ids=["zeros", "all equal", "all equally far apart", "two points", "one point"],
)
def test_a_wall_without_spread_says_nothing(points):
    other = np.random.default_rng(0).normal(size=points.shape)
    gram = gram_of(np.stack([points, other]))
    found = unit_spread(gram)
    assert (found[0] == 0).all()
    assert np.isfinite(found).all()
    if len(points) > 2:
        np.testing.assert_allclose(found[1], naive_scaled(other), rtol=1e-9, atol=1e-9)


def test_it_says_what_its_parts_say():
    fused = FusedEncoder((LetterEncoder(), WallReader()), (1.0, 0.5))
    assert fused.name == "letters + letters in context"
    assert fused.describe() == {
        "encoder": "fused",
        "name": "letters + letters in context",
        "weights": [1.0, 0.5],
        "parts": [
            {"name": "letters", "device": "cpu"},
            {"name": "letters in context", "device": "cpu"},
        ],
        "device": "cpu",
    }
