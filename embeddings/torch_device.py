"""Which torch device a name means. A requested device is used or it is an error; only ``auto`` chooses."""

from __future__ import annotations

import re

from ..errors import UserError
from .extras import require

_NAMES = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


def check_device(name: str, key: str = "device") -> None:
    """Raise UserError unless ``name`` is the name of a device, whether it is here or not. Imports nothing."""
    if not _NAMES.fullmatch(name):
        raise UserError(f"{key}={name!r} is not known: expected auto, cpu, cuda, cuda:N or mps")


def resolve_device(name: str) -> str:
    """The device that ``name`` means on this machine: ``cpu``, ``cuda:N`` or ``mps``.

    Raises
    ------
    UserError
        If the requested device is not there.

    """
    check_device(name)
    require("torch")
    import torch

    n_cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        if n_cards:
            return f"cuda:{torch.cuda.current_device()}"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    if name == "cpu":
        return name
    if name == "mps":
        if not torch.backends.mps.is_available():
            raise UserError(
                f"device=mps: torch {torch.__version__} finds no Apple GPU: choose device=auto or device=cpu"
            )
        return name
    if not n_cards:
        raise UserError(
            f"device={name}: torch {torch.__version__} finds no CUDA device: "
            "choose device=auto or device=cpu, or install a CUDA build of torch"
        )
    if name == "cuda":
        return f"cuda:{torch.cuda.current_device()}"
    number = int(name.removeprefix("cuda:"))
    if number >= n_cards:
        known = ", ".join(f"cuda:{card}" for card in range(n_cards))
        raise UserError(
            f"device={name}: not among the CUDA devices of this machine ({known}): choose one of them"
        )
    return f"cuda:{number}"
