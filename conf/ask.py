"""``key=value`` words in, a checked configuration of a language model out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hydra.core.config_store import ConfigStore

from ..errors import UserError
from .ask_schema import AskConfig
from .compose import composed, plain_word


def compose_asking(
    words: Sequence[str], defaults: Mapping[str, str], schema: type[AskConfig] = AskConfig
) -> AskConfig:
    """The configuration that words make of ``ask.yaml``, with a command's own defaults and schema.

    Raises
    ------
    UserError
        On a word that is no ``key=value``, an unknown key, or a value of the wrong type or out of range.

    """
    for word in words:
        if word.startswith("model="):
            raise UserError(f"{word} names an encoder's settings: a language model is named by model.name=")
    ConfigStore.instance().store(group="schema", name="ask", node=schema)
    given = {word.partition("=")[0] for word in words}
    own = [f"{key}={value}" for key, value in defaults.items() if key not in given]
    config = composed("ask", [plain_word(word, schema) for word in (*own, *words)], schema)
    assert isinstance(config, AskConfig)
    return config
