"""Our transformer encoders against flair 0.15's embeddings, on the small models that flair 0.9 was run on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fourfold.embeddings.contextual import ContextualTransformerEncoder
from fourfold.embeddings.transformer import TransformerEncoder

GOLDEN = Path(__file__).parents[1] / "golden" / "flair_0_9"
WALLS = json.loads((GOLDEN / "walls.json").read_text(encoding="utf-8"))
SENTENCES = [[clue.lower() for clue in clues] for clues in WALLS["sentences"]]
MODELS = ("bert", "roberta", "mpnet")
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


def flairs_words(model: str, **options: Any) -> np.ndarray:
    from flair.data import Sentence
    from flair.embeddings import TransformerWordEmbeddings

    embedding = TransformerWordEmbeddings(str(GOLDEN / model), **{"layers": "all", **options})
    vectors = []
    for clues in SENTENCES:
        sentence = Sentence(clues)
        embedding.embed(sentence)
        vectors.append([token.get_embedding().detach().cpu().numpy() for token in sentence])
    return np.array(vectors)


@pytest.mark.parametrize(
    ("flairs", "ours"),
    [
        ({}, {}),
        ({"subtoken_pooling": "mean"}, {"subtoken": "mean"}),
        ({"subtoken_pooling": "last"}, {"subtoken": "last"}),
        ({"subtoken_pooling": "first_last"}, {"subtoken": "first_last"}),
        ({"layers": "-1"}, {"layers": "last"}),
        ({"layers": "0,2", "subtoken_pooling": "mean"}, {"layers": [0, 2], "subtoken": "mean"}),
    ],
)
@pytest.mark.parametrize("model", MODELS)
def test_contextual_vectors(model: str, flairs: dict[str, Any], ours: dict[str, Any]) -> None:
    encoder = ContextualTransformerEncoder(
        str(GOLDEN / model), device="cpu", leading_space=model == "roberta", **ours
    )
    vectors = encoder.encode_in_context(WALLS["sentences"])
    assert_allclose(vectors, flairs_words(model, **flairs), **TOLERANCE)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_static_vectors(model: str, pooling: str) -> None:
    from flair.data import Sentence
    from flair.embeddings import TransformerDocumentEmbeddings

    embedding = TransformerDocumentEmbeddings(str(GOLDEN / model), cls_pooling=pooling)
    expected = []
    for clue in WALLS["clues"]:
        sentence = Sentence([clue.lower()])
        embedding.embed(sentence)
        expected.append(sentence.get_embedding().detach().cpu().numpy())
    # flair 0.15 puts a blank before the first word, too.
    prefix = " " if model == "roberta" else ""
    encoder = TransformerEncoder(str(GOLDEN / model), pooling=pooling, prefix=prefix, device="cpu")
    assert_allclose(encoder.encode(WALLS["clues"]), expected, **TOLERANCE)
