"""Which tokens of a sentence belong to which of its clues. It knows nothing of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError, WallError
from .pretrained import Pretrained
from .texts import excerpt

NO_CLUE = -1


@dataclass(frozen=True, slots=True)
class CluePieces:
    """The tokens of sentences that are clues joined by blanks, and whose they are."""

    ids: list[NDArray[np.int64]]  # a sentence's token ids, special tokens included
    clues: list[NDArray[np.int64]]  # the place of each token's clue in its sentence; NO_CLUE for special ones
    first: NDArray[np.int64]  # (n_sentences, n_points) where in its sentence a clue's first token is
    last: NDArray[np.int64]  # (n_sentences, n_points) and its last


def clue_pieces(
    pretrained: Pretrained,
    sentences: Sequence[Sequence[str]],  # n_sentences times n_points clues, none of them empty
    leading_space: bool,  # whether the first clue has a blank before it, as the others have
) -> CluePieces:
    """Tokenize sentences in one call, and find each token's clue by the characters that it stands for.

    A token belongs to the clue of its last character, and the blank before a clue belongs to the clue:
    some tokenizers put it into the clue's first token, some make a token of it.

    Raises
    ------
    WallError
        If a sentence is longer than the model reads, or if no token stands for a clue.
    UserError
        If the tokenizer does not say where its tokens are.

    """
    if not pretrained.tokenizer.is_fast:
        raise UserError(
            f"the tokenizer of {pretrained.name} does not say which characters its tokens stand for: "
            "choose a model that has a tokenizer.json"
        )
    encoded = pretrained.tokenizer(
        [" " * leading_space + " ".join(clues) for clues in sentences],
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
    widths = np.array([[len(clue) + 1 for clue in clues] for clues in sentences])
    widths[:, 0] += leading_space
    sentence_starts = np.cumsum(widths.sum(axis=1)) - widths.sum(axis=1)
    spans = [np.asarray(row, dtype=np.int64).reshape(-1, 2) for row in encoded["offset_mapping"]]
    token_ends = np.concatenate(spans)[:, 1] + np.repeat(sentence_starts, n_tokens)
    clue = np.searchsorted(np.cumsum(widths) - 1, token_ends)  # among the clues of all sentences

    token_starts = np.cumsum(n_tokens) - n_tokens
    place = np.arange(n_tokens.sum()) - np.repeat(token_starts, n_tokens)
    own = np.concatenate([np.asarray(row) for row in encoded["special_tokens_mask"]]) == 0
    first, last = np.full(widths.shape, NO_CLUE), np.full(widths.shape, NO_CLUE)
    # Of several values for one element, NumPy keeps the last.
    first.flat[clue[own][::-1]] = place[own][::-1]
    last.flat[clue[own]] = place[own]
    clues = np.where(own, clue - np.repeat(np.arange(len(ids)) * widths.shape[1], n_tokens), NO_CLUE)
    pieces = CluePieces(ids, np.split(clues, token_starts[1:]), first, last)
    _check(pretrained, sentences, pieces)
    return pieces


def _check(pretrained: Pretrained, sentences: Sequence[Sequence[str]], pieces: CluePieces) -> None:
    absent = np.argwhere(pieces.first == NO_CLUE)
    if len(absent):
        sentence, place = absent[0]
        raise WallError(
            int(sentence),
            f"the clue {sentences[sentence][place]!a} is nothing to {pretrained.name}: its tokenizer makes "
            "no token of it, so change the clue or choose another model",
        )
    sentence = max(range(len(sentences)), key=lambda row: len(pieces.ids[row]))
    n_tokens = len(pieces.ids[sentence])
    if n_tokens > pretrained.max_tokens:
        of_each = np.bincount(pieces.clues[sentence][pieces.clues[sentence] != NO_CLUE])
        longest = int(of_each.argmax())
        raise WallError(
            sentence,
            f"its clues are {n_tokens} tokens long and {pretrained.name} reads at most "
            f"{pretrained.max_tokens}; the longest, {excerpt(sentences[sentence][longest])}, takes "
            f"{of_each[longest]}: shorten it or choose a model that reads more",
        )
