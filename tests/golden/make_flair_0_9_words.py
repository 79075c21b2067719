"""Makes ``flair_0_9_words``: what flair 0.9 itself makes of clues with word vectors and BPEmb.

Needs Python 3.8 and what the paper's code ran on:

    pip install torch==1.12.1 flair==0.9 transformers==4.9.2 'gensim==3.8.3' 'numpy<1.24' 'scipy<1.11'
    python make_flair_0_9_words.py

The word vectors and the BPEmb model are small and random; the model's pieces are trained on the clues below.
"""

import io
import json
from pathlib import Path

import flair
import numpy as np
import sentencepiece
import torch
from flair.data import Sentence
from flair.embeddings import BytePairEmbeddings, DocumentPoolEmbeddings, WordEmbeddings
from gensim.models import KeyedVectors

FOLDER = Path(__file__).with_name("flair_0_9_words")

# Words that the table has: cases, both ways of writing digits, punctuation, halves of contractions.
WORDS = [
    "jam", "cake", "tin", "the", "of", "a", "new", "york", "rock", "roll", "piece", "bask", "glamour",
    "Bask", "USA", "#", "##", "##.#", "0", "00", "8.5", "1990s", "####", "0000s", "do", "n't", "'s", "’s",
    "mother-in-law", "r2-d2", "c++", "c", "+", ".", ",", "!", "?", "&", "%", "$", "'", "\"", "…", "é",
    "café", "naïve", "überraschung", "東京", "№", "o'clock",
]  # fmt: skip

CLUES = [
    "Jam", "jam", "Bask", "USA", "New York", "a piece of cake", "Rock & Roll", "rock 'n' roll",
    "The Tin", "8.5", "7", "42", "9.5", "1990s", "2020s", "R2-D2", "C++", "%", "50%", "$100", "A4",
    "4th", "don't", "Isn't it?", "Mother's", "mother’s", "mother-in-law", "o'clock", "What?",
    "Mr. Jam. The Cake!", "U.S.A.", "Café", "cafe\u0301", "naïve", "Überraschung", "東京", "№ 5", "½",
    "…", ".", "!", "?!", "'", "unknownword", "quite unknown things", "jam xyzzy", "zero\u200bwidth",
    "\ufeffjam", "\u2764\ufe0f", "👍🏽 jam", "İstanbul", "it\u0092s", "\u0093jam\u0094",
    "soft\u00adhyphen", "tab\there", "a\u00a0b", "two\nlines", "e.g. this", "12:30", "1,000",
    "and/or", "jam (tin)", "[cake]", "“quoted”", "x²", "H₂O", "٣", "ﬁne", "TIN, CAKE; JAM:", "Ａ",
    "a very long clue " * 12,
]  # fmt: skip


def make_files() -> None:
    """The word vectors as gensim 3.8 and word2vec write them, and the BPEmb model."""
    rng = np.random.RandomState(0)
    words = KeyedVectors(8)
    words.add(WORDS, rng.normal(size=(len(WORDS), 8)).astype(np.float32))
    words.save(str(FOLDER / "words.gensim"))
    words.save_word2vec_format(str(FOLDER / "words.bin"), binary=True)

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(" ".join(clue.lower().split()) for clue in CLUES * 3),
        model_writer=model, model_type="bpe", vocab_size=200, character_coverage=0.98,
        normalization_rule_name="identity", minloglevel=2,
    )  # fmt: skip
    (FOLDER / "pieces.model").write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    names = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    pieces = KeyedVectors(5)
    pieces.add(names, rng.normal(size=(len(names), 5)).astype(np.float32))
    pieces.save_word2vec_format(str(FOLDER / "pieces.w2v.bin"), binary=True)


def embed(*embeddings) -> np.ndarray:
    """What flair makes of each clue, lower-cased as the paper's code did it."""
    document = DocumentPoolEmbeddings(list(embeddings))
    rows = []
    for clue in CLUES:
        sentence = Sentence(clue.lower())
        document.embed(sentence)
        rows.append(sentence.get_embedding().detach().numpy())
    return np.array(rows)


def main() -> None:
    """Write everything into FOLDER."""
    FOLDER.mkdir(exist_ok=True)
    make_files()
    flair.device = torch.device("cpu")

    def words():
        return WordEmbeddings(str(FOLDER / "words.gensim"))

    def pieces():
        return BytePairEmbeddings(
            model_file_path=FOLDER / "pieces.model", embedding_file_path=FOLDER / "pieces.w2v.bin"
        )

    tokens = [(clue, [token.text for token in Sentence(clue.lower())]) for clue in CLUES]
    (FOLDER / "clues.json").write_text(
        json.dumps([{"clue": clue, "tokens": found} for clue, found in tokens], indent=1) + "\n"
    )
    np.savez_compressed(
        FOLDER / "vectors.npz",
        words=embed(words()),
        byte_pairs=embed(pieces()),
        both=embed(words(), pieces()),
    )


if __name__ == "__main__":
    main()
