"""Small files of word vectors in every format, and a small BPEmb model; the numbers are random."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

KINDS = {
    "headless": ".txt",
    "headed": ".vec",
    "headless gzip": ".txt.gz",
    "headed gzip": ".vec.gz",
    "binary": ".bin",
    "keyed": ".kv",
}
N_NUMBERS, N_PIECE_NUMBERS = 6, 4
WORDS = [
    "jam", "cake", "tin", "query", "a", "piece", "of", "the", "homophone", "Bask", "bask", "glamour", "%",
    "8.5", "r2-d2", "rock", "new", "york", "0", "00", "####", "1990s", "é", "do", "n't", "piece's", "’s",
    "C++", "c", "+", "&", ".", ",", "!", "'",
]  # fmt: skip


def vectors(words: Iterable[str] = WORDS, seed: int = 0) -> dict[str, np.ndarray]:
    """A random vector for each word."""
    rng = np.random.default_rng(seed)
    return {word: rng.normal(size=N_NUMBERS).astype(np.float32) for word in words}


def text(table: Mapping[str, np.ndarray], header: bool) -> bytes:
    """GloVe's format, or with a header word2vec's and fastText's."""
    lines = [f"{len(table)} {N_NUMBERS}"] if header else []
    lines += [" ".join([word, *(repr(float(x)) for x in vector)]) for word, vector in table.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def keyed(table: Mapping[str, np.ndarray]) -> KeyedVectors:
    """The table as gensim holds it."""
    from gensim.models import KeyedVectors

    made = KeyedVectors(N_NUMBERS)
    made.add_vectors(list(table), np.array(list(table.values())))
    return made


def write(folder: Path, kind: str, table: Mapping[str, np.ndarray]) -> Path:
    """A file of the table in one of KINDS."""
    path = folder / f"words{KINDS[kind]}"
    if kind == "keyed":
        keyed(table).save(str(path), separately=["vectors"])
    elif kind == "binary":
        keyed(table).save_word2vec_format(str(path), binary=True)
    else:
        content = text(table, header="headed" in kind)
        path.write_bytes(gzip.compress(content) if "gzip" in kind else content)
    return path


def make_byte_pairs(folder: Path, texts: Iterable[str], n_pieces: int = 220) -> Path:
    """A BPEmb model trained on texts; returns its folder."""
    import sentencepiece
    from gensim.models import KeyedVectors

    folder.mkdir(parents=True, exist_ok=True)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.lower() for text in texts), model_writer=model, model_type="bpe",
        vocab_size=n_pieces, character_coverage=0.98, normalization_rule_name="identity", minloglevel=2,
    )  # fmt: skip
    (folder / "pieces.model").write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    names = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    made = KeyedVectors(N_PIECE_NUMBERS)
    rng = np.random.default_rng(1)
    made.add_vectors(names, rng.normal(size=(len(names), N_PIECE_NUMBERS)).astype(np.float32))
    made.save_word2vec_format(str(folder / "pieces.w2v.bin"), binary=True)
    return folder
