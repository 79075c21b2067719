"""What a run leaves behind: the declared schema of ``record.json``, and its name.

Records are kept in folders by ``record_store``. Everything that is shown of a run (tables, exports) comes
from its record; nothing is computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

# Raised when the layout of a record changes, or when the same configuration would give other results
# than it did before. It is part of a record's name, so that old records are left alone.
SCHEMA = 1

# Settings that cannot change a result are no part of a record's name. What the data set's path leads to
# is known by its fingerprint, and the model and the solver have a device each.
_NOT_IN_NAME = {"dataset", "out", "cache", "device"}

Json = Any


@dataclass(frozen=True, slots=True)
class DatasetEntry:
    """The walls of a run. ``human`` counts what people solved, where the data says so for every wall."""

    name: str
    path: str | None
    split: str | None
    layout: str
    fingerprint: str
    n_walls: int
    n_points: int
    n_groups: int
    human: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """One metric: its value in each run, their mean and their population standard deviation."""

    per_seed: list[float]
    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class Record:
    """One run, as ``record.json`` holds it; the labels lie beside it in ``labels.npz``.

    ``labels`` there is (n_walls, n_seeds, n_points), the cluster of each clue in the data set's order of
    clues, and ``inertia`` is (n_walls, n_seeds).
    """

    schema: int
    name: str
    created: str  # ISO 8601, UTC
    config: dict[str, Json]  # everything resolved, as the configuration's dataclasses hold it
    dataset: DatasetEntry
    encoder: dict[str, Json]  # what the encoder says of itself
    device: dict[str, str]  # what was used, not what was asked for: encoder, solver
    versions: dict[str, str | None]
    platform: str
    timings: dict[str, float]  # seconds
    n_seeds: int
    unfinished: int  # fits (a wall in a run) whose solver stopped before it had converged
    metrics: dict[str, MetricEntry]

    def to_json(self) -> str:
        """The text of ``record.json``."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read what ``to_json`` wrote.

        Raises
        ------
        ValueError
            Where the text is cut short, is of another schema, or lacks or adds a field.

        """
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"no whole JSON: {error}") from error
        if not isinstance(found, dict):
            raise ValueError(f"expected a JSON object, got a {type(found).__name__}")
        if found.get("schema") != SCHEMA:
            raise ValueError(f"its schema is {found.get('schema')}, and this fourfold reads {SCHEMA}")
        _same_fields(cls, found, "the record")
        _same_fields(DatasetEntry, found["dataset"], "dataset")
        if not isinstance(found["metrics"], dict):
            raise ValueError("metrics: expected an object")
        for name, entry in found["metrics"].items():
            _same_fields(MetricEntry, entry, f"metrics.{name}")
            if len(entry["per_seed"]) != found["n_seeds"]:
                raise ValueError(
                    f"metrics.{name} has {len(entry['per_seed'])} values for {found['n_seeds']} runs"
                )
        found["dataset"] = DatasetEntry(**found["dataset"])
        found["metrics"] = {name: MetricEntry(**entry) for name, entry in found["metrics"].items()}
        return cls(**found)


def _same_fields(kind: type[Any], found: Any, where: str) -> None:
    if not isinstance(found, dict):
        raise ValueError(f"{where}: expected an object, got {found!r}")
    declared = {item.name for item in fields(kind)}
    if missing := declared - found.keys():
        raise ValueError(f"{where} lacks {', '.join(sorted(missing))}")
    if unknown := found.keys() - declared:
        raise ValueError(f"{where} has {', '.join(sorted(unknown))}, which the schema does not")


def record_name(config: Mapping[str, Json], fingerprint: str) -> str:
    """16 hex digits that stand for a configuration and the content of its data set.

    Parameters
    ----------
    config
        The resolved configuration as nested dictionaries, its model as ``model_identity`` tells it.
    fingerprint
        The data set's.

    """
    counted = {key: value for key, value in config.items() if key not in _NOT_IN_NAME}
    content: dict[str, Json] = {"schema": SCHEMA, "config": counted, "dataset": fingerprint}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
