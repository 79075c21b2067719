"""The engine plays: the best partitions that fit all it was told, and of their groups the surest."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import list_groups
from ...engine.partition_order import grams_in_order
from ..data.wall import GROUP_SIZE
from ..pipeline.gram import gram_group_costs
from ..terminal.progress import Update
from .knowledge import Knowledge
from .rules import Game, Rules

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
        Is told how many games are over.

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
