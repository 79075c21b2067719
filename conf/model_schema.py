"""The types of a model's configuration: every file of the group ``model`` fits one of them."""

from __future__ import annotations

from dataclasses import dataclass


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

    pooling: str = "mean"  # mean or cls; of static vectors
    lower_case: bool = True
    prefix: str = ""
    normalize: bool = False
    dtype: str = "float32"  # float32, bfloat16, float16 or auto
    batch_size: int = 64
    revision: str | None = None  # branch, tag or commit of a hub model
