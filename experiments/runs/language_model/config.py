"""A language model's configuration as its record holds it: out with absolute paths, and in again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ....conf.json_types import typed
from ....conf.llm_schema import LanguageModelConfig, LanguageRunConfig
from ....conf.schema import PathsConfig
from ....embeddings.packaged import PREFIX
from ....errors import UserError
from .record import LanguageRecord


def with_absolute_paths(config: LanguageRunConfig) -> LanguageRunConfig:
    """The same configuration, with every file and folder that it names by its absolute path.

    A model is called in tables what the user called it.
    """
    dataset, cache = config.dataset, config.cache
    if dataset.path is not None:
        dataset = replace(dataset, path=absolute(dataset.path))
    if cache.strip().lower() not in ("true", "false"):
        cache = absolute(cache)
    return replace(
        config,
        dataset=dataset,
        model=_model(config.model),
        example_walls=None if config.example_walls is None else absolute(config.example_walls),
        prompt=None if config.prompt is None else absolute(config.prompt),
        encoder=_if_there(config.encoder),
        out=absolute(config.out),
        cache=cache,
        paths=PathsConfig(),
    )


def language_config_of(record: LanguageRecord) -> LanguageRunConfig:
    """The configuration of a record's run, typed and checked.

    Raises
    ------
    UserError
        If the record's configuration is none that this fourfold could run.

    """
    try:
        config: LanguageRunConfig = typed(LanguageRunConfig, record.config, "config")
    except UserError:
        raise
    except ValueError as error:
        raise UserError(f"the record {record.name} is damaged ({error}): run again") from error
    return config


def is_local(model: LanguageModelConfig) -> bool:
    """Whether transformers loads a model on this machine."""
    if model.backend == "auto":
        there = model.name.startswith(PREFIX) or Path(model.name).expanduser().is_dir()
        return model.base_url is None and there
    return model.backend == "transformers"


def is_path(name: str) -> bool:
    """Whether a model's name can only be that of a folder, there or not."""
    return re.match(r"~|\.{0,2}[/\\]|[A-Za-z]:[/\\]", name) is not None


def absolute(path: str) -> str:
    """A path from the root on, with the user's folder in the place of ``~``."""
    return str(Path(path.strip()).expanduser().absolute())


def _model(model: LanguageModelConfig) -> LanguageModelConfig:
    tokenizer = None if model.tokenizer is None else _if_there(model.tokenizer)
    name = _if_there(model.name) if is_local(model) else model.name
    title = model.title if name == model.name else model.title or model.name
    return replace(model, name=name, title=title, tokenizer=tokenizer)


def _if_there(name: str) -> str:
    """A model's name, which is a path only where there is such a folder or file."""
    return absolute(name) if Path(name).expanduser().exists() else name
