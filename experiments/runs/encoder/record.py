"""What a run leaves behind: the declared schema of ``record.json``, and its name.

Records are kept in folders by ``store``. Everything that is shown of a run (tables, exports) comes
from its record; nothing is computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ....conf.json_types import Json, typed
from ....conf.plain import from_plain
from ...metrics.scores import METRICS
from ..envelope import DatasetEntry, MetricEntry, check_dataset, check_metrics, check_name, json_object
from ..store import check_schema

# Raised when the layout of a record changes, or when the same configuration would give other results
# than it did before. It is part of a record's name, so that old records are left alone.
SCHEMA = 2

# Raised when the same configuration would give other groups than before. It is part of a record's name and of
# its settings, so that results of different versions are told apart; records of all versions are read.
# 1: equal vectors were told apart by their clues' places in the file. 2: by an order.
CLUSTERING = 2

# Settings that cannot change a result are no part of a record's name. What the data set's path leads to
# is known by its fingerprint. A device changes no more than the last digits, and ``device`` in the record
# says which one was used.
_NOT_IN_NAME = {"dataset", "paths", "out", "cache", "device"}


@dataclass(frozen=True, slots=True)
class Record:
    """One run, as ``record.json`` holds it; the labels lie beside it in ``labels.npz``.

    ``labels`` there is (n_walls, n_seeds, n_points), the cluster of each clue in the data set's order of
    clues, and ``inertia`` is (n_walls, n_seeds). In ``herrings.npz`` is what ``Herrings`` of
    ``herrings/measures.py`` holds.
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
    clustering: int = 1  # the version, see CLUSTERING

    def to_json(self) -> str:
        """The text of ``record.json``."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read what ``to_json`` wrote.

        Raises
        ------
        OtherSchemaError
            Where another version of fourfold wrote it.
        ValueError
            Where the text is cut short, a field is missing, unknown or of the wrong type, or fields
            contradict each other.

        """
        content = json_object(text)
        check_schema(content, SCHEMA)
        record: Record = typed(cls, content, "the record")
        _check(record)
        return record


@dataclass(frozen=True, slots=True)
class _Unknown:
    """How many clues and words an encoder did not know; see ``encoders.unknown_words``."""

    clues: int
    of_clues: int
    words: int
    of_words: int


@dataclass(frozen=True, slots=True)
class _Equal:
    """How many clues an encoder could not tell apart, and on how many walls."""

    clues: int
    of_clues: int
    walls: int


def _check(record: Record) -> None:
    """Raise ValueError where a record's fields contradict each other, or hold what no run writes."""
    check_name(record.name, record.created)
    seeds = from_plain(record.config).seeds
    if seeds != record.n_seeds:
        raise ValueError(f"n_seeds is {record.n_seeds}, and config.seeds {seeds}")
    check_dataset(record.dataset)
    for name in ("encoder", "solver"):
        if name not in record.device:
            raise ValueError(f"device lacks {name}")
    unknown = record.encoder.get("unknown", {})
    one_count = isinstance(unknown, dict) and "clues" in unknown and not isinstance(unknown["clues"], dict)
    typed(_Unknown if one_count else dict[str, _Unknown], unknown, "encoder.unknown")
    if "equal" in record.encoder:
        typed(_Equal, record.encoder["equal"], "encoder.equal")
    if unlisted := sorted(record.metrics.keys() - METRICS.keys()):
        raise ValueError(f"metrics.{unlisted[0]} is not a metric: expected some of {', '.join(METRICS)}")
    check_metrics(record.metrics, record.n_seeds)


def record_name(config: Mapping[str, Json], fingerprint: str) -> str:
    """16 hex digits that stand for a configuration and the content of its data set.

    Parameters
    ----------
    config
        The resolved configuration as ``to_plain`` makes it, its model as ``model_identity`` tells it.
    fingerprint
        The data set's.

    """
    counted = {key: value for key, value in config.items() if key not in _NOT_IN_NAME}
    for group in ("model", "solver"):
        counted[group] = _without_device(counted[group])
    content: dict[str, Json] = {"schema": SCHEMA, "config": counted, "dataset": fingerprint}
    content["clustering"] = CLUSTERING
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _without_device(settings: Mapping[str, Json]) -> dict[str, Json]:
    """A model's or a solver's settings without where it runs, those of a fused model's parts included."""
    left = {key: value for key, value in settings.items() if key != "device"}
    if isinstance(left.get("models"), list):
        left["models"] = [_without_device(part) for part in left["models"]]
    return left
