"""What the verdicts on guesses say of a wall's solution, as costs of groups.

A verdict either forbids groups, or says that one of the solution's groups shares all but one of its clues
with the guess. The latter is a bonus for such groups that outweighs all costs: the solution earns every
bonus, and no partition earns one twice, so that the cheapest partition earns them all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..group_costs import Costs, group_members
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

    def costs(self, base: Costs, problems: Sequence[int]) -> Costs:
        """The costs (n_chosen, n_groups) of the chosen problems, given those of all without any guess.

        The cheapest partition with these is the cheapest of those that fit all verdicts.
        """
        chosen = np.asarray(problems)
        own = base[chosen]
        # More than two partitions can differ by.
        n_groups = self._members.shape[1] // self._size
        spread = own.max(axis=1) - own.min(axis=1)
        outweighs = np.where(spread > 0, 2.0 * n_groups * spread, 1.0)
        costs: Costs = own - outweighs[:, np.newaxis] * self._bonuses[chosen]
        costs[~self._allowed[chosen]] = np.inf
        return costs
