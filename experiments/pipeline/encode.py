"""The encoder that a run's configuration names, and what makes it the same encoder as another run's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...conf.model_schema import (
    ContextualConfig,
    ElmoConfig,
    EmbeddingConfig,
    FlairConfig,
    FusedConfig,
    ModelConfig,
    TransformerConfig,
    WordsConfig,
)
from ...embeddings.encoder import ContextualEncoder
from ...errors import UserError

if TYPE_CHECKING:
    from ...embeddings.encoder import JSON, Encoder
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
        from ...embeddings.fused import FusedEncoder

        parts = tuple(_make_part(part, embedding) for part in model.models)
        return FusedEncoder(parts, tuple(model.weights))
    return _make_part(model, embedding)


def _make_part(model: ModelConfig, embedding: EmbeddingConfig) -> Encoder | ContextualEncoder:
    if isinstance(model, WordsConfig):
        return _words(model, embedding)
    if isinstance(model, FlairConfig):
        return _flair(model, embedding)
    if isinstance(model, ElmoConfig):
        return _elmo(model, embedding)
    if not isinstance(model, TransformerConfig):
        raise TypeError(f"no way to make an encoder of a {type(model).__name__}")
    if isinstance(embedding, ContextualConfig):
        return _in_context(model, embedding)
    from ...embeddings.transformer import TransformerEncoder

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


def _words(model: WordsConfig, embedding: EmbeddingConfig) -> Encoder:
    from ...embeddings.words import WordEncoder

    if isinstance(embedding, ContextualConfig):
        raise UserError(
            "embedding=contextual does not apply to word vectors, which are the same whatever stands beside "
            "them: choose embedding=static"
        )
    if not _is_byte_pairs(model.name):
        return WordEncoder(model.name, byte_pairs=model.byte_pairs, lower_case=model.lower_case)
    if model.byte_pairs is not None:
        raise UserError(
            f"model.name={model.name} is a BPEmb model, and model.byte_pairs={model.byte_pairs} another "
            "beside it: choose model=bpemb, or name word vectors"
        )
    return WordEncoder(None, byte_pairs=model.name, lower_case=model.lower_case)


def _is_byte_pairs(name: str) -> bool:
    return name == "bpemb" or Path(name).expanduser().is_dir()


def cached(encoder: AnyEncoder, where: str) -> AnyEncoder:
    """The encoder with a cache before it, where ``where`` is true or a folder; contextual ones have none."""
    from ...embeddings.fused import FusedEncoder

    if isinstance(encoder, FusedEncoder):
        return FusedEncoder(tuple(_cached_part(part, where) for part in encoder.parts), encoder.weights)
    return _cached_part(encoder, where)


def _cached_part(encoder: Encoder | ContextualEncoder, where: str) -> Encoder | ContextualEncoder:
    if where.lower() == "false" or isinstance(encoder, ContextualEncoder):
        return encoder
    from ...embeddings.cache import CachedEncoder

    return CachedEncoder(encoder, None if where.lower() == "true" else Path(where))


def unknown_words(encoder: AnyEncoder, walls: Sequence[Sequence[str]]) -> dict[str, JSON]:
    """For a record: how many of the walls' clues hold no word that the encoder knows, and how many words.

    Empty where the encoder has a vector for everything. A fused encoder's parts are distinguished by name.
    """
    from ...embeddings.cache import CachedEncoder
    from ...embeddings.encoder import CountsTokens
    from ...embeddings.fused import FusedEncoder

    if isinstance(encoder, FusedEncoder):
        parts = {part.name: unknown_words(part, walls).get("unknown") for part in encoder.parts}
        known_of: dict[str, JSON] = {name: counts for name, counts in parts.items() if counts}
        return {"unknown": known_of} if known_of else {}
    if not isinstance(encoder, CountsTokens):
        return {}
    if isinstance(encoder, CachedEncoder) and not encoder.counts:
        return {}
    counts = encoder.count_tokens([clue for clues in walls for clue in clues])
    n_tokens, n_unknown = counts.sum(axis=0).tolist()
    n_clues = int((counts[:, 0] == counts[:, 1]).sum())
    return {"unknown": {"clues": n_clues, "of_clues": len(counts), "words": n_unknown, "of_words": n_tokens}}


def _in_context(model: TransformerConfig, embedding: ContextualConfig) -> ContextualEncoder:
    from ...embeddings.contextual import ContextualTransformerEncoder

    for key, used in (("prefix", model.prefix), ("normalize", model.normalize)):
        if used:
            raise UserError(
                f"model.{key}={used} does not apply to embedding=contextual, where a clue is a part of a "
                "sentence: leave it out, or choose a model without it"
            )
    return ContextualTransformerEncoder(
        model.name,
        subtoken=embedding.subtoken,
        layers=embedding.layers,
        leading_space=embedding.leading_space,
        lower_case=model.lower_case,
        device=model.device,
        dtype=model.dtype,
        batch_size=model.batch_size,
        revision=model.revision,
    )


def _flair(model: FlairConfig, embedding: EmbeddingConfig) -> Encoder | ContextualEncoder:
    from ...embeddings.flair_encoder import ContextualFlairEncoder, FlairEncoder

    kind: type[FlairEncoder] | type[ContextualFlairEncoder] = FlairEncoder
    if isinstance(embedding, ContextualConfig):
        kind = ContextualFlairEncoder
        for key in ("subtoken", "layers", "leading_space"):
            value = getattr(embedding, key)
            if value != getattr(ContextualConfig(), key):
                raise UserError(
                    f"embedding.{key}={value} does not apply to model=flair: name flair's own arguments in "
                    "model.options, as in model.options={layers:'-1'}"
                )
    return kind(model.name, options=model.options, lower_case=model.lower_case, device=model.device)


def _elmo(model: ElmoConfig, embedding: EmbeddingConfig) -> Encoder | ContextualEncoder:
    from ...embeddings.elmo import ContextualElmoEncoder, ElmoEncoder

    if not isinstance(embedding, ContextualConfig):
        if model.carry_state:
            raise UserError("model.carry_state=true does not apply to a clue alone: add embedding=contextual")
        return ElmoEncoder(
            model.name, lower_case=model.lower_case, device=model.device, batch_size=model.batch_size
        )
    for key in ("subtoken", "leading_space"):
        value = getattr(embedding, key)
        if value != getattr(ContextualConfig(), key):
            raise UserError(f"embedding.{key}={value} does not apply to ELMo, to which a clue is one token")
    return ContextualElmoEncoder(
        model.name,
        layers=embedding.layers,
        carry_state=model.carry_state,
        lower_case=model.lower_case,
        device=model.device,
        batch_size=model.batch_size,
    )


def model_identity(model: ModelConfig) -> dict[str, Any]:
    """A model's settings that can change a result, with the hashes of its files where it is a folder.

    What a folder of the user's holds may change under its name; what a hub id stands for is in its revision.
    """
    identity: dict[str, Any] = {key: value for key, value in asdict(model).items() if key not in _ONLY_SHOWN}
    if isinstance(model, FusedConfig):
        del identity["parts"]  # what they are called
        identity["models"] = [model_identity(part) for part in model.models]
    elif isinstance(model, WordsConfig):
        return identity | _word_files(model)
    elif isinstance(model, FlairConfig):
        from ...embeddings.flair_encoder import flair_digests

        identity["files"] = flair_digests(model.name)
    elif not Path(model.name).expanduser().is_dir():
        return identity
    elif isinstance(model, ElmoConfig):
        from ...embeddings.elmo_model import elmo_digests

        identity["name"] = elmo_digests(model.name)
    else:
        from ...embeddings.find_model import find_model
        from ...embeddings.sentence_modules import MODULE_FILES

        own = isinstance(model, TransformerConfig) and model.pooling == "auto"
        identity["name"] = dict(find_model(model.name).digests(MODULE_FILES if own else ()))
    return identity


def _word_files(model: WordsConfig) -> dict[str, Any]:
    """The hashes of the files and folders of the user's that a configuration names, by its keys."""
    from ...embeddings.byte_pairs import byte_pair_digests
    from ...embeddings.published import byte_pair_paths
    from ...embeddings.word_files import word_digests

    files: dict[str, Any] = {}
    for key, name in (("name", model.name), ("byte_pairs", model.byte_pairs)):
        path = Path(name or "bpemb").expanduser()
        if path.is_dir():
            files[key] = byte_pair_digests(*byte_pair_paths(str(path)))
        elif path.is_file():
            files[key] = word_digests(path)
    return files


Made = TypeVar("Made")


class Shared:
    """Makes each thing once while the runs that follow each other need the same one.

    Of each kind the last one alone is kept, so that runs which share it should stand side by side; with
    ``every``, where none is large, all of them.
    """

    def __init__(self, every: bool = False) -> None:
        self._every = every
        self._kept: dict[str, dict[Hashable, Any]] = {}

    def once(self, kind: str, key: Hashable, make: Callable[[], Made]) -> Made:
        """The thing of that kind and key; ``make`` makes it unless it is kept."""
        of_kind = self._kept.setdefault(kind, {})
        if key not in of_kind:
            if not self._every:
                of_kind.clear()  # before the next is made: two models may not fit
            of_kind[key] = make()
        made: Made = of_kind[key]
        return made
