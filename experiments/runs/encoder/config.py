"""A record's run again: its configuration as it was, and its walls where they are now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ....conf.model_schema import FusedConfig, ModelConfig, WordsConfig
from ....conf.plain import from_plain
from ....conf.schema import DatasetConfig, RunConfig
from ....errors import UserError
from ...data.dataset import load_walls
from ...data.wall import WallSet
from .record import Record


def config_of(record: Record) -> RunConfig:
    """The configuration of a record's run, typed and checked.

    Its paths are absolute, so that it means the same from any folder; ``paths`` is empty.

    Raises
    ------
    UserError
        If the record's configuration is none that this fourfold could run.

    """
    try:
        return from_plain(record.config)
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"the record {record.name} is damaged ({error}): run again") from error


def record_walls(record: Record, path: str | Path | None = None) -> WallSet:
    """The walls of a record's run, read again.

    Parameters
    ----------
    record
        The record.
    path
        Where the walls are now, if not where the record says.

    Raises
    ------
    UserError
        If they cannot be read, or are not the walls of the run any more.

    """
    entry = record.dataset
    # A split chooses a file of the folder that the record names; a path that the user gives may be that file.
    split = entry.split if path is None or Path(path).expanduser().is_dir() else None
    place = entry.path if path is None else str(path)
    if place is not None and not Path(place).expanduser().exists():
        raise UserError(f"the record's walls are not at {place}: say where they are with --walls PATH")
    walls = load_walls(DatasetConfig(name=entry.name, path=place, split=split, layout=entry.layout))
    if walls.fingerprint != entry.fingerprint:
        raise UserError(
            f"the walls in {place or 'the bundled data'} are not those of the record (their fingerprint is"
            f" {walls.fingerprint[:12]}, the record's {entry.fingerprint[:12]}): name the right ones with"
            " --walls PATH, or run again"
        )
    return walls


def with_absolute_paths(config: RunConfig) -> RunConfig:
    """The same configuration, with every file and folder that it names by its absolute path."""
    dataset, cache = config.dataset, config.cache
    if dataset.path is not None:
        dataset = replace(dataset, path=_absolute(dataset.path))
    if cache.lower() not in ("true", "false"):
        cache = _absolute(cache)
    return replace(
        config, model=_model(config.model), dataset=dataset, out=_absolute(config.out), cache=cache
    )


def _model(model: ModelConfig) -> ModelConfig:
    if isinstance(model, FusedConfig):
        return replace(model, models=[_model(part) for part in model.models])
    if isinstance(model, WordsConfig) and model.byte_pairs is not None:
        model = replace(model, byte_pairs=_absolute_if_there(model.byte_pairs))
    return replace(model, name=_absolute_if_there(model.name))


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def _absolute_if_there(name: str) -> str:
    """A model's name, which is a path only where there is such a file or folder."""
    return _absolute(name) if Path(name).expanduser().exists() else name
