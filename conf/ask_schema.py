"""The types of what asks a language model and is no run: the model, and where its replies are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import UserError
from .llm_schema import LanguageModelConfig


@dataclass
class AskConfig:
    """Which model is asked, and how."""

    command: ClassVar[str] = "macgyver solve"  # whose help lists what can be set

    model: LanguageModelConfig
    cache: str = "true"

    def __post_init__(self) -> None:
        if not self.cache.strip():
            raise UserError("cache= is empty: expected true, false or a folder")
        if self.model.structured:
            raise UserError("model.structured=true has no use here, where answers are texts: leave it out")


@dataclass
class MakeConfig(AskConfig):
    """As above, of ``fourfold macgyver make``."""

    command: ClassVar[str] = "macgyver make"


@dataclass
class JudgeConfig(AskConfig):
    """As above, of ``fourfold macgyver evaluate``."""

    command: ClassVar[str] = "macgyver evaluate"
