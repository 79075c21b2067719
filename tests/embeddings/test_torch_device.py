"""A requested device is used or it is an error; auto chooses."""

from __future__ import annotations

import pytest
import torch

from fourfold.embeddings.torch_device import check_device, resolve_device
from fourfold.errors import UserError


def pretend(monkeypatch: pytest.MonkeyPatch, n_cards: int, apple: bool) -> None:
    """Let torch see ``n_cards`` CUDA devices, the last of them current, and an Apple GPU or none."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: n_cards > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: n_cards)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: n_cards - 1)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: apple)


@pytest.mark.parametrize(
    ("name", "n_cards", "apple", "used"),
    [
        ("auto", 0, False, "cpu"),
        ("auto", 0, True, "mps"),
        ("auto", 2, False, "cuda:1"),
        ("cpu", 2, True, "cpu"),
        ("cuda", 2, False, "cuda:1"),
        ("cuda:0", 2, False, "cuda:0"),
        ("mps", 0, True, "mps"),
    ],
)
def test_what_is_used(
    monkeypatch: pytest.MonkeyPatch, name: str, n_cards: int, apple: bool, used: str
) -> None:
    pretend(monkeypatch, n_cards, apple)
    assert resolve_device(name) == used


@pytest.mark.parametrize(
    ("name", "n_cards", "said"),
    [
        ("cuda", 0, r"device=cuda: torch \S+ finds no CUDA device: choose device=auto or device=cpu"),
        ("cuda:0", 0, r"device=cuda:0: torch \S+ finds no CUDA device"),
        ("cuda:2", 2, r"device=cuda:2: not among the CUDA devices of this machine \(cuda:0, cuda:1\)"),
        ("mps", 2, r"device=mps: torch \S+ finds no Apple GPU"),
    ],
)
def test_a_device_that_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, name: str, n_cards: int, said: str
) -> None:
    pretend(monkeypatch, n_cards, apple=False)
    with pytest.raises(UserError, match=said):
        resolve_device(name)


@pytest.mark.parametrize("name", ["", "CPU", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0 "])
def test_an_unknown_name_is_an_error(name: str) -> None:
    with pytest.raises(UserError, match=f"device='{name}' is not known"):
        check_device(name)
