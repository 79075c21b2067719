"""The types of the groups ``model`` and ``embedding``: which encoder, and how it sees a clue."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from ..embeddings.contextual import ContextualTransformerEncoder
from ..embeddings.elmo import ElmoEncoder
from ..embeddings.flair_encoder import FlairEncoder
from ..embeddings.transformer import TransformerEncoder
from ..errors import UserError
from .values import named


@dataclass
class ModelConfig:
    """What every model has."""

    name: str  # what the encoder loads
    title: str = ""  # what tables call it
    paper_row: str | None = None  # key of the paper's Table 3 row, where the settings are the paper's
    device: str = "auto"  # auto, cpu, cuda, cuda:N or mps


@dataclass
class TransformerConfig(ModelConfig):
    """A transformer: ``fourfold.embeddings.transformer.TransformerEncoder``'s settings.

    ``name`` is a hub id, a folder, or packaged:all-MiniLM-L6-v2.
    """

    pooling: str = "auto"  # of static vectors: auto, as the model's files say, or mean, cls, last and so on
    lower_case: bool = True
    prefix: str | None = None  # by default the model's own with pooling=auto, else none
    normalize: bool | None = None  # likewise
    dtype: str = "float32"  # float32, bfloat16, float16 or auto
    batch_size: int = 64
    revision: str | None = None  # branch, tag or commit of a hub model

    def __post_init__(self) -> None:
        with named("model"):
            TransformerEncoder(
                self.name,
                pooling=self.pooling,
                device=self.device,
                dtype=self.dtype,
                batch_size=self.batch_size,
            )
        if self.pooling != "auto":
            self.prefix = self.prefix or ""
            self.normalize = bool(self.normalize)


@dataclass
class FusedConfig(ModelConfig):
    """Several models as one: in every wall their Gram matrices, scaled to one spread, are added."""

    parts: list[str] = field(default_factory=list)  # the parts' names in this group, hub ids or folders
    weights: list[float] = field(default_factory=list)  # one a part, or none, which is 1 for each
    models: list[ModelConfig] = field(default_factory=list)  # the parts, filled in where it is composed

    def __post_init__(self) -> None:
        given = f"model.parts=[{','.join(self.parts)}]"
        if self.name != "fused":
            raise UserError(f"model.name={self.name} does not apply to model=fused: name it in model.parts")
        if not self.parts:
            raise UserError("model=fused needs its parts: add 'model.parts=[minilm,e5_base_own]'")
        if len(self.parts) == 1:
            raise UserError(f"{given} is one model: name two or more, or choose model={self.parts[0]}")
        if twice := [part for part in self.parts if self.parts.count(part) > 1]:
            raise UserError(f"{given} names {twice[0]} twice: name it once and give it more in model.weights")
        if not self.weights:
            return
        if len(self.weights) != len(self.parts):
            raise UserError(
                f"model.weights has {len(self.weights)} weights for the {len(self.parts)} models of {given}:"
                " give one for each"
            )
        for part, weight in zip(self.parts, self.weights, strict=True):
            if not (isfinite(weight) and weight > 0):
                raise UserError(
                    f"model.weights: {weight:g} for {part} is not a weight: expected a number above 0;"
                    " leave a model out of model.parts if it is not to count"
                )


@dataclass
class WordsConfig(ModelConfig):
    """Word vectors: ``fourfold.embeddings.words.WordEncoder``'s settings.

    ``name`` is ``glove``, ``crawl``, ``news`` or a file of word vectors; or ``bpemb`` or a folder with a
    BPEmb model, which is then used alone.
    """

    device: str = "cpu"
    byte_pairs: str | None = "bpemb"  # beside the words': bpemb, a folder with a BPEmb model, or null
    lower_case: bool = True

    def __post_init__(self) -> None:
        if self.device not in {"auto", "cpu"}:
            raise UserError(
                f"model.device={self.device} does not apply to word vectors, which are looked up on the CPU: "
                "leave it out"
            )


@dataclass
class FlairConfig(ModelConfig):
    """A word or document embedding of flair: ``fourfold.embeddings.flair_encoder.FlairEncoder``'s settings.

    ``name`` is flair's class and its first argument, such as WordEmbeddings:glove.
    """

    lower_case: bool = True
    options: Any = None  # further arguments of the class by name, such as {layers:'-1'}

    def __post_init__(self) -> None:
        with named("model"):
            FlairEncoder(self.name, options=self.options, device=self.device)


@dataclass
class ElmoConfig(ModelConfig):
    """ELMo: the settings of ``fourfold.embeddings.elmo``'s encoders.

    ``name`` is ``elmo``, the published model of 5.5 billion words that ``fourfold data get elmo`` brings, or
    a folder with the options (JSON) and weights (HDF5) of another; the makers' page is
    https://allenai.org/allennlp/software/elmo.
    """

    lower_case: bool = True
    carry_state: bool = False  # with embedding=contextual, read wall after wall as allennlp did; slow
    batch_size: int = 64

    def __post_init__(self) -> None:
        with named("model"):
            ElmoEncoder(self.name, device=self.device, batch_size=self.batch_size)


@dataclass
class EmbeddingConfig:
    """Each clue alone: ``static``."""

    name: str = "static"


@dataclass
class ContextualConfig(EmbeddingConfig):
    """Each clue among the others of its wall, in the order of the run. The defaults are the paper's."""

    subtoken: str = "first"  # which of a clue's subtokens make its vector: first, mean, last or first_last
    layers: Any = "all"  # the layers that are averaged: all, last, or a list such as [0,-1]
    leading_space: bool = (
        False  # before a wall's first clue, for RoBERTa's pieces: flair 0.15 has it, 0.9 not
    )

    def __post_init__(self) -> None:
        with named("embedding"):
            ContextualTransformerEncoder("any", subtoken=self.subtoken, layers=self.layers)
