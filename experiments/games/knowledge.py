"""What the verdicts on guesses say of a wall's solution, as costs of groups.

A verdict either forbids groups, or says that one of the solution's groups shares all but one of its clues
with the guess. The latter is a bonus for such groups that outweighs all costs: the solution earns every
bonus, and no partition earns one twice, so that partitions that earn them all come first. A forbidden group
costs more than all else. So the engine's ranking is exact, and where it leaves the partitions that fit, the
cost makes a leap.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import best_partitions
from ..pipeline.gram import Costs, group_members
from .rules import Verdict


class Knowledge:
    """What is known of ``n_problems`` walls of ``n_points`` clues in groups of ``size``.

    ``one_away`` is the rule: where it holds, a guess that is merely wrong is not one away either.
    """

    def __init__(self, n_problems: int, n_points: int, size: int, one_away: bool) -> None:
        self._members = group_members(n_points, size)
        self._size = size
        self._one_away = one_away
        self._allowed = np.ones((n_problems, len(self._members)), dtype=bool)
        self._bonuses = np.zeros((n_problems, len(self._members)))

    def learn(self, problem: int, places: Sequence[int], verdict: Verdict) -> None:
        """Take in the verdict on a guess of ``size`` places; a void one says nothing."""
        guess = np.zeros(self._members.shape[1])
        guess[list(places)] = 1.0
        shared = self._members @ guess
        size, allowed = self._size, self._allowed[problem]
        if verdict is Verdict.RIGHT:
            allowed &= (shared == size) | (shared == 0)
        elif verdict is Verdict.ONE_AWAY:
            # The other clue is alone among the guess's.
            allowed &= (shared == size - 1) | (shared <= 1)
            self._bonuses[problem] += shared == size - 1
        elif verdict is Verdict.WRONG:
            allowed &= shared < (size - 1 if self._one_away else size)

    def fitting(self, base: Costs, problems: Sequence[int], top: int) -> list[NDArray[np.int64]]:
        """The partitions of least cost among those that fit all verdicts, exactly.

        Parameters
        ----------
        base : (n_problems, n_groups)
            The groups' costs before any guess, of points in an order that may decide where costs are equal.
        problems
            Which walls.
        top
            How many partitions; fewer where no more fit.

        Returns
        -------
        list of (n_found, n_points)
            The labels for each of the chosen walls, best first; at least one.

        """
        chosen = np.asarray(problems)
        costs, leap = self._costs(base[chosen], chosen)
        found = best_partitions(
            group_size=self._size, group_cost=costs, top=top, orders=np.arange(self._members.shape[1])
        )
        fits = found.cost - found.cost[:, :1] < leap[:, np.newaxis] / 2
        return [labels[fit] for labels, fit in zip(found.labels, fits, strict=True)]

    def _costs(self, own: Costs, chosen: NDArray[np.int64]) -> tuple[Costs, NDArray[np.float64]]:
        """Costs of all groups, and by how much more than any other difference a verdict counts."""
        n_groups = self._members.shape[1] // self._size
        spread = own.max(axis=1) - own.min(axis=1)
        # Two partitions that earn as many bonuses differ by at most n_groups times the spread.
        leap = np.where(spread > 0, 4.0 * n_groups * spread, 1.0)
        bonuses = self._bonuses[chosen]
        costs: Costs = own - leap[:, np.newaxis] * bonuses
        forbidden = own.max(axis=1) + leap * (2.0 + n_groups * bonuses.max(axis=1))
        costs = np.where(self._allowed[chosen], costs, forbidden[:, np.newaxis])
        return costs, leap
