"""One answer out of several: replies vote for groups, and the engine chooses the partition of least cost.

The replies are those to one wall in several orders of its clues, or samples of a model that is asked at a
temperature above 0 in each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ...engine.partition import best_partitions, list_groups
from ..data.wall import GROUP_SIZE, N_GROUPS, Wall
from ..llm.parsing.groups import Groups
from ..pipeline.gram import Costs, gram_group_costs, group_members, pair_group_costs
from ..pipeline.orders import clue_order, wall_order
from .hints import as_groups


def voted(
    walls: Sequence[Wall],
    answers: Sequence[Sequence[Groups]],
    by: str,
    gram: NDArray[np.float64] | None = None,
    weight: float = 0.0,
) -> list[Groups]:
    """Four groups a wall: the partition of least cost, exactly.

    Parameters
    ----------
    walls
        What was grouped.
    answers
        The groups that were read in each run's reply on each wall, (n_runs, n_walls).
    by
        ``groups`` or ``pairs``, see ``vote_costs``.
    gram : (n_walls, n_points, n_points)
        The inner products of each wall's clues under an encoder.
    weight
        What the encoder's group costs, divided by their mean over all groups, count beside the votes.

    """
    costs = [
        vote_costs([run[place] for run in answers], [wall.clues[i] for i in tie_order()], by)
        for place, wall in enumerate(walls)
    ]
    return cheapest(walls, np.stack(costs), gram, weight)


def tie_order() -> list[int]:
    """The order of a wall's clues that group costs follow; where they are equal, ``wall_order`` decides."""
    return clue_order(0, N_GROUPS * GROUP_SIZE)


def cheapest(
    walls: Sequence[Wall], costs: Costs, gram: NDArray[np.float64] | None = None, weight: float = 0.0
) -> list[Groups]:
    """The partition of least cost of each wall, exactly.

    ``costs`` (n_walls, n_groups) are of the groups of the clues in ``tie_order``; ``gram`` and ``weight`` as
    of ``voted``.
    """
    order = tie_order()
    if gram is not None and weight:
        costs = costs + weight * _unit_mean(gram_group_costs(gram[:, order][:, :, order], GROUP_SIZE))
    shown = [[wall.clues[i] for i in order] for wall in walls]
    ties = np.array([wall_order(clues) for clues in shown])
    partitions = best_partitions(group_size=GROUP_SIZE, group_cost=costs, orders=ties)
    return [as_groups(clues, labels) for clues, labels in zip(shown, partitions.labels[:, 0], strict=True)]


def vote_costs(replies: Sequence[Groups], clues: Sequence[str], by: str) -> Costs:
    """The cost of every group of four of the clues, (n_groups,), 0 where all replies agree on it.

    By ``pairs``, the share of replies that do not put two clues together, as the mean over a group's pairs.
    By ``groups``, the share of replies that do not have the group; pairs decide only where partitions have
    equally many votes. What is not a clue has no vote, nor has a group of other than four for ``groups``. Of
    a clue that the wall has twice each place has the vote, since no reply says which of them it means.
    """
    n_points = len(clues)
    together = np.zeros((n_points, n_points))
    whole: Counter[tuple[int, ...]] = Counter()
    for groups in replies:
        for group in _on_wall(groups, clues):
            ways = places_of(group, clues)
            for i, j in {pair for way in ways for pair in combinations(way, 2)}:
                together[i, j] = together[j, i] = together[i, j] + 1.0
            if len(group) == GROUP_SIZE:
                whole.update(ways)
    pairs: Costs = 1.0 - pair_group_costs(together[np.newaxis] / len(replies), GROUP_SIZE)[0]
    if by == "pairs":
        return pairs
    number = {tuple(group): place for place, group in enumerate(list_groups(n_points, GROUP_SIZE).tolist())}
    votes = np.zeros(len(group_members(n_points, GROUP_SIZE)))
    for key, count in whole.items():
        votes[number[key]] = count
    # A partition's pairs cost at most one a group: together less than one vote.
    costs: Costs = 1.0 - votes / len(replies) + pairs / ((n_points // GROUP_SIZE + 1) * len(replies))
    return costs


def places_of(group: Sequence[str], clues: Sequence[str]) -> set[tuple[int, ...]]:
    """Where a group's clues may stand, rising: several ways where the wall has one of them twice."""
    ways = [[place for place, clue in enumerate(clues) if clue == text] for text in group]
    return {tuple(sorted(way)) for way in product(*ways) if len(set(way)) == len(group)}


def _on_wall(groups: Groups, clues: Sequence[str]) -> list[list[str]]:
    """What each group holds of the wall's clues, none oftener in all than the wall has it."""
    left = Counter(clues)
    votes = []
    for group in groups:
        valid = []
        for text in group:
            if left[text]:
                left[text] -= 1
                valid.append(text)
        votes.append(valid)
    return votes


def _unit_mean(costs: Costs) -> Costs:
    means = costs.mean(axis=1, keepdims=True)
    return np.asarray(costs / np.where(means > 0, means, 1.0))
