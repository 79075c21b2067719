"""The type of a model's configuration: every file of the group ``model`` has these keys and no others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ModelConfig:
    """An encoder and its settings, as ``fourfold.embeddings.transformer.TransformerEncoder`` takes them."""

    name: str  # a hub id, a folder, or packaged:all-MiniLM-L6-v2
    title: str = ""  # what tables call it
    pooling: str = "mean"  # mean or cls
    lower_case: bool = True
    prefix: str = ""
    normalize: bool = False
    device: str = "auto"  # auto, cpu, cuda, cuda:N or mps
    dtype: str = "float32"  # float32, bfloat16, float16 or auto
    batch_size: int = 64
    revision: str | None = None  # branch, tag or commit of a hub model
    paper_row: str | None = None  # key of the paper's Table 3 row, where the settings are the paper's
