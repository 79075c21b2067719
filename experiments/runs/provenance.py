"""What a record says of how its run came about: walls, versions, machine, devices, time."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ... import __version__
from ...conf.plain import to_plain
from ...conf.schema import DatasetConfig, RunConfig
from ..data.wall import WallSet
from .encoder.config import with_absolute_paths
from .encoder.record import CLUSTERING, SCHEMA, Record
from .envelope import DatasetEntry, MetricEntry

if TYPE_CHECKING:
    from ...embeddings.encoder import JSON
    from ..pipeline.cluster import Clustered

PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "torch",
    "transformers",
    "tokenizers",
    "gensim",
    "bpemb",
    "hydra-core",
    "faiss-cpu",
    "faiss-gpu",
    "k-means-constrained",
    "ortools",
)


def make_record(
    config: RunConfig,
    name: str,
    walls: WallSet,
    encoder: dict[str, JSON],
    clustered: Clustered,
    metrics: dict[str, MetricEntry],
    seconds: dict[str, float],
) -> Record:
    """A run's record: ``encoder`` is what the encoder says of itself, ``seconds`` what each step took."""
    return Record(
        schema=SCHEMA,
        name=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        config=to_plain(with_absolute_paths(config)),
        dataset=dataset_entry(config.dataset, walls),
        encoder=encoder,
        device={"encoder": str(encoder.get("device", "unknown")), "solver": clustered.device},
        versions=versions(),
        platform=platform.platform(),
        timings={step: round(taken, 4) for step, taken in seconds.items()},
        n_seeds=config.seeds,
        unfinished=clustered.unfinished,
        metrics=metrics,
        clustering=CLUSTERING,
    )


def dataset_entry(dataset: DatasetConfig, walls: WallSet) -> DatasetEntry:
    """What a record says of its walls."""
    human = walls.human_performance()
    return DatasetEntry(
        name=dataset.name,
        path=None if dataset.path is None else str(Path(dataset.path).expanduser().resolve()),
        split=dataset.split,
        layout=dataset.layout,
        fingerprint=walls.fingerprint,
        n_walls=len(walls.walls),
        n_points=len(walls.walls[0].clues),
        n_groups=sum(len(wall.groups) for wall in walls.walls),
        human=None if human is None else asdict(human),
        left_out=list(walls.left_out),
        absent=list(walls.absent),
    )


def versions() -> dict[str, str | None]:
    """The versions of Python, fourfold and what a result may depend on; None for what is not installed."""
    packages: dict[str, str | None] = {"python": sys.version.split()[0], "fourfold": __version__}
    for package in PACKAGES:
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = None
    return packages
