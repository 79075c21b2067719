"""The type of a configuration of word vectors; part of the group ``model``."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UserError
from .model_schema import ModelConfig


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
                f"model.device={self.device} has no use for word vectors, which are looked up on the CPU: "
                "leave it out"
            )
