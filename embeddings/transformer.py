"""Static vectors from a transformer: each text alone, its last hidden layer pooled into one vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import JSON, Progress
from .pretrained_encoder import PretrainedEncoder
from .texts import check_texts

if TYPE_CHECKING:
    import torch

POOLINGS = ("mean", "cls")


class TransformerEncoder(PretrainedEncoder):
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
        Texts in one forward pass. Where the memory of a CUDA device does not hold them, it is halved.
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
        super().__init__(
            name,
            lower_case=lower_case,
            device=device,
            dtype=dtype,
            batch_size=batch_size,
            revision=revision,
        )
        if pooling not in POOLINGS:
            raise UserError(f"pooling={pooling!r} is not known: expected {' or '.join(POOLINGS)}")
        self.pooling = pooling
        self.prefix = prefix
        self.normalize = normalize

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
        prepared = [self.prefix + self._cased(text) for text in check_texts(texts)]
        distinct = {text: row for row, text in enumerate(dict.fromkeys(prepared))}
        with self._lock:
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
        return self._describe(
            encoder="transformer", pooling=self.pooling, prefix=self.prefix, normalize=self.normalize
        )

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
        # Texts that are the same tokens to the model get the same vector, bit by bit.
        place = {row: number for number, row in enumerate(dict.fromkeys(map(tuple, ids)))}
        tokens = list(place)
        vectors = np.empty((len(tokens), pretrained.n_features), dtype=np.float32)

        def encode_batch(rows: NDArray[np.int64]) -> None:
            hidden, mask = pretrained.hidden([tokens[row] for row in rows])
            vectors[rows] = self._pool(hidden, mask).cpu().numpy()

        self._in_batches([len(row) for row in tokens], encode_batch, progress)
        vectors = vectors[[place[tuple(row)] for row in ids]]
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            self._refuse_infinite(texts[int(np.argmin(finite))])
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
