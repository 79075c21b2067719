"""Overrides in, a checked ``RunConfig`` out. Whatever Hydra objects to becomes one line for the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from hydra import compose, initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ..embeddings.local_models import SHAPES, folder_of, holds_model
from ..embeddings.packaged import PREFIX
from ..errors import UserError
from ..masking import names_a_secret
from .choices import EXPERIMENT, EXPERIMENTS, GROUPS, LAUNCHER, choices
from .first_tries import other_choice, other_word
from .fused import with_parts
from .llm_schema import LanguageRunConfig
from .model_schema import FusedConfig, TransformerConfig
from .overrides import parsed
from .schema import RunConfig, register

Schema = TypeVar("Schema")


def compose_run(overrides: Sequence[str], swept: bool = False) -> RunConfig:
    """The configuration that ``key=value`` overrides make of ``config.yaml``.

    ``swept`` says that the overrides are those of one run of a sweep, in which an experiment may be many.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown choice or key, a value of the wrong type or out of
        range, or an experiment of many runs outside a sweep.

    """
    words = [plain_word(word, RunConfig) for word in overrides]
    if not swept:
        refuse_many(overrides, "fourfold sweep")
    chosen = any(word.startswith("model=") for word in words)
    if any(word.startswith("model.name=") for word in words) and not (chosen and _same_model(words)):
        # Another model than the choice's is not called by its title nor compared with its published row.
        words = ["model.title=''", "model.paper_row=null", *words]
        if not chosen:
            # Nor is it used as the default choice is trained to be, but as its own files say.
            words = ["model.pooling=auto", *words]
    if "model.pooling=auto" in (*overrides, *words):
        words = ["model.prefix=null", "model.normalize=null", *words]
    config = composed("config", words, RunConfig)
    if isinstance(config.model, FusedConfig):
        paths = [word for word in overrides if word.startswith("paths.models=")]
        config.model = with_parts(config.model, lambda words: compose_run([*words, *paths]).model)
    elif isinstance(config.model, TransformerConfig) and config.paths.models is not None:
        config.model = _found(config.model, Path(config.paths.models))
    return config


def _same_model(words: Sequence[str]) -> bool:
    """Whether ``model.name=`` names the choice's own model, or a folder that holds it."""
    given = composed("config", words, RunConfig).model
    choice = composed("config", [w for w in words if not w.startswith("model.name=")], RunConfig).model
    if given.name == choice.name:
        return True
    folder = Path(given.name).expanduser()
    return isinstance(given, TransformerConfig) and folder.is_dir() and holds_model(folder, choice.name)


def _found(model: TransformerConfig, models: Path) -> TransformerConfig:
    """A model of the hub by its folder below ``models``, where it is there."""
    if model.name.startswith(PREFIX) or Path(model.name).expanduser().is_dir():
        return model
    folder = folder_of(models, model.name, model.revision)
    if folder is None:
        return model
    found = replace(model, name=str(folder), revision=None)
    if model.name in SHAPES and not holds_model(folder, model.name):
        return replace(found, title="", paper_row=None)
    return found


def composed(name: str, words: Sequence[str], schema: type[Schema]) -> Schema:
    """The value of type ``schema`` that words, as ``plain_word`` makes them, make of the file ``name``."""
    register()
    try:
        with _own_hydra():
            config = OmegaConf.to_object(compose(name, overrides=list(words)))
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(_one_line(error, schema)) from error
    if not isinstance(config, schema):
        raise TypeError(f"{name}.yaml made a {type(config).__name__} of {words}, not a {schema.__name__}")
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


def experiment_sweep(name: str, file: str = "config", group: str = EXPERIMENT) -> dict[str, str]:
    """What an experiment sweeps over: the values of each key, as they would stand on the command line.

    ``group`` holds the experiment, a delta on the file ``file``.
    """
    register()
    with _own_hydra():
        made = compose(file, overrides=[f"{group}={name}"], return_hydra_config=True)
    return {str(key): str(values) for key, values in (made.hydra.sweeper.params or {}).items()}


def refuse_many(words: Sequence[str], command: str, file: str = "config", group: str = EXPERIMENT) -> None:
    """Raise UserError on an experiment of many runs, which ``command`` would do."""
    for word in words:
        key, _, name = word.partition("=")
        if key == EXPERIMENT and experiment_sweep(name.strip("'\""), file, group):
            raise UserError(f"{word} is many runs: start them with '{command} {word}'")


def plain_word(word: str, schema: type) -> str:
    """One override as Hydra will read it: a value that its grammar refuses is quoted, such as a path.

    An experiment is that of the group which ``schema`` names. UserError on a word that is no setting of
    ``schema``, or names an unknown choice.
    """
    key, equals, value = word.partition("=")
    if not equals:
        hint = other_word(word) if schema is RunConfig else None
        raise UserError(f"'{word}' is no setting: {hint or 'write key=value, as in seeds=16'}")
    if not re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", key):
        raise UserError(f"{word}: '{key}' is no name of a setting: write key=value, as in model.pooling=cls")
    experiments = getattr(schema, "experiments", None)
    known = {item.name for item in fields(schema)} | ({EXPERIMENT} if experiments else set())
    if key.partition(".")[0] not in known:
        raise UserError(_unknown_key(key, schema))
    _check_choice(key, value, schema)
    if key == EXPERIMENT:
        return f"{experiments}={value}"
    if value and not _is_text(key, value, schema):
        override = parsed(word)
        if override is not None and not override.is_sweep_override():
            return word
    if re.fullmatch(r"'.*'|\".*\"", value, flags=re.DOTALL):
        return word
    # Between quotes, Hydra takes backslashes as they are, but for those right before a quote.
    literal = re.sub(r"(\\*)('|\Z)", lambda found: found[1] * 2 + (r"\'" if found[2] else ""), value)
    return f"{key}='{literal}'"


def _is_text(key: str, value: str, schema: type) -> bool:
    """Whether a value is to be taken letter by letter: a revision of 12345e7 is no number."""
    kind = _settings(schema).get(key)
    return kind in {str, str | None} and value != "null" and "${" not in value


def _check_choice(key: str, value: str, schema: type) -> None:
    if key not in (*GROUPS, EXPERIMENT, LAUNCHER):
        return
    experiments = getattr(schema, "experiments", EXPERIMENT)
    known, name = choices(experiments if key == EXPERIMENT else key), value.strip("'\"")
    if name in known:
        return
    for command, group in EXPERIMENTS.items():
        if key == EXPERIMENT and name in choices(group):
            raise UserError(f"{key}={name} is for '{command} {key}={name}': choose from {', '.join(known)}")
    if instead := other_choice(key, name):
        raise UserError(f"{key}={name} is no choice: {instead}")
    near = get_close_matches(name.casefold(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(known)}"
    if near and len(known) > len(near):
        hint += f" All: {', '.join(known)}"
    raise UserError(f"{key}={name} is not known: {hint}")


def _one_line(error: Exception, schema: type) -> str:
    """What Hydra or OmegaConf said, in one line that names the key as the user wrote it."""
    said = str(error)
    unknown = re.match(r"Could not override '([^']*)'", said)
    if unknown:
        return _unknown_key(unknown.group(1), schema)
    cause = error.__cause__ if error.__cause__ is not None else error
    reason = str(cause).splitlines()[0]
    merged = re.match(r"Error merging override (.*)", said, flags=re.DOTALL)
    where = f"{merged.group(1).splitlines()[0]}: " if merged else ""
    wrong_type = re.match(r"Value '.*' of type '\w+' could not be converted to (\w+)", reason)
    if wrong_type:
        expected = {"Integer": "a whole number", "Float": "a number", "Boolean": "true or false"}
        return f"{where}expected {expected.get(wrong_type.group(1), wrong_type.group(1))}"
    if "is not a valid bool" in reason:
        return f"{where}expected true or false"
    if "is not a ListConfig" in reason:
        return f"{where}expected a list between brackets, as in [minilm,e5_base]"
    if "is not Optional" in reason:
        return f"{where}a value is needed here, null is none"
    if reason.startswith("Interpolation key"):
        return f"{reason}: ${{...}} must name another setting, as in ${{device}}"
    return f"{where}{reason}"


def _unknown_key(key: str, schema: type) -> str:
    known = list(_settings(schema))
    if key in known:
        group = key.partition(".")[0]
        if group == LAUNCHER:
            return f"{key}= is a setting of another launcher: leave it out or choose launcher="
        other = "other features" if group == "features" else f"another {group}"
        return f"{key}= is a setting of {other} than what is chosen: leave it out or choose {group}="
    command = getattr(schema, "command", "sweep")
    if command == "run" and key in _settings(LanguageRunConfig):
        return f"{key}= is no setting of an encoder's run, but of 'fourfold llm' and 'fourfold sweep llm'"
    if "model.key_variable" in known and names_a_secret(key.rpartition(".")[2]):
        return (
            f"{key}= is no setting, since settings are recorded: put a key into the environment variable "
            "that model.key_variable= names (OPENAI_API_KEY by default)"
        )
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    if not near:  # the last part alone, as in n_init for solver.n_init
        near = [name for name in known if name.rpartition(".")[2] == key.rpartition(".")[2]][:1]
    hint = f"did you mean {near[0]}=?" if near else f"'fourfold {command} --help' lists what can be set"
    return f"{key}= is no setting: {hint}"


def _settings(schema: type, prefix: str = "") -> dict[str, Any]:
    """Every dotted key that a schema has and its type, those of all its solvers included."""
    found: dict[str, Any] = {}
    hints = get_type_hints(schema)
    for item in fields(schema):
        inner = hints[item.name]
        found[prefix + item.name] = inner
        if is_dataclass(inner) and isinstance(inner, type):
            for kind in (inner, *inner.__subclasses__()):
                found |= _settings(kind, f"{prefix}{item.name}.")
    return found
