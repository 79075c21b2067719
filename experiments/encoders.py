"""The encoder that a run's configuration names, and what makes it the same encoder as another run's."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..conf.embedding_schema import ContextualConfig, EmbeddingConfig
from ..conf.model_schema import FusedConfig, ModelConfig, TransformerConfig
from ..errors import UserError

if TYPE_CHECKING:
    from ..embeddings.encoder import ContextualEncoder, Encoder
    from .gram import AnyEncoder

STATIC = EmbeddingConfig()

# What tables say of a model cannot change a result.
_ONLY_SHOWN = {"title", "paper_row"}


def make_encoder(model: ModelConfig, embedding: EmbeddingConfig = STATIC) -> AnyEncoder:
    """The encoder that a configuration names; it loads its model when it is first used.

    Raises
    ------
    UserError
        On a value that is out of range, or a model that cannot encode in context.

    """
    if isinstance(model, FusedConfig):
        from ..embeddings.fused import FusedEncoder

        parts = tuple(_make_part(part, embedding) for part in model.models)
        return FusedEncoder(parts, tuple(model.weights))
    return _make_part(model, embedding)


def _make_part(model: ModelConfig, embedding: EmbeddingConfig) -> Encoder | ContextualEncoder:
    if not isinstance(model, TransformerConfig):
        raise TypeError(f"no way to make an encoder of a {type(model).__name__}")
    if isinstance(embedding, ContextualConfig):
        raise UserError("embedding=contextual is not to be had yet: choose embedding=static")
    from ..embeddings.transformer import TransformerEncoder

    return TransformerEncoder(
        model.name,
        pooling=model.pooling,
        lower_case=model.lower_case,
        prefix=model.prefix,
        normalize=model.normalize,
        device=model.device,
        dtype=model.dtype,
        batch_size=model.batch_size,
        revision=model.revision,
    )


def model_identity(model: ModelConfig) -> dict[str, Any]:
    """A model's settings that can change a result, with the hashes of its files where it is a folder.

    What a folder of the user's holds may change under its name; what a hub id stands for is in its revision.
    """
    identity: dict[str, Any] = {key: value for key, value in asdict(model).items() if key not in _ONLY_SHOWN}
    if isinstance(model, FusedConfig):
        del identity["parts"]  # what they are called
        identity["models"] = [model_identity(part) for part in model.models]
    elif Path(model.name).expanduser().is_dir():
        from ..embeddings.find_model import find_model

        identity["name"] = dict(find_model(model.name).digests())
    return identity
