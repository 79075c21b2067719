"""BPEmb: vectors of byte-pair pieces, for every word there is. Needs bpemb, which brings sentencepiece.

A word's vector is its first piece's beside its last piece's, as flair takes it; the word is lower-cased and
its digits become 0, as BPEmb's texts had it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .extras import require
from .file_hash import file_sha256

_BLANK = (
    "▁"  # what sentencepiece puts for the blank before a word, a piece of its own before a rare character
)


class BytePairs:
    """A BPEmb model: a sentencepiece model and the vectors of its pieces.

    Raises
    ------
    UserError
        If a file cannot be read or the two do not belong together.

    """

    def __init__(self, model: Path, vectors: Path) -> None:
        require("gensim", "sentencepiece", "bpemb")
        from bpemb import BPEmb

        try:
            self._bpemb: Any = BPEmb(lang=None, dim=None, model_file=model, emb_file=vectors)
            table = np.asarray(self._bpemb.vectors)
            n_pieces = int(self._bpemb.vocab_size)
        except Exception as error:  # of sentencepiece's C++ or of gensim's reader
            raise UserError(
                f"BPEmb cannot be loaded from {model} and {vectors} ({type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}): get the files again"
            ) from error
        if len(table) < n_pieces:
            raise UserError(
                f"BPEmb: {model} has {n_pieces} pieces and {vectors} the vectors of {len(table)}: "
                "name files that belong together, such as en.wiki.bpe.vs100000.model and "
                "en.wiki.bpe.vs100000.d50.w2v.bin"
            )
        if not np.isfinite(table).all():
            raise UserError(f"BPEmb: {vectors} holds a vector that is not finite: get the file again")
        self._vectors = table.astype(np.float32, copy=False)

    @property
    def n_features(self) -> int:
        """The length of a word's vector: twice that of a piece's."""
        return 2 * int(self._vectors.shape[1])

    def encode(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors of words, (n, n_features), and which of them hold no known piece; zeros for a blank."""
        vectors = np.zeros((len(words), self.n_features), dtype=np.float32)
        unknown = np.ones(len(words), dtype=np.bool_)
        marks = {self._bpemb.spm.unk_id(), self._bpemb.spm.piece_to_id(_BLANK)}
        for row, word in enumerate(words):
            pieces = self._bpemb.encode_ids(word.lower()) if word.strip() else []
            if pieces:
                vectors[row] = self._vectors[[pieces[0], pieces[-1]]].reshape(-1)
                unknown[row] = marks.issuperset(pieces)
        return vectors, unknown


def byte_pair_digests(model: Path, vectors: Path) -> dict[str, str]:
    """SHA-256 of the two files, by name."""
    return {path.name: file_sha256(path) for path in (model, vectors)}
