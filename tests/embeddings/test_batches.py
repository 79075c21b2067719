"""Batches that the memory does not hold, on encoders whose device runs out of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from tiny_models import TinyModel

from fourfold.embeddings import batches as batches_module
from fourfold.embeddings import contextual
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


@pytest.mark.parametrize("error", [RuntimeError, torch.OutOfMemoryError])
def test_a_batch_that_was_dropped_does_not_hide_why(
    monkeypatch: pytest.MonkeyPatch, torch_threads: Callable[[int], None], error: type[Exception]
) -> None:
    """A thread has taken the first batch and not begun it when another thread fails on the second."""
    n_asked = 0

    class Late(threading.Event):
        def is_set(self) -> bool:
            nonlocal n_asked
            n_asked += 1
            if n_asked == 1:
                self.wait(20)
            return super().is_set()

    seen: list[list[int]] = []

    def work(rows: np.ndarray) -> None:
        seen.append(rows.tolist())
        if len(seen) == 1:
            raise error("the real reason")

    torch_threads(2)
    monkeypatch.setattr(batches_module, "threading", SimpleNamespace(Event=Late))
    lengths = [600, 170, 170, 170]
    if error is RuntimeError:
        with pytest.raises(RuntimeError, match="the real reason"):
            in_batches(lengths, 4, work)
    else:
        assert in_batches(lengths, 4, work) == 1
        assert sorted(seen[1:]) == [[0], [1], [2], [3]]
    assert seen[0] == [1, 2, 3]


@pytest.fixture
def torch_threads() -> Iterator[Callable[[int], None]]:
    """Sets how many threads torch uses, for one test."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("kind", "inputs"), [(TransformerEncoder, TEXTS), (ContextualTransformerEncoder, WALLS)]
)
def test_vectors_do_not_depend_on_the_number_of_threads(
    tiny: Tiny, kind: Any, inputs: Any, torch_threads: Callable[[int], None]
) -> None:
    encoder = kind(str(tiny["mpnet"].folder), device="cpu", batch_size=2)
    encoder.load()
    seen: list[tuple[str, int]] = []

    def look(*_: object) -> None:
        seen.append((threading.current_thread().name, torch.get_num_threads()))
        sleep(0.01)  # so that each thread gets its share

    made = []
    for n_threads in (1, 2, 3):
        torch_threads(n_threads)
        seen.clear()
        with encoder._load().model.register_forward_pre_hook(look):
            made.append(calls(encoder, inputs))
        assert len({name for name, _ in seen}) == n_threads
        assert {number for _, number in seen} == {1}
        # Neither this thread's number nor that of threads to come has changed.
        with ThreadPoolExecutor(1) as pool:
            assert torch.get_num_threads() == pool.submit(torch.get_num_threads).result() == n_threads
    assert_array_equal(made[1], made[0])
    assert_array_equal(made[2], made[0])


def test_where_threads_may_not_share_the_layers_batches_go_one_by_one(
    tiny: Tiny, torch_threads: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contextual, "layers_by_thread", lambda: False)
    encoder = ContextualTransformerEncoder(str(tiny["bert"].folder), device="cpu", batch_size=2)
    encoder.load()
    torch_threads(2)
    seen: list[str] = []
    encoder._load().model.register_forward_pre_hook(lambda *_: seen.append(threading.current_thread().name))
    encoder.encode_in_context(WALLS)
    assert seen == [threading.current_thread().name] * 4


def test_encoders_side_by_side_leave_the_threads_alone(torch_threads: Callable[[int], None]) -> None:
    torch_threads(3)
    met, left = threading.Barrier(2), threading.Event()

    def first(_rows: np.ndarray) -> None:
        met.wait(10)
        assert left.wait(10)  # the other is through: nothing may be put back yet

    def second(_rows: np.ndarray) -> None:
        met.wait(10)

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.submit(in_batches, [1], 1, first), pool.submit(in_batches, [1], 1, second)
        assert two.result() == 1
        left.set()
        assert one.result() == 1
    with ThreadPoolExecutor(1) as pool:
        assert torch.get_num_threads() == pool.submit(torch.get_num_threads).result() == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_batches_that_were_not_begun_are_dropped(
    error: type[BaseException], torch_threads: Callable[[int], None]
) -> None:
    torch_threads(2)
    begun: list[int] = []

    def stop(done: int, _total: int) -> None:
        if done:
            raise error

    def work(rows: np.ndarray) -> None:
        begun.extend(rows)
        sleep(0.01)

    with pytest.raises(error):
        in_batches([1] * 100, 1, work, stop)
    assert 1 <= len(begun) < 20


def test_batches_in_order_are_worked_on_one_by_one_here(torch_threads: Callable[[int], None]) -> None:
    torch_threads(2)
    seen: list[tuple[int, str]] = []

    def work(rows: np.ndarray) -> None:
        seen.append((int(rows[0]), threading.current_thread().name))

    in_batches([1] * 5, 1, work, in_order=True)
    assert seen == [(row, threading.current_thread().name) for row in range(5)]


def test_texts_of_the_same_tokens_have_the_same_vector_bit_by_bit(tiny: Tiny) -> None:
    # Unknown to the vocabulary, all are one token; the second batch is a long one.
    texts = ["猫", "jam", "犬", "☃", "a piece of cake", "鳥"]
    encoder = TransformerEncoder(str(tiny["bert"].folder), device="cpu", batch_size=2)
    assert_array_equal(encoder.encode(texts)[[2, 3, 5]], encoder.encode(texts)[[0, 0, 0]])


def test_nothing_to_do() -> None:
    told: list[tuple[int, int]] = []
    assert in_batches([], 8, lambda rows: None, lambda *done: told.append(done)) == 8
    assert told == [(0, 0)]
