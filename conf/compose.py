"""``key=value`` words in, a checked configuration out: of runs, of games, and of questions to a model.

Whatever Hydra objects to becomes one line for the user. How words are read is in ``words``; the words of many
runs are spelt out in ``sweep``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

import hydra
from hydra import initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ..embeddings.local_models import SHAPES, folder_of, holds_model
from ..embeddings.packaged import PREFIX
from ..errors import UserError
from .choices import EXPERIMENT, EXPERIMENTS, choices
from .llm_schema import AskConfig, LanguageRunConfig
from .model_schema import FusedConfig, ModelConfig, TransformerConfig
from .play_schema import GameConfig
from .schema import RunConfig, register
from .values import RootConfig
from .words import error_line, plain_word, several_values, shown_word

Schema = TypeVar("Schema", bound=RootConfig)

PLAYERS = ("encoder", "llm")
_GAME = {item.name for item in fields(GameConfig)}
# What a run has and a game has not.
_NOT_OF_A_GAME = {"solver", "seeds", "experiment", "task", "bertscore", "prefix_space"}
_NOT_OF_A_GAME |= {"vote", "samples", "candidates", "encoder_weight"}
_HINTS = {"hints", "encoder"}  # of a language model's game alone


@dataclass(frozen=True, slots=True)
class PlayConfig:
    """The game and who plays it: an encoder's run, or a language model's."""

    game: GameConfig
    player: RunConfig | LanguageRunConfig


def composed(words: Sequence[str], schema: type[Schema]) -> Schema:
    """The value of type ``schema`` that words, as ``plain_word`` makes them, make of its file.

    Raises
    ------
    UserError
        On an unknown key, or a value of the wrong type or out of range.

    """
    register(schema)
    try:
        with _own_hydra():
            config = OmegaConf.to_object(hydra.compose(schema.file, overrides=list(words)))
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(error_line(error, schema)) from error
    if not isinstance(config, schema):
        raise TypeError(f"{schema.file}.yaml made a {type(config).__name__}, not a {schema.__name__}")
    return config


@contextmanager
def _own_hydra() -> Iterator[None]:
    """Hydra with our files, also within one of its own jobs, whose state is put back."""
    state = GlobalHydra.instance()
    before, state.hydra = state.hydra, None
    try:
        with initialize_config_module("fourfold.conf", version_base="1.3"):
            yield
    finally:
        state.hydra = before


def experiment_sweep(name: str, schema: type[RootConfig] = RunConfig) -> dict[str, str]:
    """What an experiment sweeps over: the values of each key, as they would stand on the command line."""
    register(schema)
    with _own_hydra():
        made = hydra.compose(
            schema.file, overrides=[f"{schema.experiments}={name}"], return_hydra_config=True
        )
    return {str(key): str(values) for key, values in (made.hydra.sweeper.params or {}).items()}


def _refuse_many(words: Sequence[str], schema: type[RootConfig]) -> None:
    """Raise UserError on an experiment of many runs."""
    command = next(name for name, group in EXPERIMENTS.items() if group == schema.experiments)
    for word in words:
        key, _, name = word.partition("=")
        if key == EXPERIMENT and experiment_sweep(name.strip("'\""), schema):
            raise UserError(f"{word} is many runs: start them with '{command} {word}'")


def compose_run(overrides: Sequence[str], swept: bool = False) -> RunConfig:
    """The configuration of an encoder's run.

    ``swept`` says that the overrides are those of one run of a sweep, in which an experiment may be many.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown choice or key, a value of the wrong type or out of
        range, or an experiment of many runs outside a sweep.

    """
    words = [plain_word(word, RunConfig) for word in overrides]
    if not swept:
        _refuse_many(overrides, RunConfig)
    chosen = any(word.startswith("model=") for word in words)
    if any(word.startswith("model.name=") for word in words) and not (chosen and _same_model(words)):
        # Another model than the choice's is not called by its title nor compared with its published row.
        words = ["model.title=''", "model.paper_row=null", *words]
        if not chosen:
            # Nor is it used as the default choice is trained to be, but as its own files say.
            words = ["model.pooling=auto", *words]
    if "model.pooling=auto" in (*overrides, *words):
        words = ["model.prefix=null", "model.normalize=null", *words]
    config = composed(words, RunConfig)
    if isinstance(config.model, FusedConfig):
        paths = [word for word in overrides if word.startswith("paths.models=")]
        config.model = with_parts(config.model, lambda words: compose_run([*words, *paths]).model)
    elif isinstance(config.model, TransformerConfig) and config.paths.models is not None:
        config.model = _local(config.model, Path(config.paths.models))
    return config


def _same_model(words: Sequence[str]) -> bool:
    """Whether ``model.name=`` names the choice's own model, or a folder that holds it."""
    given = composed(words, RunConfig).model
    choice = composed([word for word in words if not word.startswith("model.name=")], RunConfig).model
    if given.name == choice.name:
        return True
    folder = Path(given.name).expanduser()
    return isinstance(given, TransformerConfig) and folder.is_dir() and holds_model(folder, choice.name)


def _local(model: TransformerConfig, models: Path) -> TransformerConfig:
    """A model of the hub by its folder below ``models``, where it is there."""
    if model.name.startswith(PREFIX) or Path(model.name).expanduser().is_dir():
        return model
    folder = folder_of(models, model.name, model.revision)
    if folder is None:
        return model
    local = replace(model, name=str(folder), revision=None)
    if model.name in SHAPES and not holds_model(folder, model.name):
        return replace(local, title="", paper_row=None)
    return local


def compose_language_run(words: Sequence[str], several: str = "", swept: bool = False) -> LanguageRunConfig:
    """The configuration of a language model's run.

    Parameters
    ----------
    words
        The words.
    several
        What to do instead, for whoever gives a setting several values; to start a sweep by default.
    swept
        Whether the words are those of one run of a sweep, in which an experiment may be many.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown key, several values of one key outside a sweep, or a
        value of the wrong type or out of range.

    """
    for word in () if swept else words:
        if several_values(word) and not word.startswith("model="):
            shown = shown_word(word)
            what = several or f"start them with 'fourfold sweep llm {shown}'"
            raise UserError(f"{shown} is several values, and each makes a run: {what}")
    plain = [plain_word(word, LanguageRunConfig) for word in words]
    if not swept:
        _refuse_many(words, LanguageRunConfig)
    return composed(plain, LanguageRunConfig)


def compose_asking(
    words: Sequence[str], defaults: Mapping[str, str], schema: type[AskConfig] = AskConfig
) -> AskConfig:
    """The configuration of a language model that is asked outside a run, with a command's own defaults.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown key, or a value of the wrong type or out of range.

    """
    given = {word.partition("=")[0] for word in words}
    own = [f"{key}={value}" for key, value in defaults.items() if key not in given]
    return composed([plain_word(word, schema) for word in (*own, *words)], schema)


def compose_play(words: Sequence[str]) -> PlayConfig:
    """The configuration of a game; ``player=llm`` takes the words of ``fourfold llm``.

    Raises
    ------
    UserError
        On a word that is not a setting of the game or the player, or a value of a wrong type or out of range.

    """
    player = "encoder"
    own: list[str] = []
    others: list[str] = []
    for word in words:
        key, _, value = word.partition("=")
        if key == "player":
            if value not in PLAYERS:
                raise UserError(f"player={value} is not known: expected {' or '.join(PLAYERS)}")
            player = value
        elif key in _GAME:
            own.append(plain_word(word, GameConfig))
        elif key.partition(".")[0] in _NOT_OF_A_GAME:
            raise UserError(f"{word} does not apply to a game: leave it out ('fourfold play --help')")
        else:
            others.append(word)
    if player == "encoder" and (hints := [word for word in others if word.partition("=")[0] in _HINTS]):
        raise UserError(f"{hints[0]} is for the game of a language model: add player=llm, or leave it out")
    known = {item.name for item in fields(LanguageRunConfig if player == "llm" else RunConfig)}
    for word in others:
        if "=" in word and word.partition("=")[0].partition(".")[0] not in known:
            plain_word(word, GameConfig)  # which says what is wrong with it
    game = composed(own, GameConfig)
    if player == "encoder":
        return PlayConfig(game, compose_run(others))
    return PlayConfig(game, compose_language_run(others, several="play them one by one"))


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
