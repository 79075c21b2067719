"""The walls that a configuration names."""

from __future__ import annotations

from ..conf.schema import DatasetConfig
from .data.readers import bundled_walls, read_walls
from .data.wall import WallSet


def load_walls(dataset: DatasetConfig) -> WallSet:
    """The walls that a configuration names; UserError if they cannot be read."""
    if dataset.layout == "bundled":
        return bundled_walls()
    return read_walls(dataset.path or "", split=dataset.split, layout=dataset.layout, name=dataset.name)
