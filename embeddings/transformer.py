"""Static vectors from a transformer: each text alone, its last hidden layer pooled into one vector."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import JSON, Progress
from .find_model import ModelFiles, find_model
from .packaged import PREFIX, check_packaged
from .pretrained import DTYPES, Pretrained, excerpt, load_pretrained
from .torch_device import check_device, resolve_device

if TYPE_CHECKING:
    import torch

POOLINGS = ("mean", "cls")


class TransformerEncoder:
    """An encoder on a model that transformers can load.

    Making one checks the arguments and does nothing else; the model is found and loaded when a call needs it.
    A text's vector does not depend on the other texts, on their order or on the batch size, but for the
    rounding of the arithmetic (1e-5 in float32).

    Parameters
    ----------
    name
        A hub id, a folder, or ``packaged:all-MiniLM-L6-v2``.
    pooling
        ``mean`` of the text's tokens, special tokens included, or ``cls``, the first token alone.
    lower_case
        Lower-case the texts first, as the Only Connect Wall paper did.
    prefix
        Put before each text as it is, such as ``"query: "`` for E5.
    normalize
        Scale each vector to length 1. The paper did not.
    device
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``. Only ``auto`` chooses.
    dtype
        Of the weights and the arithmetic: ``float32``, ``bfloat16``, ``float16``, or ``auto``, as the model
        was saved. Pooling and the vectors are float32.
    batch_size
        Texts in one forward pass.
    revision
        Branch, tag or commit of a hub model.

    Raises
    ------
    UserError
        On a value that is out of range.

    """

    def __init__(
        self,
        name: str,
        *,
        pooling: str = "mean",
        lower_case: bool = True,
        prefix: str = "",
        normalize: bool = False,
        device: str = "auto",
        dtype: str = "float32",
        batch_size: int = 64,
        revision: str | None = None,
    ) -> None:
        if not name.strip():
            raise UserError(
                f"model {name!r} is blank: expected a hub id, a folder or packaged:all-MiniLM-L6-v2"
            )
        if name.startswith(PREFIX):
            check_packaged(name)
        if pooling not in POOLINGS:
            raise UserError(f"pooling={pooling!r} is not known: expected {' or '.join(POOLINGS)}")
        if dtype not in DTYPES:
            raise UserError(f"dtype={dtype!r} is not known: expected one of {', '.join(DTYPES)}")
        if batch_size < 1:
            raise UserError(f"batch_size={batch_size} is too small: expected 1 or more")
        check_device(device)
        self.name = name
        self.pooling = pooling
        self.lower_case = lower_case
        self.prefix = prefix
        self.normalize = normalize
        self.device = device
        self.dtype = dtype
        self.batch_size = batch_size
        self.revision = revision
        self._files: ModelFiles | None = None
        self._pretrained: Pretrained | None = None
        self._lock = threading.RLock()

    def load(self) -> None:
        """Find and load the model now, not at the first ``encode``.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        self._load()

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n_texts, n_features); each distinct text is encoded once.

        Raises
        ------
        UserError
            If a text is blank, is nothing to the model's tokenizer, or is longer than the model reads; if the
            model or the device cannot be had; if a vector overflows in float16.
        TypeError
            If ``texts`` is one text, or holds something else than texts.

        """
        prepared = self._prepare(texts)
        distinct = {text: row for row, text in enumerate(dict.fromkeys(prepared))}
        with self._lock:  # one batch at a time bounds the memory, and tokenizers refuse two callers
            vectors = self._encode_distinct(list(distinct), progress)
        return vectors[[distinct[text] for text in prepared]]

    def describe(self) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of each file: what is needed to make the same vectors again.

        The model is found, downloaded if need be, but not loaded.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        device = resolve_device(self.device)
        files = self._find()
        return {
            "encoder": "transformer",
            "name": self.name,
            "source": files.source,
            "commit": files.commit,
            "files": dict(files.digests()),
            "pooling": self.pooling,
            "lower_case": self.lower_case,
            "prefix": self.prefix,
            "normalize": self.normalize,
            "dtype": self.dtype,
            "batch_size": self.batch_size,
            "device": device,
        }

    def _prepare(self, texts: Sequence[str]) -> list[str]:
        if isinstance(texts, str):
            raise TypeError(
                f"expected a sequence of texts, not one text ({excerpt(texts)}): put it in a list"
            )
        prepared = []
        for position, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"texts[{position}] is {text!r}, a {type(text).__name__}: expected a str")
            if not text.strip():
                raise UserError(
                    f"texts[{position}] is blank ({text!r}): every text needs something to encode"
                )
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise UserError(
                    f"texts[{position}] is no valid Unicode ({excerpt(text)} holds half a surrogate pair): "
                    "read its file as UTF-8"
                ) from error
            prepared.append(self.prefix + (text.lower() if self.lower_case else text))
        return prepared

    def _encode_distinct(self, texts: list[str], progress: Progress | None) -> NDArray[np.float32]:
        pretrained = self._load()
        # The prefix alone comes along: a text that adds no token to it is nothing to this model.
        *ids, nothing = pretrained.tokenize([*texts, self.prefix])
        for text, row in zip(texts, ids, strict=True):
            if row == nothing:
                raise UserError(
                    f"the text {text.removeprefix(self.prefix)!a} is nothing to {self.name}: its "
                    "tokenizer drops every character of it, so change the text or choose another model"
                )
        vectors = np.empty((len(texts), pretrained.n_features), dtype=np.float32)
        # Texts of like length share a batch, so that little is padding; the longest come first, so that
        # a batch that is too big for the memory fails at once.
        order = np.argsort([-len(row) for row in ids], kind="stable")
        if progress is not None:
            progress(0, len(texts))
        for start in range(0, len(texts), self.batch_size):
            rows = order[start : start + self.batch_size]
            hidden, mask = pretrained.hidden([ids[row] for row in rows])
            vectors[rows] = self._pool(hidden, mask).cpu().numpy()
            if progress is not None:
                progress(start + len(rows), len(texts))
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            text = texts[int(np.argmin(finite))]
            raise UserError(
                f"the vector of {excerpt(text)} is not finite with dtype={self.dtype}: choose dtype=float32"
            )
        return vectors

    def _pool(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """One float32 vector a text, (n_texts, n_features), of its hidden states and their mask."""
        if self.pooling == "cls":
            pooled = hidden[:, 0].float()
        else:
            tokens = mask.unsqueeze(-1)
            pooled = hidden.float().masked_fill(tokens == 0, 0.0).sum(dim=1) / tokens.sum(dim=1)
        if self.normalize:
            pooled = pooled / pooled.norm(dim=1, keepdim=True).clamp_min(1e-12)
        return pooled

    def _find(self) -> ModelFiles:
        with self._lock:
            if self._files is None:
                self._files = find_model(self.name, self.revision)
            return self._files

    def _load(self) -> Pretrained:
        with self._lock:
            if self._pretrained is None:
                device = resolve_device(self.device)
                self._pretrained = load_pretrained(self._find(), device, self.dtype)
            return self._pretrained
