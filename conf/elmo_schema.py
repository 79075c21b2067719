"""The type of an ELMo model's configuration."""

from __future__ import annotations

from dataclasses import dataclass

from ..embeddings.torch_device import check_device
from .model_schema import ModelConfig
from .values import at_least


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
        check_device(self.device, "model.device")
        at_least("model.batch_size", self.batch_size, 1)
