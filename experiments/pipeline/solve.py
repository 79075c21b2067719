"""One wall, solved: its best partition, the runners-up, and the clues that move between them.

Vectors and words come in, a report goes out; encoders and printing live elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from ...engine.partition import best_partitions, count_partitions
from ...engine.partition_order import by_smallest_points
from ...errors import UserError
from ..terminal.writing import counted
from .gram import centred_gram, equal_clues
from .orders import wall_order

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A clue that a runner-up puts elsewhere; groups by their index in the best partition."""

    clue: str
    place: int  # among the clues, since two may have the same text
    home: int
    to: int


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """One of the next best partitions."""

    groups: Groups  # in the order of the best partition's groups that they are most like
    cost: float
    gap: float  # cost above the best partition's
    moves: tuple[Move, ...]  # the fewest that turn the best partition into this one


@dataclass(frozen=True, slots=True)
class RedHerring:
    """A clue that would fit elsewhere."""

    clue: str
    place: int
    home: int
    others: tuple[int, ...]  # the groups that it moves to, the nearest runner-up's first
    gap: float  # of the nearest runner-up that moves it
    times: int  # in how many runners-up it moves


@dataclass(frozen=True, slots=True)
class Solved:
    """What is to be said of one wall."""

    clues: tuple[str, ...]
    groups: Groups
    cost: float  # the k-means objective: squared distances to the groups' means, summed
    runners_up: tuple[RunnerUp, ...]  # by rising cost
    red_herrings: tuple[RedHerring, ...]  # by rising gap
    equal: tuple[int, ...] = ()  # the places of clues that have the same vector as another

    def to_json(self) -> dict[str, Any]:
        """The same as dicts, lists, strings and numbers; groups are named by their index in ``groups``."""
        return asdict(self)


def group_sizes(
    n_clues: int, group_size: int | Sequence[int] | None = None, n_groups: int | None = None
) -> tuple[int, ...]:
    """The size of each group of a wall: as given, or as many groups as clues in each.

    Raises UserError, in the words of the command line, where the sizes do not come out.
    """
    if group_size is not None and not isinstance(group_size, int):
        sizes = tuple(group_size)
        if sum(sizes) != n_clues or min(sizes, default=0) < 1:
            raise UserError(
                f"got {counted(n_clues, 'clue')} and --group-size {','.join(map(str, sizes))}, which sum to "
                f"{sum(sizes)}: the sizes must be at least 1 and sum to the clues"
            )
        if n_groups not in (None, len(sizes)):
            raise UserError(
                f"got {counted(len(sizes), 'group size')} and --groups {n_groups}: give one of the two"
            )
        return sizes
    if n_clues < 2:
        raise UserError(f"got {counted(n_clues, 'clue')}: expected at least 2")
    if group_size is None:
        if n_groups is None:
            return (_root(n_clues),) * _root(n_clues)
        if n_groups < 1 or n_clues % n_groups:
            raise UserError(f"got {n_clues} clues and --groups {n_groups}, which does not divide them")
        return (n_clues // n_groups,) * n_groups
    if group_size < 1 or n_clues % group_size:
        raise UserError(
            f"got {n_clues} clues and --group-size {group_size}, which does not divide them: name each "
            "group's size, as in 3,4,5"
        )
    if n_groups not in (None, n_clues // group_size):
        raise UserError(
            f"got {n_clues} clues, --group-size {group_size} and --groups {n_groups}: give one of the two"
        )
    return (group_size,) * (n_clues // group_size)


def _root(n_clues: int) -> int:
    """As many groups as clues in each; UserError where that does not come out."""
    root = isqrt(n_clues)
    if root * root != n_clues:
        raise UserError(
            f"got {n_clues} clues: for counts other than 4, 9, 16, 25 say how they divide, with "
            "--groups or --group-size (a size, or one for each group as in 3,4,5)"
        )
    return root


def solve(
    clues: Sequence[str],
    vectors: ArrayLike | None = None,
    *,
    gram: ArrayLike | None = None,
    sizes: Sequence[int],
    runners_up: int = 5,
) -> Solved:
    """Find the best partition of ``clues``, the next best, and what sets them apart.

    Parameters
    ----------
    clues : sequence of str
        The clues; the same text may occur twice.
    vectors : (n_clues, n_features)
        Their vectors.
    gram : (n_clues, n_clues)
        In place of ``vectors``, their inner products.
    sizes : sequence of int
        The size of each group.
    runners_up : int
        How many of the next best partitions to find; fewer where there are no more.

    Raises
    ------
    UserError
        If the shape is too large to be solved exactly.
    ValueError
        If vectors and clues do not fit together.
    """
    if (vectors is None) == (gram is None):
        raise TypeError("give either vectors or gram, got " + ("neither" if gram is None else "both"))
    if gram is None:
        points = np.asarray(vectors)
        if points.ndim != 2 or len(points) != len(clues):
            raise ValueError(f"got vectors of shape {points.shape} for {len(clues)} clues")
        gram = centred_gram(points)
    elif np.shape(gram) != (len(clues), len(clues)):
        raise ValueError(f"got gram of shape {np.shape(gram)} for {len(clues)} clues")
    try:
        partitions = best_partitions(
            gram, sizes, min(1 + runners_up, count_partitions(sizes)), orders=wall_order(clues)
        )
    except ValueError as error:
        raise UserError(str(error)) from error
    labels, costs = by_smallest_points(partitions.labels, tuple(sizes))[0], partitions.cost[0]
    ranked = tuple(
        _runner_up(clues, labels[0], other, float(cost), float(cost - costs[0]))
        for other, cost in zip(labels[1:], costs[1:], strict=True)
    )
    return Solved(
        clues=tuple(clues),
        groups=_groups(clues, labels[0]),
        cost=float(costs[0]),
        runners_up=ranked,
        red_herrings=_red_herrings(ranked),
        equal=tuple(np.flatnonzero(equal_clues(np.asarray(gram)[np.newaxis, np.newaxis])[0]).tolist()),
    )


def _groups(clues: Sequence[str], labels: NDArray[np.int64]) -> Groups:
    return tuple(
        tuple(clues[i] for i in np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)
    )


def _runner_up(
    clues: Sequence[str], best: NDArray[np.int64], other: NDArray[np.int64], cost: float, gap: float
) -> RunnerUp:
    """Match the groups so that most clues stay; those that do not are the moves."""
    n_groups = int(best.max()) + 1
    shared = np.zeros((n_groups, n_groups), np.int64)
    np.add.at(shared, (other, best), 1)
    matched = linear_sum_assignment(shared, maximize=True)[1][other]
    moves = tuple(
        Move(clues[i], i, int(best[i]), int(matched[i])) for i in np.flatnonzero(matched != best).tolist()
    )
    return RunnerUp(groups=_groups(clues, matched), cost=cost, gap=gap, moves=moves)


def _red_herrings(ranked: Sequence[RunnerUp]) -> tuple[RedHerring, ...]:
    """Every clue that a runner-up moves, in the order in which the runners-up first do."""
    moves: dict[int, list[tuple[Move, float]]] = {}
    for runner_up in ranked:
        for move in runner_up.moves:
            moves.setdefault(move.place, []).append((move, runner_up.gap))
    return tuple(
        RedHerring(
            clue=made[0][0].clue,
            place=place,
            home=made[0][0].home,
            others=tuple(dict.fromkeys(move.to for move, _ in made)),
            gap=made[0][1],
            times=len(made),
        )
        for place, made in moves.items()
    )
