"""Static vectors from word vectors: the mean over a text's words. Contextual vectors are made elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .byte_pairs import BytePairs, byte_pair_digests
from .encoder import JSON, Progress
from .published import byte_pair_paths, word_path
from .texts import check_texts
from .tokens import tokenize
from .word_files import read_words, word_digests
from .word_table import UNKNOWN, WordTable


@dataclass(frozen=True, slots=True)
class _Loaded:
    words: WordTable | None
    pieces: BytePairs | None


class WordEncoder:
    """An encoder on a file of word vectors, on BPEmb, or on both side by side as in the paper.

    A text is split into tokens by segtok; its vector is the mean over them. A token that the table of words
    does not know counts as zeros. BPEmb has a vector for every word. Making an encoder checks the arguments
    and does nothing else; files are read when a call needs them.

    Parameters
    ----------
    words
        ``glove``, ``crawl`` or ``news`` (``fourfold data get`` brings them), or a file: text as GloVe,
        fastText and word2vec write it, gzipped or not; word2vec's binary format; gensim's KeyedVectors.
        None for BPEmb alone.
    byte_pairs
        ``bpemb``, a folder with a BPEmb model, or None for the words' vectors alone.
    lower_case
        Lower-case the texts first, as the paper did.

    Raises
    ------
    UserError
        If neither is given, or a name is blank.

    """

    def __init__(
        self, words: str | None, *, byte_pairs: str | None = "bpemb", lower_case: bool = True
    ) -> None:
        if words is None and byte_pairs is None:
            raise UserError("words and byte_pairs are both none: expected word vectors, BPEmb or both")
        for key, value in (("words", words), ("byte_pairs", byte_pairs)):
            if value is not None and not value.strip():
                raise UserError(f"{key}={value!r} is blank: expected a name or a path")
        self.words = words
        self.byte_pairs = byte_pairs
        self.lower_case = lower_case
        self._loaded: _Loaded | None = None
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """The two parts' names, joined by ``+``."""
        return "+".join(part for part in (self.words, self.byte_pairs) if part is not None)

    def load(self) -> None:
        """Find and read the files now, not at the first ``encode``; UserError if they cannot be had."""
        self._load()

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n_texts, n_features), the words' numbers before BPEmb's.

        Raises
        ------
        UserError
            If a text is blank or has no visible character; if the files cannot be had.
        TypeError
            If ``texts`` is one text, or holds something else than texts.

        """
        split = self._split(texts)
        distinct = list(dict.fromkeys(token for tokens in split for token in tokens))
        if progress is not None:
            progress(0, len(texts))
        vectors, _ = self._tokens(distinct)
        place = {token: row for row, token in enumerate(distinct)}
        pooled = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
        for row, tokens in enumerate(split):
            pooled[row] = vectors[[place[token] for token in tokens]].mean(axis=0, dtype=np.float64)
        if progress is not None:
            progress(len(texts), len(texts))
        return pooled

    def count_tokens(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """How many tokens each text has and how many of them are unknown, shape (n_texts, 2).

        Unknown to the table of words; for BPEmb alone, tokens of which no piece is known.
        """
        split = self._split(texts)
        distinct = list(dict.fromkeys(token for tokens in split for token in tokens))
        _, unknown = self._tokens(distinct)
        absent = {token for token, is_unknown in zip(distinct, unknown, strict=True) if is_unknown}
        counts = [(len(tokens), sum(token in absent for token in tokens)) for tokens in split]
        return np.array(counts, dtype=np.int64).reshape(-1, 2)

    def describe(self) -> dict[str, JSON]:
        """Names, settings and the SHA-256 of each file: what is needed to make the same vectors again.

        Files are found, not loaded; UserError if they cannot be.
        """
        files: dict[str, JSON] = {}
        if self.words is not None:
            files |= word_digests(word_path(self.words))
        if self.byte_pairs is not None:
            files |= byte_pair_digests(*byte_pair_paths(self.byte_pairs))
        return {
            "encoder": "words",
            "name": self.name,
            "words": self.words,
            "byte_pairs": self.byte_pairs,
            "files": files,
            "tokenizer": "segtok",
            "pooling": "mean",
            "lower_case": self.lower_case,
            "dtype": "float32",
            "device": "cpu",
        }

    def _split(self, texts: Sequence[str]) -> list[list[str]]:
        split = []
        for text in check_texts(texts):
            tokens = tokenize(text.lower() if self.lower_case else text)
            if not tokens:
                raise UserError(
                    f"the text {text!a} is nothing to {self.name}: it has no visible character, so change it"
                )
            split.append(tokens)
        return split

    def _tokens(self, tokens: list[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors of tokens, (n, n_features), and which of them are unknown."""
        loaded = self._load()
        parts: list[NDArray[np.float32]] = []
        unknown = np.zeros(len(tokens), dtype=np.bool_)
        if loaded.pieces is not None:
            vectors, unknown = loaded.pieces.encode(tokens)
            parts.append(vectors)
        if loaded.words is not None:
            rows = np.array([loaded.words.row(token) for token in tokens], dtype=np.int64)
            parts.insert(0, loaded.words.take(rows))
            unknown = rows == UNKNOWN
        return np.concatenate(parts, axis=1), unknown

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                words = None if self.words is None else read_words(Path(word_path(self.words)))
                pieces = None if self.byte_pairs is None else BytePairs(*byte_pair_paths(self.byte_pairs))
                self._loaded = _Loaded(words, pieces)
            return self._loaded
