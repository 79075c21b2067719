"""``fourfold play``'s words in, checked configurations out: a player, by its own words, and the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from hydra.core.config_store import ConfigStore

from ..errors import UserError
from .compose import compose_run, composed, plain_word
from .llm import compose_language_run
from .llm_schema import LanguageRunConfig
from .play_schema import GameConfig
from .schema import RunConfig

PLAYERS = ("encoder", "llm")
_GAME = {item.name for item in fields(GameConfig)}
# What a run has and a game has not.
_NO_USE = {"solver", "seeds", "experiment", "task", "bertscore", "prefix_space"}
_NO_USE |= {"vote", "samples", "candidates", "encoder_weight"}
_HINTS = {"hints", "encoder"}  # of a language model's game alone


@dataclass(frozen=True, slots=True)
class PlayConfig:
    """The game and who plays it: an encoder's run, or a language model's."""

    game: GameConfig
    player: RunConfig | LanguageRunConfig


def compose_play(words: Sequence[str]) -> PlayConfig:
    """The configuration that ``key=value`` words make; ``player=llm`` takes those of ``fourfold llm``.

    Raises
    ------
    UserError
        On a word that is no setting of the game or the player, or a value of the wrong type or out of range.

    """
    chosen = "encoder"
    own: list[str] = []
    others: list[str] = []
    for word in words:
        key, _, value = word.partition("=")
        if key == "player":
            if value not in PLAYERS:
                raise UserError(f"player={value} is not known: expected {' or '.join(PLAYERS)}")
            chosen = value
        elif key in _GAME:
            own.append(plain_word(word, GameConfig))
        elif key.partition(".")[0] in _NO_USE:
            raise UserError(f"{word} has no use for a game: leave it out ('fourfold play --help')")
        else:
            others.append(word)
    if chosen == "encoder" and (hints := [word for word in others if word.partition("=")[0] in _HINTS]):
        raise UserError(f"{hints[0]} is for the game of a language model: add player=llm, or leave it out")
    schema = LanguageRunConfig if chosen == "llm" else RunConfig
    known = {item.name for item in fields(schema)}
    for word in others:
        if "=" in word and word.partition("=")[0].partition(".")[0] not in known:
            plain_word(word, GameConfig)  # which says what is wrong with it
    ConfigStore.instance().store(group="schema", name="play", node=GameConfig)
    game = composed("play", own, GameConfig)
    if chosen == "encoder":
        return PlayConfig(game, compose_run(others))
    return PlayConfig(game, compose_language_run(others, several="play them one by one"))
