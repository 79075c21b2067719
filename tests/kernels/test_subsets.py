"""Sets by their numbers, against itertools."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest

from fourfold.engine.partition import count_partitions
from fourfold.engine.partition_solver import listed_ways
from fourfold.kernels.partition import group_costs, pair_distances, relax
from fourfold.kernels.partition_plan import (
    FIRST_MOVE,
    FIRST_VALUE,
    N_MOVES,
    N_STATES,
    count_values,
    plan,
)
from fourfold.kernels.partition_search import list_members, lower_shares, reduce_costs
from fourfold.kernels.subsets import advance, binomials, rank, take_groups, unrank

SHAPES = [(2, 2), (2, 2, 2), (3, 3, 3), (2, 3, 4), (4, 3, 2), (1, 2, 1), (1, 2, 3, 2), (5, 1, 1), (4, 4, 4)]


@pytest.mark.parametrize(
    ("n_points", "size", "lowest"), [(6, 3, 0), (7, 1, 0), (7, 7, 0), (9, 4, 2), (5, 2, 3)]
)
def test_numbers_follow_itertools(n_points: int, size: int, lowest: int) -> None:
    expected = list(itertools.combinations(range(lowest, n_points), size))
    members = np.zeros(size, np.int64)
    unrank(0, lowest, n_points, size, binomials(n_points), members)
    walked = []
    for number, combination in enumerate(expected):
        found = np.zeros(size, np.int64)
        unrank(number, lowest, n_points, size, binomials(n_points), found)
        assert tuple(found) == combination
        if lowest == 0:
            assert rank(found, size, n_points, binomials(n_points)) == number
        walked.append(tuple(members))
        following = expected[number + 1] if number + 1 < len(expected) else combination
        changed = [i for i in range(size) if combination[i] != following[i]]
        assert advance(members, size, n_points) == (changed[0] if changed else -1)
    assert walked == expected


@pytest.mark.parametrize(
    ("n_points", "n_left", "size"), [(9, 6, 3), (9, 9, 4), (8, 5, 1), (8, 5, 4), (10, 7, 2)]
)
def test_every_group_with_the_smallest_point(n_points: int, n_left: int, size: int) -> None:
    groups_at = {g: i for i, g in enumerate(itertools.combinations(range(n_points), size))}
    rests_at = {r: i for i, r in enumerate(itertools.combinations(range(n_points), n_left - size))}
    n_ways = comb(n_left - 1, size - 1)
    for left in list(itertools.combinations(range(n_points), n_left))[::5]:
        groups, rests = np.full((2, n_ways + 2), 999, np.uint64)
        end = take_groups(
            np.array(left),
            n_left,
            size,
            n_points,
            len(groups_at) - 1,
            len(rests_at) - 1,
            binomials(n_points),
            np.zeros((2, n_points, n_points), np.int64),
            np.zeros((3, n_points), np.int64),
            groups,
            rests,
            1,
        )
        expected = [(left[0], *others) for others in itertools.combinations(left[1:], size - 1)]
        assert end == n_ways + 1
        assert groups[1:end].tolist() == [groups_at[group] for group in expected]
        remaining = [tuple(p for p in left if p not in group) for group in expected]
        assert rests[1:end].tolist() == [rests_at[rest] for rest in remaining]
        assert groups[0] == rests[0] == groups[end] == rests[end] == 999


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
def test_the_plan_builds_every_partition_once(sizes: tuple[int, ...]) -> None:
    shape = plan(sizes)
    groups, rests = listed_ways(sizes)
    ways = np.zeros(shape.n_values, np.int64)
    ways[: shape.n_groups] = 1
    for layer in shape.layers[:-2]:
        for state in range(layer[N_STATES]):
            first = layer[FIRST_MOVE] + state * layer[N_MOVES]
            moves = slice(first, first + layer[N_MOVES])
            ways[layer[FIRST_VALUE] + state] = (ways[groups[moves]] * ways[rests[moves]]).sum()
    n_points, binomial = shape.n_points, shape.binomial
    whole = 0
    listed_groups, listed_rests = np.zeros((2, shape.most_moves), np.uint64)
    for size, last_group, last_rest, _ in shape.options[shape.layers[-2, -1] :]:
        steps, odometer = np.zeros((2, n_points, n_points), np.int64), np.zeros((3, n_points), np.int64)
        end = take_groups(
            np.arange(n_points), n_points, size, n_points, last_group, last_rest, binomial, steps, odometer,
            listed_groups, listed_rests, 0,
        )  # fmt: skip
        whole += (ways[listed_groups[:end]] * ways[listed_rests[:end]]).sum()
    assert whole == count_partitions(sizes)
    assert count_values(sizes, 10**9) == shape.n_values


def test_work_of_known_shapes() -> None:
    assert plan((4, 4, 4, 4)).n_moves == 180_180
    assert plan((5, 5, 5, 5, 5)).n_values == 1_200_717


def test_costs_of_groups_and_what_prices_leave_of_them() -> None:
    rng = np.random.default_rng(0)
    points, size = rng.normal(size=(7, 2)), 3
    groups = list(itertools.combinations(range(7), size))
    distances = np.full((7, 7), 9.0)
    for begin in (0, 1):
        pair_distances(points @ points.T, begin, 2, distances)
    square = ((points[:, None] - points) ** 2).sum(axis=2)
    np.testing.assert_allclose(np.tril(distances, -1), np.tril(square, -1), atol=1e-12)
    values = np.zeros(len(groups) + 2)
    members, sums = np.empty(7, np.int64), np.empty(7)
    for begin, end in ((0, 11), (11, len(groups)), (5, 5)):
        group_costs(distances, size, 2, begin, end, binomials(7), members, sums, values)
    costs = values[2:]
    expected = [sum(square[i, j] for i, j in itertools.combinations(g, 2)) / size for g in groups]
    np.testing.assert_allclose(costs, expected, rtol=1e-12)
    shares = np.full(7, np.inf)
    lower_shares(costs, size, members, shares)
    least = [min(c for c, g in zip(costs, groups, strict=True) if i in g) / size for i in range(7)]
    np.testing.assert_allclose(shares, least, rtol=1e-12)
    prices, reduced = rng.normal(size=7), np.empty(len(groups))
    reduce_costs(costs, size, prices, 0.5, members, sums, reduced)
    np.testing.assert_allclose(reduced, costs - 0.5 - prices[np.array(groups)].sum(axis=1), atol=1e-12)
    picked = np.array([3, 0, 34])
    listed = np.empty((3, size), np.int64)
    list_members(picked, size, binomials(7), listed)
    assert [tuple(row) for row in listed] == [groups[place] for place in picked]


def test_a_state_takes_its_cheapest_way() -> None:
    values = np.array([4.0, 1.0, 2.0, 8.0, -9.0, -9.0])
    groups, rests = np.array([0, 0, 1, 2, 0, 3], np.uint64), np.array([9, 1, 3, 3, 2, 1], np.uint64)
    for begin in (0, 1):
        relax(values, 4, 2, 2, groups[:5], rests[:5], 1, begin, 2)
    assert values[4:].tolist() == [5.0, 6.0]
