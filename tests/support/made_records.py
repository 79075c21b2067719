"""A small record for tests of what is done with records."""

from typing import Any

import numpy as np

from fourfold.experiments.record import SCHEMA, DatasetEntry, MetricEntry, Record

METRICS = ("wd", "fms", "ari", "ami", "solved_walls", "correct_groups", "wd_matched")


def made_record(name: str = "0123456789abcdef", n_seeds: int = 2, **changes: Any) -> Record:
    """A record of two walls; ``changes`` replace fields."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "name": name,
        "created": "2026-01-02T03:04:05+00:00",
        "config": {"model": {"name": "a/model", "title": "A model", "paper_row": None}, "seeds": n_seeds},
        "dataset": made_dataset(),
        "encoder": {"name": "a/model", "device": "cpu"},
        "device": {"encoder": "cpu", "solver": "cpu"},
        "versions": {"python": "3.11.0", "numba": None},
        "platform": "somewhere",
        "timings": {"encode": 1.25, "cluster": 0.5},
        "n_seeds": n_seeds,
        "unfinished": 0,
        "metrics": {
            metric: MetricEntry([float(place + seed) for seed in range(n_seeds)], place + 0.5, 0.5)
            for place, metric in enumerate(METRICS, start=1)
        },
    }
    return Record(**(fields | changes))


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
