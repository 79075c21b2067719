"""The parts of a fused model: each is what its own file of the group ``model`` says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import UserError
from .choices import choices
from .model_schema import FusedConfig, ModelConfig


def model_words(name: str) -> list[str]:
    """The overrides that choose a model by one word: one of the choices, a hub id, a folder or the like."""
    known = name in choices("model")
    names_another = "/" in name or ":" in name or "\\" in name or Path(name).expanduser().is_dir()
    return [f"model={name}"] if known or not names_another else [f"model.name={name}"]


def fused_words(names: Sequence[str], weights: Sequence[float] = ()) -> list[str]:
    """The overrides that choose one model or, of several names, a fused one."""
    if len(names) == 1:
        return model_words(names[0])
    quoted = [name.replace("\\", "\\\\").replace("'", r"\'") for name in names]
    parts = ",".join(f"'{name}'" for name in quoted)
    return ["model=fused", f"model.parts=[{parts}]", f"model.weights=[{','.join(map(repr, weights))}]"]


def with_parts(model: FusedConfig, compose: Callable[[list[str]], ModelConfig]) -> FusedConfig:
    """The same model with what its parts' files hold, a weight a part, and a title.

    Parameters
    ----------
    model
        As the user configured it.
    compose
        Makes a model's configuration of overrides.

    Raises
    ------
    UserError
        On a part that is not known, or that is itself fused.

    """
    if model.models:
        raise UserError("model.models= is filled in from model.parts: name the models there")
    models = []
    for part in model.parts:
        if part == "fused":
            raise UserError("model.parts: fused cannot be a part of itself, name its parts in its place")
        try:
            models.append(compose([*model_words(part), f"device={model.device}"]))
        except UserError as error:
            raise UserError(f"model.parts: {error}") from error
    weights = model.weights or [1.0] * len(models)
    titles = [
        ("" if weight == 1 else f"{weight:g}×") + (part.title or part.name)
        for part, weight in zip(models, weights, strict=True)
    ]
    return replace(model, models=models, weights=weights, title=model.title or " + ".join(titles))
