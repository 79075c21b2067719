"""Vectors against flair 0.9's own, which the Only Connect Wall paper used: tests/golden/make_flair_0_9.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fourfold.embeddings.contextual import ContextualTransformerEncoder
from fourfold.embeddings.transformer import TransformerEncoder

GOLDEN = Path(__file__).parents[1] / "golden" / "flair_0_9"
WALLS = json.loads((GOLDEN / "walls.json").read_text(encoding="utf-8"))
MODELS = ("bert", "roberta", "mpnet")
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
VARIANTS = {
    "first": {},  # flair's defaults, and ours
    "mean": {"subtoken": "mean"},
    "last": {"subtoken": "last"},
    "first_last": {"subtoken": "first_last"},
    "last_layer": {"layers": "last"},
    "two_layers": {"layers": [0, -1], "subtoken": "mean"},
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def golden(model: str) -> dict[str, np.ndarray]:
    with np.load(GOLDEN / f"{model}.npz") as file:
        return dict(file)


@pytest.mark.parametrize("variant", VARIANTS)
def test_contextual_vectors(model: str, golden: dict[str, np.ndarray], variant: str) -> None:
    encoder = ContextualTransformerEncoder(str(GOLDEN / model), device="cpu", **VARIANTS[variant])
    vectors = encoder.encode_in_context(WALLS["sentences"])
    assert_allclose(vectors, golden[variant], **TOLERANCE)


def test_static_vectors(model: str, golden: dict[str, np.ndarray]) -> None:
    encoder = TransformerEncoder(str(GOLDEN / model), pooling="cls", device="cpu")
    assert_allclose(encoder.encode(WALLS["clues"]), golden["static"], **TOLERANCE)
    # flair's own splitting into words is all that is different where it is given a clue as one text.
    assert_allclose(encoder.encode(WALLS["segtok"]), golden["static_segtok"], **TOLERANCE)


def test_the_clues_are_of_several_words_and_odd_and_what_is_compared_is_not_zero(
    golden: dict[str, np.ndarray],
) -> None:
    assert {"R2-D2", "C++", ".", "e\u0301tude", "🙂"} < set(WALLS["clues"])
    assert sum(" " in clue for clue in WALLS["clues"]) > 5
    for name, vectors in golden.items():
        n_rows = len(WALLS["clues"]) if name.startswith("static") else 16 * len(WALLS["sentences"])
        flat = vectors.reshape(n_rows, -1)
        assert np.abs(flat).max(axis=1).min() > 0.1
        assert len(np.unique(flat.round(4), axis=0)) > 0.8 * len(WALLS["clues"])
