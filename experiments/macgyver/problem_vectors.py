"""Vectors of problems and tools by any model of the configuration that has vectors of texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...conf.compose import compose_run, model_words
from ...embeddings.encoder import Encoder
from ...errors import UserError
from ..pipeline.encode import cached, make_encoder
from ..terminal.progress import Update

AT_ONCE = 4096  # texts: what is encoded is kept before the next ones, so that little is lost if it is stopped


def text_encoder(model: str, device: str = "auto", cache: str = "true") -> Encoder:
    """The encoder that a model's choice, hub id or folder names, with the cache before it.

    Raises
    ------
    UserError
        If there is no such model, or it has no vectors of its own.

    """
    config = compose_run([*model_words(model), f"device={device}"]).model
    encoder = cached(make_encoder(config), cache)
    if not isinstance(encoder, Encoder):
        raise UserError(f"--model {model} has no vectors of its own: choose one model, such as minilm")
    return encoder


def encode_texts(encoder: Encoder, texts: Sequence[str], update: Update | None = None) -> NDArray[np.float32]:
    """(n_texts, n_features) vectors, each distinct text encoded once."""
    distinct = list(dict.fromkeys(texts))
    parts = []
    for start in range(0, len(distinct), AT_ONCE):

        def progress(done: int, _: int, start: int = start) -> None:
            if update is not None:
                update(start + done, len(distinct))

        parts.append(encoder.encode(distinct[start : start + AT_ONCE], progress))
    if update is not None:
        update(len(distinct), len(distinct))
    vectors = np.concatenate(parts)
    if len(distinct) == len(texts):
        return vectors
    places = {text: place for place, text in enumerate(distinct)}
    return vectors[[places[text] for text in texts]]
