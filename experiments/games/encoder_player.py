"""The engine plays: the best partition that fits all it was told, and of it the surest group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import best_partitions, list_groups
from ..data.wall import GROUP_SIZE
from ..group_costs import gram_group_costs
from ..progress import Update
from .knowledge import Knowledge
from .rules import Game, Rules


def play_with_gram(
    gram: NDArray[np.float64],
    truth: NDArray[np.int64],
    rules: Rules,
    order: Sequence[int],
    update: Update | None = None,
) -> list[Game]:
    """Play every wall to its end.

    Before each guess the wall's partition of least cost is found, exactly, among those that fit all verdicts:
    refused groups are out, found ones stay. Of its groups that are not found yet, the one of least cost is
    guessed.

    Parameters
    ----------
    gram : (n_walls, n_points, n_points)
        Inner products of each wall's clues.
    truth : (n_walls, n_points)
        The group of each clue.
    rules
        What the games are played by.
    order : (n_points,)
        Places of the clues in the order that the player sees; it decides where costs are equal.
    update
        Is told how many games are over.

    """
    places = np.asarray(order)
    base = gram_group_costs(gram[:, places][:, :, places], GROUP_SIZE)
    games = [Game(row[places].tolist(), rules) for row in truth]
    known = Knowledge(len(games), len(places), GROUP_SIZE, rules.one_away)
    groups_there = list_groups(len(places), GROUP_SIZE).tolist()
    number = {tuple(group): place for place, group in enumerate(groups_there)}
    while under_way := [wall for wall, game in enumerate(games) if not game.over]:
        found = best_partitions(group_size=GROUP_SIZE, group_cost=known.costs(base, under_way))
        for wall, labels in zip(under_way, found.labels[:, 0], strict=True):
            groups = [tuple(np.flatnonzero(labels == label).tolist()) for label in range(labels.max() + 1)]
            new = [group for group in groups if group not in games[wall].found]
            guess = min(new, key=lambda group: base[wall, number[group]])
            known.learn(wall, guess, games[wall].guess(guess))
        if update is not None:
            update(sum(game.over for game in games), len(games))
    return games
