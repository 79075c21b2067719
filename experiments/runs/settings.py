"""A record's settings by the keys of the command line: to tell records apart, and to choose some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ...conf import choices as choices_module
from ...conf.choices import GROUPS, choices
from ...conf.json_types import KIND
from ...errors import UserError
from .encoder.record import Record

# What cannot change a result, or is said elsewhere.
_NOT_SHOWN = {KIND, "title", "paper_row", "device", "source", "layout", "folder_split", "strict"}
_WHERE = {"out", "cache", "paths", "dataset.path"}

Test = Callable[[Record], bool]


def settings_of(record: Record) -> dict[str, Any]:
    """Every setting that says what a run was, as ``model.name`` or ``seeds``."""
    settings = flat_settings(record.config)
    settings["dataset.walls"] = record.dataset.fingerprint[:12]
    settings["clustering"] = record.clustering
    return {key: value for key, value in settings.items() if key not in _WHERE}


def written(value: Any) -> str:
    """A setting's value about as the command line takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{','.join(map(written, value))}]"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return repr(text) if text != text.strip() or not text else text


def differences(records: Sequence[Record]) -> dict[str, list[Any]]:
    """The settings in which records differ, and each one's value; None where it has no such setting."""
    return setting_differences([settings_of(record) for record in records])


def setting_differences(settings: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """``differences`` of records' settings by key."""
    keys = dict.fromkeys(key for each in settings for key in each)
    values = {key: [each.get(key) for each in settings] for key in keys}
    return {key: each for key, each in values.items() if any(value != each[0] for value in each)}


def record_test(word: str) -> Test:
    """Whether a record fits ``key=value``, as in ``model=minilm``, ``dataset=ocw`` or ``solver.n_init=10``.

    A model is a choice of the group ``model``, of which every setting counts, or a name or title.

    Raises
    ------
    UserError
        On a word that is no such filter.

    """
    key, equals, value = word.partition("=")
    if not equals or not key or not value:
        raise UserError(f"'{word}' is not a filter: write key=value, as in model=minilm or seeds=16")
    value = value.strip("'\"")
    if key == "model":
        return _model_test(value)
    if key in GROUPS:
        known = {*choices(key)}
        return _group_test(key, value, known)

    def fits(record: Record) -> bool:
        settings = flat_settings(record.config)
        return key in settings and value_is(settings[key], value)

    return fits


def value_is(setting: Any, text: str) -> bool:
    """Whether a text stands for a setting's value: 1e-4 is 0.0001, and blanks at the ends of a text count."""
    if isinstance(setting, int | float) and not isinstance(setting, bool):
        with suppress(ValueError):
            return float(text) == setting
    return (setting if isinstance(setting, str) else written(setting)).casefold() == text.casefold()


def check_keys(words: Sequence[str], records: Sequence[Record], also: Iterable[str] = ()) -> None:
    """Raise UserError on a filter by a setting that none of the records has, and that is not in ``also``."""
    settings = {*also, *(key for record in records for key in flat_settings(record.config))}
    known = {*GROUPS, *settings}
    for word in words:
        key = word.partition("=")[0]
        if settings and key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}=?" if near else "as in model=minilm, dataset=ocw or seeds=16"
            raise UserError(f"{word}: no record has a setting {key}: {hint}")


def _group_test(group: str, value: str, known: set[str]) -> Test:
    names = sorted(known)
    near = get_close_matches(value, names, n=1)
    if value not in known and near and group != "dataset":
        raise UserError(f"{group}={value} is not known: did you mean {near[0]}?")
    return lambda record: bool(record.config[group]["name"] == value)


def _model_test(value: str) -> Test:
    chosen = _chosen_model(value) if value in choices("model") else None

    def fits(record: Record) -> bool:
        model: dict[str, Any] = record.config["model"]
        if chosen is not None:
            return all(model.get(key) == wanted for key, wanted in chosen.items())
        folder = Path(str(model["name"])).name.casefold()
        return value.casefold() in {str(model["name"]).casefold(), str(model["title"]).casefold(), folder}

    return fits


def _chosen_model(name: str) -> Mapping[str, Any]:
    """What the file of a choice says of a model, but for what is only shown."""
    from omegaconf import OmegaConf

    loaded: Any = OmegaConf.to_container(OmegaConf.load(choices_module.FOLDER / "model" / f"{name}.yaml"))
    return {str(key): value for key, value in loaded.items() if key not in {*_NOT_SHOWN, "defaults"}}


def flat_settings(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Every setting of a configuration by its dotted key."""
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if key in _NOT_SHOWN:
            continue
        if isinstance(value, dict):
            flat |= flat_settings(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for place, item in enumerate(value):
                flat |= flat_settings(item, f"{prefix}{key}[{place}].")
        else:
            flat[prefix + key] = value
    return flat
