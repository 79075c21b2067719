"""The types of ``fourfold play``'s own settings: the rules of the game and what is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import UserError
from .values import RootConfig, at_least

MOST_GUESSES = 1_820
MOST_GROUPS = 4


@dataclass
class GameConfig(RootConfig):
    """The rules, and on which walls in which order of the clues. Who plays is configured elsewhere."""

    command: ClassVar[str] = "play"
    file: ClassVar[str] = "play"

    lives: int = 3  # wrong guesses that end a game, once they count
    free_groups: int = 2  # they count when so many groups are found
    guesses: int = 20  # of whatever kind; the show has a clock in their place
    one_away: bool = False  # whether a player is told when three of four are right
    order: int = 0  # of the clues: that of random.Random(order)
    limit: int | None = None  # so many walls, the first ones, for a trial

    def __post_init__(self) -> None:
        for key, least in (("lives", 1), ("free_groups", 0), ("guesses", 1), ("order", 0)):
            at_least(key, getattr(self, key), least)
        if self.free_groups > MOST_GROUPS:
            raise UserError(
                f"free_groups={self.free_groups} is too large: expected at most {MOST_GROUPS}, since a wall "
                "has no more groups"
            )
        if self.guesses > MOST_GUESSES:
            raise UserError(
                f"guesses={self.guesses} is too large: expected at most {MOST_GUESSES:,}, which is how "
                "many groups of four a wall has"
            )
        if self.limit is not None:
            at_least("limit", self.limit, 1)
