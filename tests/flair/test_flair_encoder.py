"""flair's own embeddings as encoders: against flair called by hand, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fourfold.embeddings.encoder import ContextualEncoder, Encoder
from fourfold.embeddings.flair_encoder import ContextualFlairEncoder, FlairEncoder
from fourfold.errors import UserError

BERT = Path(__file__).parents[1] / "golden" / "flair_0_9" / "bert"
TEXTS = ["Jam", "a piece of cake", "R2-D2", "jam", "Don't"]
WALLS = [["Jam", "a piece of cake", "R2-D2", "C++"], ["jam", "7", "cake", "e\u0301tude"]] * 20
EXACT = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="session")
def word_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of word vectors as flair keeps them."""
    from gensim.models import KeyedVectors

    table = KeyedVectors(3)
    table.add_vectors(["jam", "cake", "a"], np.array([[1, 0, 0], [0, 2, 0], [0, 0, 4]], dtype=np.float32))
    path = tmp_path_factory.mktemp("words") / "words.gensim"
    table.save(str(path))
    return str(path)


def test_a_word_embedding_alone_is_averaged_over_the_words(word_file: str) -> None:
    encoder = FlairEncoder(f"WordEmbeddings:{word_file}", device="cpu")
    vectors = encoder.encode(["Jam", "a cake", "jam zzz", "zzz"])
    assert vectors.dtype == np.float32
    assert_allclose(vectors, [[1, 0, 0], [0, 1, 2], [0.5, 0, 0], [0, 0, 0]], **EXACT)


def test_a_clue_in_context_is_one_word(word_file: str) -> None:
    encoder = ContextualFlairEncoder(f"WordEmbeddings:{word_file}", device="cpu")
    vectors = encoder.encode_in_context([["JAM", "a cake"], ["cake", "a"]])
    assert_allclose(vectors, [[[1, 0, 0], [0, 0, 0]], [[0, 2, 0], [0, 0, 4]]], **EXACT)


def test_word_embeddings_are_stacked(word_file: str) -> None:
    name = f"WordEmbeddings:{word_file}+TransformerWordEmbeddings:{BERT}"
    both = ContextualFlairEncoder(name, device="cpu").encode_in_context([["jam", "cake"]])
    assert both.shape == (1, 2, 3 + 16)
    assert_allclose(both[0, :, :3], [[1, 0, 0], [0, 2, 0]], **EXACT)
    assert FlairEncoder(name, device="cpu").encode(["jam"]).shape == (1, 19)


@pytest.mark.parametrize("lower_case", [True, False])
def test_a_document_embedding_is_flairs(lower_case: bool) -> None:
    from flair.data import Sentence
    from flair.embeddings import TransformerDocumentEmbeddings

    embedding = TransformerDocumentEmbeddings(str(BERT))
    expected = []
    for text in TEXTS:
        sentence = Sentence(text.lower() if lower_case else text)
        embedding.embed(sentence)
        expected.append(sentence.get_embedding().detach().numpy())
    encoder = FlairEncoder(f"TransformerDocumentEmbeddings:{BERT}", lower_case=lower_case, device="cpu")
    assert_allclose(encoder.encode(TEXTS), expected, **EXACT)


def test_a_word_embedding_in_context_is_flairs() -> None:
    from flair.data import Sentence
    from flair.embeddings import TransformerWordEmbeddings

    embedding = TransformerWordEmbeddings(str(BERT), layers="-1", subtoken_pooling="mean")
    expected = []
    for clues in WALLS:
        sentence = Sentence([clue.lower() for clue in clues])
        embedding.embed(sentence)
        expected.append([token.get_embedding().detach().numpy() for token in sentence])
    encoder = ContextualFlairEncoder(
        f"TransformerWordEmbeddings:{BERT}",
        options={"layers": "-1", "subtoken_pooling": "mean"},
        device="cpu",
    )
    seen: list[tuple[int, int]] = []
    vectors = encoder.encode_in_context(WALLS, progress=lambda done, total: seen.append((done, total)))
    assert_allclose(vectors, expected, **EXACT)
    assert seen == [(0, 40), (32, 40), (40, 40)]


def test_each_offers_one_way_to_encode() -> None:
    static, contextual = FlairEncoder("WordEmbeddings:glove"), ContextualFlairEncoder("WordEmbeddings:glove")
    assert isinstance(static, Encoder)
    assert not hasattr(static, "encode_in_context")
    assert isinstance(contextual, ContextualEncoder)
    assert not hasattr(contextual, "encode")


def test_a_clue_that_is_nothing_to_flair_moves_no_other(word_file: str) -> None:
    wall = ["jam", "\u200b", "cake"]
    words = ContextualFlairEncoder(f"WordEmbeddings:{word_file}", device="cpu").encode_in_context([wall])
    assert_allclose(words[0], [[1, 0, 0], [0, 0, 0], [0, 2, 0]], **EXACT)
    name = f"TransformerWordEmbeddings:{BERT}"
    (vectors,) = ContextualFlairEncoder(name, device="cpu").encode_in_context([wall])
    assert (np.abs(vectors).max(axis=1) > 0).tolist() == [True, False, True]


def test_a_text_that_is_nothing_to_flair_is_named(word_file: str) -> None:
    name = f"WordEmbeddings:{word_file}"
    with pytest.raises(UserError, match=r"the text '\\u200b\\ufeff' is nothing to flair"):
        FlairEncoder(name, device="cpu").encode(["jam", "\u200b\ufeff"])


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        (
            "WordEmbedding:glove",
            {},
            "no word or document embedding 'WordEmbedding': choose one of .*FlairEmb",
        ),
        ("Sentence:jam", {}, "no word or document embedding 'Sentence'"),
        ("WordEmbeddings:no/such.file", {}, r"flair cannot make WordEmbeddings of 'no/such\.file' \("),
        ("HashEmbeddings", {"colour": 3}, r"flair cannot make HashEmbeddings of '' \(TypeError: .*colour"),
        ("HashEmbeddings+TransformerDocumentEmbeddings:BERT", {}, "is not a word embedding, and only those"),
    ],
)
def test_what_flair_cannot_make_is_named(name: str, options: dict[str, object], said: str) -> None:
    encoder = FlairEncoder(name.replace("BERT", str(BERT)), options=options, device="cpu")
    with pytest.raises(UserError, match=said):
        encoder.load()


def test_a_document_embedding_has_no_vectors_in_context() -> None:
    encoder = ContextualFlairEncoder(f"TransformerDocumentEmbeddings:{BERT}", device="cpu")
    with pytest.raises(UserError, match="has one vector for a whole text: choose a word embedding"):
        encoder.encode_in_context(WALLS)


def test_describe_is_what_repeats_the_vectors(word_file: str) -> None:
    encoder = FlairEncoder(f"WordEmbeddings:{word_file}", options={"fine_tune": False}, device="cpu")
    said = json.loads(json.dumps(encoder.describe()))
    assert [len(digest) for digest in said.pop("files").values()] == [64]
    assert said == {
        "encoder": "flair", "name": f"WordEmbeddings:{word_file}", "options": {"fine_tune": False},
        "flair": "0.15.1", "lower_case": True, "device": "cpu",
    }  # fmt: skip
    files = ContextualFlairEncoder(f"TransformerWordEmbeddings:{BERT}", device="cpu").describe()["files"]
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(files)
