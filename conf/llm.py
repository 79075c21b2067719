"""``fourfold llm``'s words in, a checked configuration out; those of a sweep of language models too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hydra.core.config_store import ConfigStore

from ..errors import UserError
from .compose import composed, plain_word, refuse_many
from .llm_schema import LanguageRunConfig
from .sweep import RunWords, Sweep, read_sweep, several_values

_COMMAND = "fourfold sweep llm"
_FILE = "llm"
_HIDDEN = "[hidden]"
LANGUAGE_MODELS = RunWords(LanguageRunConfig, _FILE, ("dataset",))


def compose_language_run(words: Sequence[str], several: str = "", swept: bool = False) -> LanguageRunConfig:
    """The configuration that ``key=value`` words make of ``llm.yaml``.

    Parameters
    ----------
    words
        The words.
    several
        What whoever gives a setting several values is told to do; to start a sweep by default.
    swept
        Whether the words are those of one run of a sweep, in which an experiment may be many.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown key, several values of one key outside a sweep, or a
        value of the wrong type or out of range.

    """
    _check_words(words)
    _register()
    if not swept:
        for word in words:
            if several_values(word):
                shown = shown_word(word)
                what = several or f"start them with '{_COMMAND} {shown}'"
                raise UserError(f"{shown} is several values, and each makes a run: {what}")
    plain = [plain_word(word, LanguageRunConfig) for word in words]
    if not swept:
        refuse_many(words, _COMMAND, _FILE, LanguageRunConfig.experiments)
    return composed(_FILE, plain, LanguageRunConfig)


def read_language_sweep(words: Sequence[str]) -> Sweep:
    """As ``read_sweep``, of runs of language models."""
    _check_words(words)
    _register()
    return read_sweep(words, LANGUAGE_MODELS)


def shown_word(word: str) -> str:
    """A word as it may be shown: without an address or a variable in which a key may stand."""
    key, equals, value = word.partition("=")
    if key == "model.key_variable" and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_,]*", value):
        return f"{key}{equals}{_HIDDEN}"
    if key == "model.base_url" and ("@" in value or "?" in value or "#" in value):
        return f"{key}{equals}{_HIDDEN}"
    return word


def _check_words(words: Sequence[str]) -> None:
    for word in words:
        if word.startswith("model="):
            raise UserError(f"{word} names an encoder's settings: a language model is named by model.name=")


def _register() -> None:
    ConfigStore.instance().store(group="schema", name=_FILE, node=LanguageRunConfig)
