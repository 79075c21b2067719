"""Which tokens of a sentence belong to which of its texts. It knows nothing of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ItemError, UserError
from .pretrained import Pretrained
from .texts import excerpt

NO_TEXT = -1


@dataclass(frozen=True, slots=True)
class TextPieces:
    """The tokens of sentences that are texts joined by blanks, and whose they are."""

    ids: list[NDArray[np.int64]]  # a sentence's token ids, special tokens included
    texts: list[NDArray[np.int64]]  # the place of each token's text in its sentence; NO_TEXT for special ones
    first: NDArray[np.int64]  # (n_sentences, n_points) where in its sentence a text's first token is
    last: NDArray[np.int64]  # (n_sentences, n_points) and its last


def text_pieces(
    pretrained: Pretrained,
    sentences: Sequence[Sequence[str]],  # n_sentences times n_points texts, none of them empty
    leading_space: bool,  # whether the first text has a blank before it, as the others have
) -> TextPieces:
    """Tokenize sentences in one call, and find each token's text by the characters that it stands for.

    A token belongs to the text of its last character, and the blank before a text belongs to the text:
    some tokenizers put it into the text's first token, some make a token of it.

    Raises
    ------
    ItemError
        If a sentence is longer than the model reads, or if no token stands for a text.
    UserError
        If the tokenizer does not say where its tokens are.

    """
    if not pretrained.tokenizer.is_fast:
        raise UserError(
            f"the tokenizer of {pretrained.name} does not say which characters its tokens stand for: "
            "choose a model that has a tokenizer.json"
        )
    encoded = pretrained.tokenizer(
        [" " * leading_space + " ".join(texts) for texts in sentences],
        padding=False,
        truncation=False,
        return_attention_mask=False,
        return_token_type_ids=False,
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        verbose=False,
    )
    ids = [np.asarray(row, dtype=np.int64) for row in encoded["input_ids"]]
    n_tokens = np.array([len(row) for row in ids])
    pretrained.check_known(max((int(row.max()) for row in ids if len(row)), default=0))

    # The sentences as one long text with a character between them, so that one search serves all tokens.
    widths = np.array([[len(text) + 1 for text in texts] for texts in sentences])
    widths[:, 0] += leading_space
    sentence_starts = np.cumsum(widths.sum(axis=1)) - widths.sum(axis=1)
    spans = [np.asarray(row, dtype=np.int64).reshape(-1, 2) for row in encoded["offset_mapping"]]
    token_ends = np.concatenate(spans)[:, 1] + np.repeat(sentence_starts, n_tokens)
    text = np.searchsorted(np.cumsum(widths) - 1, token_ends)  # among the texts of all sentences

    token_starts = np.cumsum(n_tokens) - n_tokens
    place = np.arange(n_tokens.sum()) - np.repeat(token_starts, n_tokens)
    own = np.concatenate([np.asarray(row) for row in encoded["special_tokens_mask"]]) == 0
    first, last = np.full(widths.shape, NO_TEXT), np.full(widths.shape, NO_TEXT)
    # Of several values for one element, NumPy keeps the last.
    first.flat[text[own][::-1]] = place[own][::-1]
    last.flat[text[own]] = place[own]
    texts = np.where(own, text - np.repeat(np.arange(len(ids)) * widths.shape[1], n_tokens), NO_TEXT)
    pieces = TextPieces(ids, np.split(texts, token_starts[1:]), first, last)
    _check(pretrained, sentences, pieces)
    return pieces


def _check(pretrained: Pretrained, sentences: Sequence[Sequence[str]], pieces: TextPieces) -> None:
    absent = np.argwhere(pieces.first == NO_TEXT)
    if len(absent):
        sentence, place = absent[0]
        raise ItemError(
            int(sentence),
            f"the text {sentences[sentence][place]!a} is nothing to {pretrained.name}: its tokenizer makes "
            "no token of it, so change the text or choose another model",
            "sentences",
        )
    sentence = max(range(len(sentences)), key=lambda row: len(pieces.ids[row]))
    n_tokens = len(pieces.ids[sentence])
    if n_tokens > pretrained.max_tokens:
        of_each = np.bincount(pieces.texts[sentence][pieces.texts[sentence] != NO_TEXT])
        longest = int(of_each.argmax())
        raise ItemError(
            sentence,
            f"its texts are {n_tokens} tokens long and {pretrained.name} reads at most "
            f"{pretrained.max_tokens}; the longest, {excerpt(sentences[sentence][longest])}, takes "
            f"{of_each[longest]}: shorten it or choose a model that reads more",
            "sentences",
        )
