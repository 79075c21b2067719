"""A configuration as JSON, as records hold it, and back with all its checks. Needs no Hydra."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from .json_types import KIND, Json, typed
from .schema import KINDS, RunConfig

_NAMES = {variant: name for variants in KINDS.values() for name, variant in variants.items()}

# Where a data set is kept is in dataset.path; where others are kept is no part of a run.
_LEFT_OUT = {"paths"}


def to_plain(config: RunConfig) -> dict[str, Json]:
    """Everything resolved, as nested dictionaries; ``kind`` says which schema a group's choice fits."""
    plain = _plain(config)
    return {key: value for key, value in plain.items() if key not in _LEFT_OUT}


def from_plain(plain: Json) -> RunConfig:
    """The configuration that ``to_plain`` was given.

    Raises
    ------
    ValueError
        Where a key is missing or unknown, or a value is of the wrong type.
    UserError
        Where a value is out of range.

    """
    config: RunConfig = typed(RunConfig, plain, "config", KINDS)
    return config


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        kind = {KIND: _NAMES[type(value)]} if type(value) in _NAMES else {}
        return kind | {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
