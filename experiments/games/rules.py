"""The rules of a game on one wall, and how it stands. Clues go by their places: two may be alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Rules:
    """What a player may do.

    The defaults are those of Only Connect's walls: any number of wrong guesses until two groups are found,
    then three lives, and a player learns no more than right or wrong. Its clock of two and a half minutes
    is ``guesses`` here. NYT Connections has ``lives=4 free_groups=0 one_away=True``.

    Parameters
    ----------
    lives
        Wrong guesses that end the game, among those that count: with 3, the third one does.
    free_groups
        Wrong guesses count only once so many groups are found.
    guesses
        How many guesses of whatever kind a player has.
    one_away
        Whether a player learns when all but one of a wrong guess's clues belong together.

    """

    lives: int = 3
    free_groups: int = 2
    guesses: int = 20
    one_away: bool = False


class Verdict(StrEnum):
    """The verdict on a guess. ``VOID`` is an invalid guess: it costs no life, but counts as a guess."""

    RIGHT = "right"
    WRONG = "wrong"
    ONE_AWAY = "one away"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Guess:
    """Places of clues, rising, and what was said of them; a void guess may hold any number."""

    places: tuple[int, ...]
    verdict: Verdict


class Game:
    """One wall under way.

    Parameters
    ----------
    truth
        The group of each clue.
    rules
        What the game is played by.

    """

    def __init__(self, truth: Sequence[int], rules: Rules) -> None:
        self.rules = rules
        self.guesses: list[Guess] = []
        self.found: list[tuple[int, ...]] = []  # in the order in which they were
        self.lives_left = rules.lives
        self._groups = {
            tuple(place for place, group in enumerate(truth) if group == wanted) for wanted in set(truth)
        }
        self._all = tuple(range(len(truth)))

    @property
    def left(self) -> tuple[int, ...]:
        """The places of the clues whose groups are not found."""
        done = {place for group in self.found for place in group}
        return tuple(place for place in self._all if place not in done)

    @property
    def n_groups(self) -> int:
        """How many groups are found; with the last but one, the last is left over and found too."""
        return len(self._groups) if self.solved else len(self.found)

    @property
    def solved(self) -> bool:
        """Whether all groups are found."""
        return len(self.found) >= len(self._groups) - 1

    @property
    def over(self) -> bool:
        """Whether there is nothing more to guess, or no life or guess to do it with."""
        return self.solved or self.lives_left == 0 or len(self.guesses) >= self.rules.guesses

    def tried(self, places: Sequence[int]) -> bool:
        """Whether these places were guessed before."""
        return any(guess.places == tuple(sorted(places)) for guess in self.guesses)

    def guess(self, places: Sequence[int]) -> Verdict:
        """Judge a guess and keep it.

        One that was refused before, or is not as many different clues as a group has, all of them left, is
        void.

        Raises
        ------
        ValueError
            If the game is over.

        """
        if self.over:
            raise ValueError(f"the game is over after {len(self.guesses)} guesses")
        chosen = tuple(sorted(places))
        verdict = self._judged(chosen)
        self.guesses.append(Guess(chosen, verdict))
        if verdict is Verdict.RIGHT:
            self.found.append(chosen)
        elif verdict is not Verdict.VOID and len(self.found) >= self.rules.free_groups:
            self.lives_left -= 1
        return verdict

    def _judged(self, chosen: tuple[int, ...]) -> Verdict:
        size = len(next(iter(self._groups)))
        if len(set(chosen)) != size or len(chosen) != size or not set(chosen) <= set(self.left):
            return Verdict.VOID
        if self.tried(chosen):
            return Verdict.VOID
        if chosen in self._groups:
            return Verdict.RIGHT
        near = max(len(set(chosen) & set(group)) for group in self._groups) == size - 1
        return Verdict.ONE_AWAY if near and self.rules.one_away else Verdict.WRONG
