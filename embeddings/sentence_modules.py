"""What a sentence-transformers folder says of the way from its tokens to a text's vector. Computes nothing.

Its files: ``modules.json`` lists modules in their order, each with a folder that has a ``config.json``;
``config_sentence_transformers.json`` has prompts; ``sentence_bert_config.json`` has settings.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..errors import UserError
from .encoder import JSON

LISTING = "modules.json"
_PROMPTS = "config_sentence_transformers.json"
# The files, as patterns of paths in a model's folder.
MODULE_FILES = (
    LISTING,
    _PROMPTS,
    "sentence_*_config.json",
    "[0-9]*_*/config.json",
    "[0-9]*_*/model.safetensors",
    "[0-9]*_*/pytorch_model.bin",
)
# By the names that older versions gave them, in the order in which several are put side by side.
_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weighted",
    "pooling_mode_lasttoken": "last",
}
_NEW_NAMES = {"mean_sqrt_len_tokens": "mean_sqrt_len", "weightedmean": "weighted", "lasttoken": "last"}
MODES = tuple(_MODES.values())
_PREFIX = "sentence_transformers."


@dataclass(frozen=True, slots=True)
class Dense:
    """A linear layer and what follows it; the weights are in ``folder``."""

    folder: Path
    n_in: int
    n_out: int
    bias: bool
    activation: str  # the name of a class of torch.nn
    residual: bool

    def describe(self) -> dict[str, JSON]:
        """For a record."""
        return {"features": self.n_out, "activation": self.activation, "residual": self.residual}


Step: TypeAlias = Dense | Literal["normalize"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the vectors of a text's tokens become one vector."""

    modes: tuple[str, ...] = ("mean",)  # poolings, side by side
    steps: tuple[Step, ...] = ()  # after pooling
    prefix: str = ""  # put before each text
    pool_prefix: bool = True  # whether the prefix's own tokens are pooled
    lower_case: bool = False  # whether the model wants lower case, whatever the user's setting
    source: str = "default"  # the file that says so, or "default"

    def describe(self) -> dict[str, JSON]:
        """For a record."""
        steps: list[JSON] = [step if isinstance(step, str) else step.describe() for step in self.steps]
        said: dict[str, JSON] = {"pooling": "+".join(self.modes), "steps": steps, "prefix": self.prefix}
        return said | {"pool_prefix": self.pool_prefix, "lower_case": self.lower_case, "from": self.source}


def read_recipe(folder: Path) -> Recipe:
    """What the folder of a model says; the mean of all tokens, and nothing else, where it says nothing.

    Raises
    ------
    UserError
        If a file is damaged, or names a module that is not followed.

    """
    if not (folder / LISTING).is_file():
        return Recipe()
    kinds = [_module(folder, entry) for entry in _read(folder / LISTING, list)]
    if [kind for kind, _ in kinds[:2]] != ["Transformer", "Pooling"] or kinds[0][1] != folder:
        raise _refused(folder, "expected a Transformer in the folder itself, then a Pooling")
    pooling = _read(kinds[1][1] / "config.json", dict)
    steps: list[Step] = []
    for kind, place in kinds[2:]:
        if kind == "Dense":
            steps.append(_dense(place))
        elif kind == "Normalize":
            steps.append("normalize")
        elif kind != "Dropout":  # which does nothing outside training
            raise _refused(folder, f"fourfold does not follow the module {kind} there")
    return Recipe(
        modes=_modes(kinds[1][1] / "config.json", pooling),
        steps=tuple(steps),
        prefix=_default_prompt(folder),
        pool_prefix=bool(pooling.get("include_prompt", True)),
        lower_case=any(
            bool(_read(path, dict).get("do_lower_case")) for path in folder.glob("sentence_*_config.json")
        ),
        source=LISTING,
    )


def _module(folder: Path, entry: Any) -> tuple[str, Path]:
    """The class's name and the folder of one entry of the list."""
    kind, path = (entry.get("type"), entry.get("path")) if isinstance(entry, dict) else (None, None)
    if not isinstance(kind, str) or not isinstance(path, str):
        raise UserError(f"{folder / LISTING}: expected a type and a path for each module, got {entry!r:.80}")
    if not kind.startswith(_PREFIX):
        raise _refused(folder, f"the module {kind!r:.80} is code of the model's own, which is not run")
    place = folder / path
    if not place.resolve().is_relative_to(folder.resolve()):
        raise _refused(folder, f"the path {path!r:.80} leads out of the folder")
    return kind.rpartition(".")[2], place


def _modes(path: Path, config: dict[str, Any]) -> tuple[str, ...]:
    named = config.get("pooling_mode")
    if named is None:
        chosen = [mode for key, mode in _MODES.items() if config.get(key)]
        return tuple(chosen or ["mean"])
    listed = [named] if isinstance(named, str) else named
    if isinstance(listed, list) and listed:
        modes = [_NEW_NAMES.get(str(mode), str(mode)) for mode in listed]
        if set(modes) <= set(MODES):
            return tuple(modes)
    raise UserError(
        f"{path}: the pooling {named!r:.80} is not known: expected {', '.join(MODES)}; choose one with "
        "model.pooling="
    )


def _dense(place: Path) -> Dense:
    path = place / "config.json"
    config = _read(path, dict)
    inner, outer = config.get("in_features"), config.get("out_features")
    if type(inner) is not int or type(outer) is not int or min(inner, outer) < 1:
        raise UserError(f"{path}: expected in_features and out_features, got {inner!r:.40} and {outer!r:.40}")
    for key in ("module_input_name", "module_output_name"):
        if config.get(key) not in (None, "sentence_embedding"):
            raise _refused(place.parent, f"{path} has {key}={config[key]!r:.40}, which is not followed")
    activation = config.get("activation_function", "torch.nn.modules.activation.Tanh")
    if not isinstance(activation, str) or not activation.startswith("torch.nn."):
        raise _refused(
            place.parent, f"{path} names the activation {activation!r:.80}, expected one of torch.nn"
        )
    return Dense(
        folder=place,
        n_in=inner,
        n_out=outer,
        bias=bool(config.get("bias", True)),
        activation=activation.rpartition(".")[2],
        residual=bool(config.get("use_residual", False)),
    )


def _default_prompt(folder: Path) -> str:
    if not (folder / _PROMPTS).is_file():
        return ""
    config = _read(folder / _PROMPTS, dict)
    name, prompts = config.get("default_prompt_name"), config.get("prompts") or {}
    if name is None:
        return ""
    if not isinstance(prompts, dict) or not isinstance(prompts.get(name), str):
        raise UserError(
            f"{folder / _PROMPTS}: its default prompt {name!r:.60} is not among its prompts: mend it, or "
            "choose model.pooling= and model.prefix="
        )
    return str(prompts[name])


def _read(path: Path, kind: type) -> Any:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read ({' '.join(str(error).split())[:120]}): get the model's files again, or "
            "choose model.pooling="
        ) from error
    if not isinstance(content, kind):
        raise UserError(f"{path}: expected a JSON {'array' if kind is list else 'object'}: get it again")
    return content


def _refused(folder: Path, reason: str) -> UserError:
    return UserError(
        f"{folder / LISTING}: {reason}: choose how tokens become a vector with model.pooling=, as in "
        "model.pooling=mean"
    )
