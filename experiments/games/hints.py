"""What the engine shows a language model in a game: its best partitions that fit all that was told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import list_groups
from ..data.wall import GROUP_SIZE
from ..pipeline.gram import gram_group_costs
from ..tasks.encoder_view import Hint, as_hints
from .knowledge import Knowledge
from .rules import Verdict


class Adviser:
    """The engine beside a player, for all walls of a set.

    Parameters
    ----------
    gram : (n_walls, n_points, n_points)
        Inner products of each wall's clues.
    order : (n_points,)
        Places of the clues in the order that the player sees.
    top
        How many partitions are shown.
    one_away
        Whether a player is told when all but one of a wrong guess's clues belong together.

    """

    def __init__(self, gram: NDArray[np.float64], order: Sequence[int], top: int, one_away: bool) -> None:
        places = np.asarray(order)
        self._base = gram_group_costs(gram[:, places][:, :, places], GROUP_SIZE)
        self._known = Knowledge(len(gram), len(places), GROUP_SIZE, one_away)
        self._number = {
            tuple(group): place for place, group in enumerate(list_groups(len(places), GROUP_SIZE).tolist())
        }
        self._top = top

    def learn(self, wall: int, places: Sequence[int], verdict: Verdict) -> None:
        """Take in the verdict on a guess; places are those in the player's order."""
        self._known.learn(wall, places, verdict)

    def hints(
        self, walls: Sequence[int], clues: Sequence[Sequence[str]], left: Sequence[Sequence[int]]
    ) -> list[list[Hint]]:
        """The best partitions of the clues that are ``left`` of some walls among those that fit all verdicts.

        ``clues`` are in the player's order. There are fewer hints where fewer partitions fit.
        """
        return [
            self._of_wall(wall, ranked, texts, places)
            for wall, ranked, texts, places in zip(
                walls, self._known.fitting(self._base, walls, self._top), clues, left, strict=True
            )
        ]

    def _of_wall(
        self, wall: int, ranked: NDArray[np.int64], clues: Sequence[str], left: Sequence[int]
    ) -> list[Hint]:
        """Found groups, which are in every partition that fits, are left out, and their costs too."""
        labels = np.stack([np.unique(row[list(left)], return_inverse=True)[1] for row in ranked])
        costs = [
            sum(
                self._base[wall, self._number[tuple(place for place in left if row[place] == label)]]
                for label in set(row[list(left)].tolist())
            )
            for row in ranked
        ]
        return as_hints([clues[place] for place in left], labels, np.array(costs))
