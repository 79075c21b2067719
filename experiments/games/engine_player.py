"""The engine in games: what verdicts on guesses rule out, the hints it gives a model, and how it plays.

A verdict either forbids groups, or says that one of the solution's groups shares all but one of its clues
with the guess. The latter is a bonus for such groups that outweighs all costs: the solution earns every
bonus, and no partition earns one twice, so that partitions that earn them all come first. A forbidden group
costs more than all else. So the engine's ranking is exact, and where it leaves the partitions that fit, the
cost makes a leap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import best_partitions, list_groups
from ...engine.partition_order import grams_in_order
from ..data.wall import GROUP_SIZE
from ..pipeline.gram import Costs, gram_group_costs, group_members
from ..tasks.hints import Hint, as_hints
from ..terminal.progress import Update
from .rules import Game, Rules, Verdict


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
        partitions = best_partitions(
            group_size=self._size, group_cost=costs, top=top, orders=np.arange(self._members.shape[1])
        )
        fits = partitions.cost - partitions.cost[:, :1] < leap[:, np.newaxis] / 2
        return [labels[fit] for labels, fit in zip(partitions.labels, fits, strict=True)]

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
        Whether a player learns when all but one of a wrong guess's clues belong together.

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


RANKED = 50  # partitions that have a say in which group is the surest


def play_with_gram(
    gram: NDArray[np.float64],
    truth: NDArray[np.int64],
    rules: Rules,
    orders: NDArray[np.int64],
    update: Update | None = None,
) -> list[Game]:
    """Play every wall to its end.

    Before each guess the wall's ``RANKED`` partitions of least cost are found, exactly, among those that fit
    all verdicts: refused groups are out, found ones stay. The group that most of them hold is guessed; of
    several, the one of least cost.

    Parameters
    ----------
    gram : (n_walls, n_points, n_points)
        Inner products of each wall's clues.
    truth : (n_walls, n_points)
        The group of each clue.
    rules
        What the games are played by.
    orders : (n_games, n_points)
        Places of each wall's clues in the order that the player sees; it decides where costs are equal.
    update
        Called with the number of games that are over, and of all games.

    """
    n_points = orders.shape[1]
    base = gram_group_costs(grams_in_order(gram, orders), GROUP_SIZE)
    games = [Game(row.tolist(), rules) for row in np.take_along_axis(truth, orders, axis=1)]
    known = Knowledge(len(games), n_points, GROUP_SIZE, rules.one_away)
    groups_there = list_groups(n_points, GROUP_SIZE).tolist()
    number = {tuple(group): place for place, group in enumerate(groups_there)}
    while under_way := [wall for wall, game in enumerate(games) if not game.over]:
        for wall, ranked in zip(under_way, known.fitting(base, under_way, RANKED), strict=True):
            cost = {group: base[wall, number[group]] for group in _groups(ranked)}
            times = Counter(_groups(ranked))
            new = [group for group in cost if group not in games[wall].found]
            guess = min(new, key=lambda group: (-times[group], cost[group]))
            known.learn(wall, guess, games[wall].guess(guess))
        if update is not None:
            update(sum(game.over for game in games), len(games))
    return games


def _groups(partitions: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """The groups of all the partitions, (n_partitions, n_points), as often as they occur."""
    return [
        tuple(np.flatnonzero(labels == label).tolist())
        for labels in partitions
        for label in range(labels.max() + 1)
    ]
