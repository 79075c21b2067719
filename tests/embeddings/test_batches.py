"""Batches that the memory does not hold, on encoders whose device runs out of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from tiny_models import TinyModel

from fourfold.embeddings.batches import in_batches
from fourfold.embeddings.contextual import ContextualTransformerEncoder
from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.errors import UserError

TEXTS = ["jam", "Jaffa", "a cake", "8.5", "%", "R2-D2", "é", "homophone", "tin"]
WALLS = [[TEXTS[i], TEXTS[-i - 1]] for i in range(7)]

Tiny = dict[str, TinyModel]


def holds(n_texts: int, batches: list[int] | None = None) -> Callable[..., None]:
    """A hook of a model on a card that holds so many texts."""

    def run_out(_model: Any, _args: Any, inputs: dict[str, torch.Tensor]) -> None:
        n = len(inputs["input_ids"])
        if batches is not None:
            batches.append(n)
        if n > n_texts:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")

    return run_out


def calls(encoder: Any, inputs: Any) -> np.ndarray:
    return (encoder.encode_in_context if hasattr(encoder, "encode_in_context") else encoder.encode)(inputs)


@pytest.mark.parametrize(
    ("kind", "inputs"), [(TransformerEncoder, TEXTS), (ContextualTransformerEncoder, WALLS)]
)
def test_a_batch_that_the_memory_does_not_hold_is_halved(
    tiny: Tiny, kind: Any, inputs: Any, caplog: pytest.LogCaptureFixture
) -> None:
    roomy = kind(str(tiny["bert"].folder), device="cpu")
    tight = kind(str(tiny["bert"].folder), device="cpu", batch_size=64)
    batches: list[int] = []
    tight.load()
    tight._load().model.register_forward_pre_hook(holds(2, batches), with_kwargs=True)
    n = len(inputs)
    with caplog.at_level(logging.WARNING, "fourfold"):
        assert_allclose(calls(tight, inputs), calls(roomy, inputs), rtol=1e-5, atol=1e-5)
    assert batches[:3] == [n, n // 2, n // 4 if n // 4 <= 2 else n // 8]
    assert sum(batches) == n + n // 2 + n  # two that failed, and each text once
    assert [record.getMessage() for record in caplog.records] == [
        f"the memory of cpu does not hold {n} texts at once: going on with batches of {n // 2}",
        f"the memory of cpu does not hold {n // 2} texts at once: going on with batches of {n // 4}",
    ]
    # What failed once is not tried again, and says nothing more.
    batches.clear()
    calls(tight, inputs)
    assert max(batches) <= 2
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("kind", "inputs"), [(TransformerEncoder, TEXTS), (ContextualTransformerEncoder, WALLS)]
)
def test_a_text_that_the_memory_does_not_hold_alone_is_an_error(tiny: Tiny, kind: Any, inputs: Any) -> None:
    encoder = kind(str(tiny["bert"].folder), device="cpu", batch_size=2)
    encoder.load()
    encoder._load().model.register_forward_pre_hook(holds(0), with_kwargs=True)
    with pytest.raises(
        UserError, match=r"memory of cpu does not hold one text of \d+ tokens: free .*device=cpu"
    ):
        calls(encoder, inputs)


def test_another_error_passes_through(tiny: Tiny) -> None:
    def fail(rows: np.ndarray) -> None:
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        in_batches([1, 2], 1, fail)


def test_every_row_comes_once_and_the_longest_first() -> None:
    seen: list[list[int]] = []
    assert in_batches([3, 9, 1, 9, 4], 2, lambda rows: seen.append(rows.tolist())) == 2
    assert seen == [[1, 3], [4, 0], [2]]


@pytest.mark.parametrize(("device", "sizes"), [("cpu", [1, 1, 4, 2]), ("cuda:0", [8])])
def test_a_batch_on_a_cpu_holds_so_many_tokens(device: str, sizes: list[int]) -> None:
    seen: list[int] = []
    lengths = [128, 600, 128, 3, 400, 100, 128, 128]
    in_batches(lengths, 8, lambda rows: seen.append(len(rows)), device=device)
    assert seen == sizes


def test_nothing_to_do() -> None:
    told: list[tuple[int, int]] = []
    assert in_batches([], 8, lambda rows: None, lambda *done: told.append(done)) == 8
    assert told == [(0, 0)]
