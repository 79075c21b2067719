"""A small record for tests of what is done with records."""

import statistics
from typing import Any

import numpy as np

from fourfold.conf.features_schema import FeaturesConfig
from fourfold.conf.model_schema import EmbeddingConfig, TransformerConfig
from fourfold.conf.plain import to_plain
from fourfold.conf.schema import DatasetConfig, KMeansConfig, RunConfig
from fourfold.experiments.runs.encoder.record import CLUSTERING, SCHEMA, Record
from fourfold.experiments.runs.envelope import DatasetEntry, MetricEntry

METRICS = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups", "wd_matched")


def made_record(name: str = "0123456789abcdef", n_seeds: int = 2, **changes: Any) -> Record:
    """A record of two walls; ``changes`` replace fields."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "name": name,
        "created": "2026-01-02T03:04:05+00:00",
        "config": made_config(seeds=n_seeds),
        "dataset": made_dataset(),
        "encoder": {"name": "a/model", "device": "cpu"},
        "device": {"encoder": "cpu", "solver": "cpu"},
        "versions": {"python": "3.11.0", "numba": None},
        "platform": "somewhere",
        "timings": {"encode": 1.25, "cluster": 0.5},
        "n_seeds": n_seeds,
        "unfinished": 0,
        "metrics": {
            metric: made_metric([float(place + seed) for seed in range(n_seeds)])
            for place, metric in enumerate(METRICS, start=1)
        },
        "clustering": CLUSTERING,
    }
    return Record(**(fields | changes))


def made_config(**changes: Any) -> dict[str, Any]:
    """A whole configuration as a record holds it; ``changes`` replace groups and settings."""
    settings: dict[str, Any] = {
        "model": TransformerConfig("a/model", "A model", pooling="mean"),
        "embedding": EmbeddingConfig(),
        "features": FeaturesConfig(),
        "dataset": DatasetConfig(name="ocw", path="/walls.json", layout="ocw"),
        "solver": KMeansConfig(),
    }
    return to_plain(RunConfig(**(settings | changes)))


def made_metric(per_seed: list[float]) -> MetricEntry:
    return MetricEntry(per_seed, statistics.fmean(per_seed), statistics.pstdev(per_seed))


def made_dataset(**changes: Any) -> DatasetEntry:
    fields: dict[str, Any] = {
        "name": "ocw",
        "path": "/walls.json",
        "split": None,
        "layout": "ocw",
        "fingerprint": "f" * 64,
        "n_walls": 2,
        "n_points": 16,
        "n_groups": 8,
        "human": None,
    }
    return DatasetEntry(**(fields | changes))


def made_labels(n_walls: int = 2, n_seeds: int = 2) -> np.ndarray:
    """Labels (n_walls, n_seeds, 16): four groups of four, dealt out."""
    return np.broadcast_to(np.arange(16) % 4, (n_walls, n_seeds, 16)).astype(np.int64)
