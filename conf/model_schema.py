"""The types of a model's configuration: every file of the group ``model`` fits one of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from ..embeddings.pretrained import DTYPES
from ..embeddings.torch_device import check_device
from ..embeddings.transformer import POOLINGS
from ..errors import UserError
from .values import at_least, one_of


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
        check_device(self.device, "model.device")
        one_of("model.pooling", self.pooling, POOLINGS)
        one_of("model.dtype", self.dtype, DTYPES)
        at_least("model.batch_size", self.batch_size, 1)
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
            raise UserError(f"model.name={self.name} has no use for model=fused: name it in model.parts")
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
                    f"model.weights: {weight:g} for {part} is no weight: expected a number above 0;"
                    " leave a model out of model.parts if it is not to count"
                )
