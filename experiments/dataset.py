"""The walls that a configuration names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..conf.schema import DatasetConfig
from .data.readers import bundled_walls, read_walls
from .data.wall import WallSet


def load_walls(dataset: DatasetConfig) -> WallSet:
    """The walls that a configuration names; UserError if they cannot be read."""
    if dataset.layout == "bundled":
        return bundled_walls()
    return read_walls(dataset.path or "", split=dataset.split, layout=dataset.layout, name=dataset.name)


def test_walls(dataset: DatasetConfig) -> DatasetConfig:
    """The data set, of a folder of splits its test walls unless another split is named, as in the paper."""
    if dataset.split is None and dataset.path is not None and dataset.layout in ("auto", "ocw"):
        folder = Path(dataset.path).expanduser()
        if (folder / "test.json").is_file():
            return replace(dataset, split="test")
    return dataset
