"""The types of the group ``embedding``: how a model sees a clue, alone or among its wall's others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..embeddings.contextual import SUBTOKENS
from ..errors import UserError
from .values import one_of


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
        one_of("embedding.subtoken", self.subtoken, SUBTOKENS)
        if self.layers in ("all", "last"):
            return
        numbers = isinstance(self.layers, list) and all(type(layer) is int for layer in self.layers)
        if not (numbers and self.layers):
            raise UserError(
                f"embedding.layers={self.layers} is not known: expected all, last or a list of whole numbers"
                " such as [0,-1]"
            )
