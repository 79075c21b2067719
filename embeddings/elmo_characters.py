"""ELMo's alphabet: a token is 50 numbers, one a byte of its UTF-8 between two marks. No vectors here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_CHARACTERS = 50  # of a token, its two marks included
N_CHARACTERS = 261  # 256 bytes and the five below
BEGIN_SENTENCE, END_SENTENCE, BEGIN_TOKEN, END_TOKEN, PADDING = range(256, N_CHARACTERS)

# These two tokens stand for the ends of a sentence, wherever they are.
SENTENCE_ENDS = ("<S>", "</S>")


def character_ids(tokens: Sequence[str]) -> NDArray[np.int64]:
    """The characters of each token as numbers from 0 to 260, shape (n_tokens, 50).

    A token's first 48 bytes are all that is seen of it, even if the cut falls inside a character; blanks are
    characters like others. So did allennlp, whose numbers are greater by 1 to leave 0 for padding.
    """
    ends = dict(zip(SENTENCE_ENDS, (BEGIN_SENTENCE, END_SENTENCE), strict=True))
    encoded = [b"\0" if token in ends else token.encode()[: MAX_CHARACTERS - 2] for token in tokens]
    lengths = np.array([len(characters) for characters in encoded], dtype=np.int64)
    places = np.arange(1, MAX_CHARACTERS + 1)
    ids = np.full((len(encoded), MAX_CHARACTERS), PADDING, dtype=np.int64)
    ids[:, 0] = BEGIN_TOKEN
    ids[:, 1:][places[:-1] <= lengths[:, None]] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    ids[np.arange(len(encoded)), lengths + 1] = END_TOKEN
    for row, token in enumerate(tokens):
        if token in ends:
            ids[row, 1] = ends[token]
    return ids
