"""Whose each token is: against the tokenizer's own account, which gets the clues apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import byte_tokenizer, wordpiece_tokenizer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from fourfold.embeddings.pretrained import Pretrained
from fourfold.embeddings.text_pieces import NO_TEXT, text_pieces
from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls

CLUES = [clue for wall in bundled_walls().walls for clue in wall.clues]


def trained_byte_tokenizer() -> Tokenizer:
    """Byte-level BPE with merges, most of them over the blank before a word, as RoBERTa's."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(
        [" ".join(CLUES[start : start + 16]) for start in range(0, len(CLUES), 16)],
        trainers.BpeTrainer(
            vocab_size=500,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return tokenizer


def unigram_tokenizer() -> Tokenizer:
    """SentencePiece's way, as in T5 and XLM-RoBERTa: a mark takes the blank's place, the end is marked."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        CLUES,
        trainers.UnigramTrainer(
            vocab_size=400, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


class Network:
    """All of a model that tokens meet: the number of its embeddings."""

    weight = np.empty((10**6, 0))

    def get_input_embeddings(self) -> Any:
        return self


def pretrained(tokenizer: Any) -> Pretrained:
    return Pretrained(
        "a model", tokenizer, Network(), "cpu", max_tokens=10**6, pad_id=0, n_features=8, widths=(8, 8)
    )


TOKENIZERS = {
    "word pieces": wordpiece_tokenizer(),
    "bytes": byte_tokenizer(),
    "bytes, merged": trained_byte_tokenizer(),
    "unigrams": unigram_tokenizer(),
}
MODELS = {
    kind: pretrained(transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer))
    for kind, tokenizer in TOKENIZERS.items()
}
LISTED = [
    "a",
    ".",
    "C++",
    "R2-D2",
    "e\u0301tude",
    "👩🏽‍🚀",
    "%",
    "don't",
    "a piece of cake",
    "\ufeffx",
    "ﬁ",
    "中文",
    "…",
]


def as_told(kind: str, sentences: list[list[str]], leading_space: bool) -> list[list[int]]:
    """The clue of each token, from a tokenizer that is given the clues apart."""
    told = []
    for clues in sentences:
        words = [" " * (leading_space or place > 0) + clue for place, clue in enumerate(clues)]
        encoding = TOKENIZERS[kind].encode(words, is_pretokenized=True)
        told.append([NO_TEXT if word is None else word for word in encoding.word_ids])
    return told


@pytest.mark.parametrize("leading_space", [False, True])
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_each_token_has_the_clue_that_the_tokenizer_says(kind: str, leading_space: bool) -> None:
    listed = LISTED if kind != "word pieces" else [clue for clue in LISTED if clue != "…"]
    sentences = [wall.clues for wall in bundled_walls().walls]
    for some in (sentences, [listed, listed[::-1]]):
        pieces = text_pieces(MODELS[kind], some, leading_space)
        assert [row.tolist() for row in pieces.texts] == as_told(kind, some, leading_space)
        for clues, first, last in zip(pieces.texts, pieces.first, pieces.last, strict=True):
            found = clues.tolist()
            assert first.tolist() == [found.index(place) for place in range(len(first))]
            assert last.tolist() == [len(found) - 1 - found[::-1].index(p) for p in range(len(last))]


@pytest.mark.slow
@given(
    sentences=st.integers(1, 4).flatmap(
        lambda n_points: st.lists(
            st.lists(
                # The blanks at a clue's end are another text where clues are joined: not compared here.
                st.text(min_size=1, max_size=6).map(str.strip).filter(bool),
                min_size=n_points,
                max_size=n_points,
            ),
            min_size=1,
            max_size=3,
        )
    ),
    leading_space=st.booleans(),
    kind=st.sampled_from(list(TOKENIZERS)),
)
@settings(deadline=None, max_examples=300)
def test_any_clues(sentences: list[list[str]], leading_space: bool, kind: str) -> None:
    told = as_told(kind, sentences, leading_space)
    if any(set(range(len(clues))) - set(row) for clues, row in zip(sentences, told, strict=True)):
        with pytest.raises(UserError, match=r"is nothing to a model: its tokenizer makes no token"):
            text_pieces(MODELS[kind], sentences, leading_space)
        return
    pieces = text_pieces(MODELS[kind], sentences, leading_space)
    assert [row.tolist() for row in pieces.texts] == told


def test_a_tokenizer_that_does_not_say_where_its_tokens_are() -> None:
    class Slow:
        is_fast = False

    with pytest.raises(UserError, match=r"tokenizer of a model does not say .* has a tokenizer\.json"):
        text_pieces(pretrained(Slow()), [["a"]], False)


def test_special_tokens_written_in_a_clue_are_its_own() -> None:
    pieces = text_pieces(MODELS["word pieces"], [["[SEP]", "jam", "[MASK]"]], False)
    assert np.unique(pieces.texts[0]).tolist() == [NO_TEXT, 0, 1, 2]
    assert pieces.texts[0][[0, -1]].tolist() == [NO_TEXT, NO_TEXT]
