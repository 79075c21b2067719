"""Words of the command line, ``key=value``: how Hydra will read them, and what is wrong with one."""

from __future__ import annotations

import re
import sys
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_type_hints

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from ..errors import UserError
from ..masking import names_a_secret
from .choices import EXPERIMENT, EXPERIMENTS, GROUPS, LAUNCHER, choices, other_choice, other_word
from .llm_schema import LanguageRunConfig
from .schema import RunConfig
from .values import RootConfig

_HIDDEN = "[hidden]"


def parsed(word: str) -> Override | None:
    """The word as Hydra reads it; None where its grammar refuses it, as it does some paths.

    Raises
    ------
    UserError
        On a whole number of more digits than Python reads.

    """
    try:
        return OverridesParser.create().parse_override(word)
    except HydraException:
        return None
    except ValueError as error:
        key, _, value = word.partition("=")
        raise UserError(
            f"{key}={value[:20]}[...]: got {len(value):,} letters with a number that is too long to be read,"
            f" expected at most {sys.get_int_max_str_digits():,} digits: write a shorter number"
        ) from error


def several_values(word: str) -> bool:
    """Whether a word has a list of values, and not the name of a file with a comma in it."""
    _, _, value = word.partition("=")
    override = parsed(word)
    several = override is not None and override.is_sweep_override()
    return bool(value) and several and not Path(value).expanduser().exists()


def shown_word(word: str) -> str:
    """A word as it may be shown: without an address or a variable in which a key may stand."""
    key, equals, value = word.partition("=")
    if key == "model.key_variable" and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_,]*", value):
        return f"{key}{equals}{_HIDDEN}"
    if key == "model.base_url" and ("@" in value or "?" in value or "#" in value):
        return f"{key}{equals}{_HIDDEN}"
    return word


def plain_word(word: str, schema: type[RootConfig]) -> str:
    """One override as Hydra will read it: a value that its grammar refuses is quoted, such as a path.

    An experiment is that of the group which ``schema`` names. UserError on a word that is not a setting of
    ``schema``, or names an unknown choice.
    """
    key, equals, value = word.partition("=")
    if not equals:
        hint = other_word(word) if schema is RunConfig else None
        raise UserError(f"'{word}' is not a setting: {hint or 'write key=value, as in seeds=16'}")
    if not re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", key):
        raise UserError(
            f"{word}: '{key}' is not the name of a setting: write key=value, as in model.pooling=cls"
        )
    known = {item.name for item in fields(schema)} | ({EXPERIMENT} if schema.experiments else set())
    if key.partition(".")[0] not in known or not _may_be_setting(key, schema):
        raise UserError(unknown_key(key, schema))
    _check_choice(key, value, schema)
    if key == EXPERIMENT:
        return f"{schema.experiments}={value}"
    if value and not _is_text(key, value, schema):
        override = parsed(word)
        if override is not None and not override.is_sweep_override():
            return word
    if re.fullmatch(r"'.*'|\".*\"", value, flags=re.DOTALL):
        return word
    # Between quotes, Hydra takes backslashes as they are, but for those right before a quote.
    literal = re.sub(r"(\\*)('|\Z)", lambda match: match[1] * 2 + (r"\'" if match[2] else ""), value)
    return f"{key}='{literal}'"


def _may_be_setting(key: str, schema: type[RootConfig]) -> bool:
    """Whether a key is that of a setting or of something within one; Hydra looks for a file by any other."""
    known, parts = settings(schema), key.split(".")
    outer = [".".join(parts[:n]) for n in range(1, len(parts))]
    within = any(name in known and not is_dataclass(known[name]) for name in outer)  # of a dictionary
    return key == EXPERIMENT or key in known or within


def _is_text(key: str, value: str, schema: type[RootConfig]) -> bool:
    """Whether a value is to be taken letter by letter: a revision of 12345e7 is not a number."""
    kind = settings(schema).get(key)
    return kind in {str, str | None} and value != "null" and "${" not in value


def check_group(key: str, value: str, schema: type[RootConfig]) -> None:
    """Raise UserError where a word names a choice of a group of encoders' runs alone."""
    if key == "model" and key not in schema.groups:
        raise UserError(
            f"{key}={value} names an encoder's settings: a language model is named by model.name="
        )


def _check_choice(key: str, value: str, schema: type[RootConfig]) -> None:
    if key not in (*GROUPS, EXPERIMENT, LAUNCHER):
        return
    check_group(key, value, schema)
    known, name = choices(schema.experiments if key == EXPERIMENT else key), value.strip("'\"")
    if name in known:
        return
    for command, group in EXPERIMENTS.items():
        if key == EXPERIMENT and name in choices(group):
            raise UserError(f"{key}={name} is for '{command} {key}={name}': choose from {', '.join(known)}")
    if instead := other_choice(key, name):
        raise UserError(f"{key}={name} is not a choice: {instead}")
    near = get_close_matches(name.casefold(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(known)}"
    if near and len(known) > len(near):
        hint += f" All: {', '.join(known)}"
    raise UserError(f"{key}={name} is not known: {hint}")


def error_line(error: Exception, schema: type[RootConfig]) -> str:
    """What Hydra or OmegaConf said, in one line that names the key as the user wrote it."""
    said = str(error)
    unknown = re.match(r"Could not override '([^']*)'", said)
    if unknown:
        return unknown_key(unknown.group(1), schema)
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


def unknown_key(key: str, schema: type[RootConfig]) -> str:
    known = list(settings(schema))
    if key in known:
        group = key.partition(".")[0]
        if group == LAUNCHER:
            return f"{key}= is a setting of another launcher: leave it out or choose launcher="
        other = "other features" if group == "features" else f"another {group}"
        return f"{key}= is a setting of {other} than what is chosen: leave it out or choose {group}="
    command = schema.command
    if command == "run" and key in settings(LanguageRunConfig):
        return f"{key}= is not a setting of an encoder's run, but of 'fourfold llm' and 'fourfold sweep llm'"
    if "model.key_variable" in known and names_a_secret(key.rpartition(".")[2]):
        return (
            f"{key}= is not a setting, since settings are recorded: put a key into the environment variable "
            "that model.key_variable= names (OPENAI_API_KEY by default)"
        )
    near = get_close_matches(key, known, n=1, cutoff=0.6)
    if not near:  # the last part alone, as in n_init for solver.n_init
        near = [name for name in known if name.rpartition(".")[2] == key.rpartition(".")[2]][:1]
    hint = f"did you mean {near[0]}=?" if near else f"'fourfold {command} --help' lists what can be set"
    return f"{key}= is not a setting: {hint}"


def settings(schema: type, prefix: str = "") -> dict[str, Any]:
    """Every dotted key that a schema has and its type, those of all its solvers included."""
    types: dict[str, Any] = {}
    hints = get_type_hints(schema)
    for item in fields(schema):
        inner = hints[item.name]
        types[prefix + item.name] = inner
        if is_dataclass(inner) and isinstance(inner, type):
            for kind in (inner, *inner.__subclasses__()):
                types |= settings(kind, f"{prefix}{item.name}.")
    return types
