"""The type of a model that flair loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..embeddings.torch_device import check_device
from ..errors import UserError
from .model_schema import ModelConfig


@dataclass
class FlairConfig(ModelConfig):
    """A word or document embedding of flair: ``fourfold.embeddings.flair_encoder.FlairEncoder``'s settings.

    ``name`` is flair's class and its first argument, such as WordEmbeddings:glove.
    """

    lower_case: bool = True
    options: Any = None  # further arguments of the class by name, such as {layers:'-1'}

    def __post_init__(self) -> None:
        check_device(self.device, "model.device")
        if self.options is not None and not isinstance(self.options, dict):
            raise UserError(
                f"model.options={self.options} is not known: expected names and values, as in {{layers:'-1'}}"
            )
