"""``fourfold llm``'s words in, checked configurations out: one for each combination of several values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Transformer
from hydra.errors import HydraException

from ..errors import UserError
from .compose import composed, plain_word
from .llm_schema import LanguageRunConfig

_SEVERAL = (
    "task",
    "examples",
    "hints",
    "vote",
    "encoder_weight",
    "example_seed",
    "seeds",
    "model.name",
    "model.max_tokens",
    "limit",
)


def compose_language_runs(words: Sequence[str]) -> list[LanguageRunConfig]:
    """The configurations that ``key=value`` words make of ``llm.yaml``.

    A value may be several, ``a,b`` or ``range(1,4)``: each combination is a run.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown key, or a value of the wrong type or out of range.

    """
    for word in words:
        if word.startswith("model="):
            raise UserError(f"{word} names an encoder's settings: a language model is named by model.name=")
    ConfigStore.instance().store(group="schema", name="llm", node=LanguageRunConfig)
    lists = [[plain_word(each, LanguageRunConfig) for each in _values(word)] for word in words]
    return [composed("llm", list(chosen), LanguageRunConfig) for chosen in itertools.product(*lists)]


def _values(word: str) -> list[str]:
    """The word with each of its values, where it is a setting that may have several."""
    key, _, _ = word.partition("=")
    if key not in _SEVERAL:
        return [word]
    try:
        override = OverridesParser.create().parse_override(word)
        if not override.is_sweep_override() or not override.is_discrete_sweep():
            return [word]
        values = list(override.sweep_iterator(Transformer.encode))
    except (HydraException, ValueError):
        return [word]  # a path, perhaps; plain_word says whether it will do
    return [f"{key}={value}" for value in dict.fromkeys(map(str, values))]
