"""Static vectors from a transformer: each text alone, its last hidden layer pooled into one vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .encoder import JSON, Progress
from .pooling import Pooler, make_pooler
from .pretrained_encoder import PretrainedEncoder
from .sentence_modules import MODES, MODULE_FILES, Recipe, read_recipe
from .texts import check_texts

POOLINGS = ("auto", *MODES)


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
        How a text's tokens become one vector: ``mean`` of them, special tokens included, ``cls``, the first
        token, ``last``, the last one, ``max`` of each number, ``weighted``, the mean by place in the text, or
        ``mean_sqrt_len``, the sum over the root of their number. ``auto`` is what the files of a
        sentence-transformers model say: its pooling, its Dense layers, its normalization and its default
        prompt; the mean alone for a model without such files. ``describe`` says what that came to.
    lower_case
        Lower-case the texts first, as the Only Connect Wall paper did.
    prefix
        Put before each text as it is, such as ``"query: "`` for E5. By default, with ``pooling="auto"`` the
        model's own default prompt, otherwise none.
    normalize
        Scale each vector to length 1. The paper did not. By default, with ``pooling="auto"`` as the model's
        files say, otherwise not.
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
        pooling: str = "auto",
        lower_case: bool = True,
        prefix: str | None = None,
        normalize: bool | None = None,
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
            raise UserError(f"pooling={pooling!r} is not known: expected one of {', '.join(POOLINGS)}")
        self.pooling = pooling
        own = pooling == "auto"
        self.prefix = prefix if own or prefix is not None else ""
        self.normalize = normalize if own or normalize is not None else False
        self._also = MODULE_FILES if own else ()
        self._pooler: Pooler | None = None

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
        texts = check_texts(texts)
        with self._lock:
            recipe = self._recipe()
            lower_case = self.lower_case or recipe.lower_case
            prepared = [recipe.prefix + (text.lower() if lower_case else text) for text in texts]
            distinct = {text: row for row, text in enumerate(dict.fromkeys(prepared))}
            vectors = self._encode_distinct(list(distinct), recipe, progress)
        return vectors[[distinct[text] for text in prepared]]

    def unload(self) -> None:
        """Let go of the model's memory; what needs the model later loads it again."""
        with self._lock:
            super().unload()
            self._pooler = None

    def describe(self) -> dict[str, JSON]:
        """Name, settings, device and the SHA-256 of each file: what is needed to make the same vectors again.

        The model is found, downloaded if need be, but not loaded.

        Raises
        ------
        UserError
            If the model or the device cannot be had.

        """
        own: dict[str, JSON] = {"resolved": self._recipe().describe()} if self.pooling == "auto" else {}
        return self._describe(
            encoder="transformer",
            pooling=self.pooling,
            prefix=self.prefix,
            normalize=self.normalize,
            **own,
        )

    def _recipe(self) -> Recipe:
        """The settings, with what the model's files say where the settings leave it to them."""
        if self.pooling == "auto":
            recipe = read_recipe(self._find().folder)
        else:
            recipe = Recipe(modes=(self.pooling,), source="settings")
        if self.prefix is not None:
            recipe = replace(recipe, prefix=self.prefix)
        if self.normalize is not None and self.normalize != (recipe.steps[-1:] == ("normalize",)):
            recipe = replace(
                recipe, steps=(*recipe.steps, "normalize") if self.normalize else recipe.steps[:-1]
            )
        return recipe

    def _encode_distinct(
        self, texts: list[str], recipe: Recipe, progress: Progress | None
    ) -> NDArray[np.float32]:
        pretrained = self._load()
        if self._pooler is None:
            self._pooler = make_pooler(recipe, pretrained.n_features, pretrained.device)
        pooler = self._pooler
        # The prefix alone comes along: a text that adds no token to it is nothing to this model.
        *ids, nothing = pretrained.tokenize([*texts, recipe.prefix])
        for text, row in zip(texts, ids, strict=True):
            if row == nothing:
                raise UserError(
                    f"the text {text.removeprefix(recipe.prefix)!a} is nothing to {self.name}: its "
                    "tokenizer drops every character of it, so change the text or choose another model"
                )
        left_out = 0
        if recipe.prefix and not recipe.pool_prefix:
            left_out = len(nothing) - (nothing[-1] in pretrained.tokenizer.all_special_ids)
        # Texts that are the same tokens to the model get the same vector, bit by bit.
        place = {row: number for number, row in enumerate(dict.fromkeys(map(tuple, ids)))}
        tokens = list(place)
        vectors = np.empty((len(tokens), pooler.n_features), dtype=np.float32)

        def encode_batch(rows: NDArray[np.int64]) -> None:
            hidden, mask = pretrained.hidden([tokens[row] for row in rows])
            vectors[rows] = pooler(hidden, mask, left_out).cpu().numpy()

        self._in_batches([len(row) for row in tokens], encode_batch, progress)
        vectors = vectors[[place[tuple(row)] for row in ids]]
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            self._refuse_infinite(texts[int(np.argmin(finite))])
        return vectors
