"""Which way an exact partition goes on the CPU, and the threads that share the work.

Small shapes go problem by problem through dynamic programming over lists made once. Large ones go through a
search by prices; what that leaves, and the shapes between, layer by layer, with the states shared out over
the threads and each listing used for several problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..kernels.limits import MOST_POINTS, MOST_TOP
from ..kernels.partition import Floats
from ..kernels.partition_cpu import fill_group_costs, list_plan, read_best, relax_problems, relax_states
from ..kernels.partition_plan import KEPT_MOVES, N_STATES, Plan, plan
from ..kernels.subsets import Ints, Places
from .partition_search import best_by_prices
from .threads import run_chunks

Flags = NDArray[np.bool_]

SEARCHED_MOVES = 1 << 25  # from so many additions on, a search is quicker
LISTED_MOVES = 1 << 15  # ways listed at a time: both lists stay in the second cache
_BLOCK_BYTES = 1 << 19  # values of the problems that one thread takes at a time: within the second cache
_TOGETHER_BYTES = 1 << 28  # values of the problems that share one listing of a large shape


@dataclass(frozen=True)
class Problems:
    """A batch: Gram matrices, or the costs of all groups by size."""

    shape: Plan
    gram: Floats | None  # (n_problems, n_points, n_points) float64
    group_cost: dict[int, Floats]  # without gram: size -> (n_problems, n_groups) float64

    def __len__(self) -> int:
        return len(next(iter(self.group_cost.values())) if self.gram is None else self.gram)

    def part(self, which: slice | Ints) -> Problems:
        """Some of the problems."""
        gram = None if self.gram is None else self.gram[which]
        return Problems(self.shape, gram, {size: given[which] for size, given in self.group_cost.items()})

    @cached_property
    def _sizes(self) -> tuple[Ints, Ints]:
        return np.array(list(self.shape.group_first)), np.array(list(self.shape.group_first.values()))

    def fill(self, cancelled: Flags, values: Floats) -> None:
        """Write the costs of all groups, size by size, into (n_problems, >= n_groups)."""
        if self.gram is not None:
            fill_group_costs(self.gram, *self._sizes, self.shape.binomial, cancelled, values)
        for size, given in self.group_cost.items():
            start = self.shape.group_first[size]
            values[:, start : start + given.shape[1]] = given


@dataclass(frozen=True)
class Solutions:
    """The best partitions of a batch, as far as they are known."""

    labels: Ints  # (n_problems, top, n_points)
    costs: Floats  # (n_problems, top), inf beyond what there is
    counts: Ints  # (n_problems,), how many of the top there are; -1 where nothing could be said

    @classmethod
    def empty(cls, n_problems: int, top: int, n_points: int) -> Solutions:
        """Arrays to fill in."""
        labels = np.empty((n_problems, top, n_points), np.int64)
        return cls(labels, np.empty((n_problems, top)), np.full(n_problems, -1))

    def part(self, which: slice) -> Solutions:
        """The rows of some problems, to be written to."""
        return Solutions(self.labels[which], self.costs[which], self.counts[which])

    def read(self, shape: Plan, cancelled: Flags, values: Floats) -> None:
        """Take the best partitions from relaxed values."""
        sizes = np.array(shape.group_size)
        read_best(
            shape.layers, shape.options, sizes, shape.most_moves, shape.binomial, values, cancelled,
            self.labels, self.costs, self.counts,
        )  # fmt: skip


def solve(problems: Problems, top: int, n_threads: int, layers_fit: bool = True) -> Solutions:
    """The ``top`` best partitions of every problem; ``layers_fit`` says whether all values fit in memory."""
    shape = problems.shape
    solutions = Solutions.empty(len(problems), top, shape.n_points)
    if shape.n_moves <= KEPT_MOVES and layers_fit:
        _by_lists(problems, solutions, n_threads)
        return solutions
    if shape.n_moves >= SEARCHED_MOVES and can_search(shape, top):
        _by_prices(problems, solutions, n_threads)
    rest = np.flatnonzero(solutions.counts < 0)
    if len(rest) and layers_fit:
        left = Solutions(solutions.labels[rest], solutions.costs[rest], solutions.counts[rest])
        _by_layers(problems.part(rest), left, n_threads)
        solutions.labels[rest] = left.labels
        solutions.costs[rest], solutions.counts[rest] = left.costs, left.counts
    return solutions


def can_search(shape: Plan, top: int) -> bool:
    """Whether the search by prices takes this shape."""
    return shape.n_points <= MOST_POINTS and top <= MOST_TOP


@lru_cache(maxsize=4)
def listed_ways(group_size: tuple[int, ...]) -> tuple[Places, Places]:
    """The ways of a small shape, listed once."""
    shape = plan(group_size)
    groups, rests = np.empty(shape.n_moves, np.uint64), np.empty(shape.n_moves, np.uint64)
    list_plan(shape.layers, shape.options, shape.binomial, groups, rests)
    return groups, rests


def _by_lists(problems: Problems, solutions: Solutions, n_threads: int) -> None:
    shape = problems.shape
    groups, rests = listed_ways(shape.group_size)
    n_block = max(1, _BLOCK_BYTES // (8 * shape.n_values))

    def work(first: int, last: int, cancelled: Flags) -> None:
        values = np.empty((min(n_block, last - first), shape.n_values))
        for start in range(first, last, n_block):
            some = slice(start, min(start + n_block, last))
            block = values[: some.stop - start]
            problems.part(some).fill(cancelled, block)
            relax_problems(shape.layers, groups, rests, cancelled, block)
            solutions.part(some).read(shape, cancelled, block)

    run_chunks(work, len(problems), n_threads)


def _by_prices(problems: Problems, solutions: Solutions, n_threads: int) -> None:
    shape = problems.shape
    top = solutions.costs.shape[1]

    def work(first: int, last: int, cancelled: Flags) -> None:
        values = np.empty((1, shape.n_groups))
        for problem in range(first, last):
            problems.part(slice(problem, problem + 1)).fill(cancelled, values)
            costs = {
                size: values[0, start : start + comb(shape.n_points, size)]
                for size, start in shape.group_first.items()
            }
            solved = best_by_prices(costs, shape.group_size, top, cancelled)
            if solved is not None:
                solutions.labels[problem], solutions.costs[problem], solutions.counts[problem] = solved

    run_chunks(work, len(problems), n_threads)


def _by_layers(problems: Problems, solutions: Solutions, n_threads: int) -> None:
    shape = problems.shape
    n_block = max(1, min(len(problems), _TOGETHER_BYTES // (8 * shape.n_values)))
    values = np.empty((n_block, shape.n_values))
    for start in range(0, len(problems), n_block):
        some = slice(start, min(start + n_block, len(problems)))
        _relax_together(problems.part(some), solutions.part(some), n_threads, values[: some.stop - start])


def _relax_together(problems: Problems, solutions: Solutions, n_threads: int, values: Floats) -> None:
    shape = problems.shape

    def fill(first: int, last: int, cancelled: Flags) -> None:
        problems.part(slice(first, last)).fill(cancelled, values[first:last])

    def read(first: int, last: int, cancelled: Flags) -> None:
        solutions.part(slice(first, last)).read(shape, cancelled, values[first:last])

    run_chunks(fill, len(problems), n_threads)
    for place, layer in enumerate(shape.layers[:-2]):

        def relax(first: int, last: int, cancelled: Flags, place: int = place) -> None:
            relax_states(
                place,
                shape.layers,
                shape.options,
                shape.binomial,
                LISTED_MOVES,
                first,
                last,
                cancelled,
                values,
            )

        run_chunks(relax, int(layer[N_STATES]), n_threads)
    run_chunks(read, len(problems), n_threads)
