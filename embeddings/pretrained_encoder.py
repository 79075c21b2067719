"""What the encoders on a transformer share: settings, loading at the first use, batches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .batches import in_batches
from .encoder import JSON, Progress
from .find_model import ModelFiles, find_model
from .packaged import PREFIX, check_packaged
from .pretrained import DTYPES, Pretrained, load_pretrained
from .texts import excerpt
from .torch_device import check_device, resolve_device


class PretrainedEncoder:
    """Finds and loads its model when a call needs it; making an encoder only checks the arguments."""

    def __init__(
        self, name: str, *, lower_case: bool, device: str, dtype: str, batch_size: int, revision: str | None
    ) -> None:
        if not name.strip():
            raise UserError(
                f"name={name!r} is blank: expected a hub id, a folder or packaged:all-MiniLM-L6-v2"
            )
        if name.startswith(PREFIX):
            check_packaged(name)
        if dtype not in DTYPES:
            raise UserError(f"dtype={dtype!r} is not known: expected one of {', '.join(DTYPES)}")
        if batch_size < 1:
            raise UserError(f"batch_size={batch_size} is too small: expected 1 or more")
        check_device(device)
        self.name = name
        self.lower_case = lower_case
        self.device = device
        self.dtype = dtype
        self.batch_size = batch_size
        self.revision = revision
        self._also: tuple[str, ...] = ()  # patterns of further files that the vectors depend on
        self._fitting: int | None = None  # the batch size, once one was too big for the memory
        self._files: ModelFiles | None = None
        self._pretrained: Pretrained | None = None
        self._lock = threading.RLock()  # one batch at a time bounds memory; tokenizers refuse two callers

    def load(self) -> None:
        """Find and load the model now, not when the first text is encoded.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        self._load()

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        with self._lock:
            self._pretrained = None

    def _describe(self, **settings: JSON) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of each file; the model is found, but not loaded."""
        device = resolve_device(self.device)
        files = self._find()
        return {
            "name": self.name,
            "source": files.source,
            "commit": files.commit,
            "files": dict(files.digests(self._also)),
            "lower_case": self.lower_case,
            **settings,
            "dtype": self.dtype,
            "batch_size": self.batch_size,
            "device": device,
        }

    def _cased(self, text: str) -> str:
        return text.lower() if self.lower_case else text

    def _in_batches(
        self,
        lengths: Sequence[int] | NDArray[np.int64],
        work: Callable[[NDArray[np.int64]], None],
        progress: Progress | None,
        in_order: bool = False,
    ) -> None:
        """Call ``work`` with the rows of each batch; what did not fit once is not tried again."""
        size = self.batch_size if self._fitting is None else min(self.batch_size, self._fitting)
        fitting = in_batches(lengths, size, work, progress, resolve_device(self.device), in_order)
        if fitting < size:
            self._fitting = fitting

    def _refuse_infinite(self, text: str) -> NoReturn:
        raise UserError(
            f"the vector of {excerpt(text)} is not finite with dtype={self.dtype}: choose dtype=float32"
        )

    def _find(self) -> ModelFiles:
        with self._lock:
            if self._files is None:
                self._files = find_model(self.name, self.revision, self._also)
            return self._files

    def _load(self) -> Pretrained:
        with self._lock:
            if self._pretrained is None:
                device = resolve_device(self.device)
                self._pretrained = load_pretrained(self._find(), device, self.dtype)
            return self._pretrained
