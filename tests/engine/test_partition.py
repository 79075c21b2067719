"""Exact partitions, against listing them all."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from k_means_constrained import KMeansConstrained
from naive_partition import all_partitions, four_by_four, group_inertia, inertia, inertia_of_labels

import fourfold.engine.partition
from fourfold.engine import partition_search, partition_solver
from fourfold.engine.partition import best_partitions, count_partitions, list_groups

SHAPES = [
    (2, 2), (2, 2, 2), (3, 3, 3), (2, 3, 4), (4, 2, 3), (3, 4, 2), (1, 2, 1), (1, 2, 3, 2), (2, 2, 3),
    (1, 1, 1), (1, 5), (6,),
]  # fmt: skip


@pytest.fixture(params=["by lists", "by layers", "by prices"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run small shapes the ways that large ones go, too."""
    name: str = request.param
    if name != "by lists":
        monkeypatch.setattr(partition_solver, "KEPT_MOVES", -1)
    if name == "by layers":
        monkeypatch.setattr(partition_solver, "LISTED_MOVES", 100)
    if name == "by prices":
        monkeypatch.setattr(partition_solver, "SEARCHED_MOVES", 0)
        monkeypatch.setattr(partition_search, "_COLUMNS", (8, 64, 2048))
        monkeypatch.setattr(partition_solver, "MOST_TOP", 5000)
        monkeypatch.setattr(partition_solver, "_by_layers", lambda *_: pytest.fail("the search gave up"))
    return name


def gram_of(points: Any) -> Any:
    return points @ points.swapaxes(-1, -2)


def as_sets(labels: Any) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels))


def assert_numbered(labels: Any, sizes: tuple[int, ...]) -> None:
    """Group g has the g-th size; groups of one size go by their smallest points."""
    assert np.bincount(labels, minlength=len(sizes)).tolist() == list(sizes)
    for size in set(sizes):
        smallest = [np.flatnonzero(labels == g)[0] for g in range(len(sizes)) if sizes[g] == size]
        assert smallest == sorted(smallest)


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize("whole_numbers", [False, True])
def test_top_of_all_partitions(sizes: tuple[int, ...], whole_numbers: bool) -> None:
    rng = np.random.default_rng(sum(sizes))
    points = rng.normal(size=(3, sum(sizes), 3))
    if whole_numbers:  # many partitions of equal cost
        points = np.round(points)
    partitions = list(all_partitions(range(sum(sizes)), sizes))
    top = min(len(partitions), 40)
    found = best_partitions(gram_of(points), sizes, top)
    assert found.labels.shape == (3, top, sum(sizes))
    assert found.labels.dtype == np.int64
    assert found.device == "cpu"
    for problem in range(3):
        expected = sorted(inertia(points[problem], groups) for groups in partitions)[:top]
        np.testing.assert_allclose(found.cost[problem], expected, rtol=1e-12, atol=1e-12)
        assert (np.diff(found.cost[problem]) >= 0).all()
        for labels, cost in zip(found.labels[problem], found.cost[problem], strict=True):
            assert_numbered(labels, sizes)
            assert inertia_of_labels(points[problem], labels) == pytest.approx(cost, rel=1e-12, abs=1e-12)
        assert len({as_sets(labels) for labels in found.labels[problem]}) == top


@pytest.mark.usefixtures("way")
def test_all_partitions_of_a_shape() -> None:
    points = np.random.default_rng(1).normal(size=(9, 4))
    found = best_partitions(gram_of(points), (2, 3, 4), 1260)
    expected = {frozenset(map(frozenset, groups)) for groups in all_partitions(range(9), (2, 3, 4))}
    assert {as_sets(labels) for labels in found.labels[0]} == expected


@pytest.mark.slow
def test_four_fours_against_halves() -> None:
    rng = np.random.default_rng(2)
    group_cost = rng.normal(size=(2, 1820))
    found = best_partitions(group_cost=group_cost, group_size=4, top=50)
    place = {group: i for i, group in enumerate(itertools.combinations(range(16), 4))}
    for problem in range(2):
        expected = four_by_four(group_cost[problem], 50)
        np.testing.assert_allclose(found.cost[problem], expected, rtol=1e-12, atol=1e-12)
        for labels, cost in zip(found.labels[problem], found.cost[problem], strict=True):
            groups = [place[tuple(np.flatnonzero(labels == g).tolist())] for g in range(4)]
            assert group_cost[problem, groups].sum() == pytest.approx(cost, rel=1e-12, abs=1e-12)


def test_never_above_constrained_k_means() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(4, 16, 20))
    found = best_partitions(gram_of(points), 4)
    for problem in range(4):
        peer = KMeansConstrained(4, size_min=4, size_max=4, n_init=30, random_state=0).fit(points[problem])
        assert found.cost[problem, 0] <= peer.inertia_ * (1 + 1e-9)
        assert found.cost[problem, 0] == pytest.approx(
            inertia_of_labels(points[problem], found.labels[problem, 0]), rel=1e-12
        )


def test_five_fives_find_what_was_planted() -> None:
    rng = np.random.default_rng(4)
    truth = rng.permutation(np.repeat(np.arange(5), 5))
    points = 3 * rng.normal(size=(5, 8))[truth] + rng.normal(size=(25, 8))
    found = best_partitions(gram_of(points), 5, 2)
    planted = inertia_of_labels(points, truth)
    assert found.cost[0, 0] <= planted * (1 + 1e-12)
    assert as_sets(found.labels[0, 0]) == as_sets(truth)
    # The runner-up of a clear optimum swaps two points.
    swaps = []
    for i, j in itertools.combinations(range(25), 2):
        swapped = truth.copy()
        swapped[[i, j]] = truth[[j, i]]
        if truth[i] != truth[j]:
            swaps.append(inertia_of_labels(points, swapped))
    assert found.cost[0, 1] <= min(swaps) * (1 + 1e-12)


def test_large_shapes_come_out_the_same_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(11).normal(size=(2, 20, 6))
    points[1] = np.round(points[1])
    by_layers = best_partitions(gram_of(points), 4, 30)
    monkeypatch.setattr(partition_solver, "SEARCHED_MOVES", 0)
    monkeypatch.setattr(partition_solver, "_by_layers", lambda *_: pytest.fail("the search gave up"))
    by_prices = best_partitions(gram_of(points), 4, 30)
    np.testing.assert_array_equal(by_prices.cost, by_layers.cost)
    np.testing.assert_array_equal(by_prices.labels[0], by_layers.labels[0])


def test_where_the_search_gives_up_the_layers_take_over(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(12).normal(size=(2, 20, 6))
    gram = gram_of(points)
    gram[1] = 0.0
    expected = best_partitions(gram, 4, 3)
    monkeypatch.setattr(partition_solver, "SEARCHED_MOVES", 0)
    monkeypatch.setattr(partition_search, "_CHECKS", 1000)
    found = best_partitions(gram, 4, 3)
    np.testing.assert_array_equal(found.cost, expected.cost)
    np.testing.assert_array_equal(found.labels, expected.labels)
    # Without room for the layers there is an answer only where the search finds it.
    monkeypatch.setattr(fourfold.engine.partition, "free_bytes", lambda: 3 * 10**5)
    with pytest.raises(ValueError, match=r"too many partitions of nearly equal cost.*20 points.*bytes"):
        best_partitions(gram, 4, 3, n_jobs=1)
    monkeypatch.undo()
    monkeypatch.setattr(partition_solver, "SEARCHED_MOVES", 0)
    monkeypatch.setattr(fourfold.engine.partition, "free_bytes", lambda: 3 * 10**5)
    alone = best_partitions(gram[0], 4, 3, n_jobs=1)
    np.testing.assert_array_equal(alone.cost[0], expected.cost[0])


@pytest.mark.slow
def test_six_sixes_find_what_was_planted() -> None:
    rng = np.random.default_rng(13)
    truth = rng.permutation(np.repeat(np.arange(6), 6))
    points = 3 * rng.normal(size=(6, 8))[truth] + rng.normal(size=(36, 8))
    found = best_partitions(gram_of(points), 6, 2)
    assert found.cost[0, 0] <= inertia_of_labels(points, truth) * (1 + 1e-12)
    assert as_sets(found.labels[0, 0]) == as_sets(truth)
    assert found.cost[0, 1] > found.cost[0, 0]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_group_costs_take_the_place_of_a_gram(size: int) -> None:
    points = np.random.default_rng(5).normal(size=(6, 3))
    groups = list_groups(6, size)
    assert groups.tolist() == [list(group) for group in itertools.combinations(range(6), size)]
    by_cost = best_partitions(group_cost=group_inertia(points, groups), group_size=size)
    by_gram = best_partitions(gram_of(points), size)
    np.testing.assert_array_equal(by_cost.labels, by_gram.labels)
    np.testing.assert_allclose(by_cost.cost, by_gram.cost, rtol=1e-12, atol=1e-12)


def test_group_costs_by_size() -> None:
    points = np.random.default_rng(6).normal(size=(9, 3))
    costs = {size: group_inertia(points, list_groups(9, size)) for size in (2, 3, 4)}
    by_cost = best_partitions(group_cost=costs, group_size=(3, 4, 2), top=5)
    by_gram = best_partitions(gram_of(points), (3, 4, 2), 5)
    np.testing.assert_array_equal(by_cost.labels, by_gram.labels)
    one = best_partitions(group_cost={3: costs[3]}, group_size=3)
    np.testing.assert_array_equal(one.labels, best_partitions(gram_of(points), 3).labels)


@pytest.mark.usefixtures("way")
def test_forbidden_groups() -> None:
    rng = np.random.default_rng(7)
    groups = list_groups(6, 2)
    costs = rng.normal(size=len(groups))
    forbidden = (groups == [0, 1]).all(axis=1) | (groups[:, 0] == 2)
    costs[forbidden] = np.inf
    allowed = [
        p for p in all_partitions(range(6), (2, 2, 2)) if not {(0, 1), (2, 3), (2, 4), (2, 5)} & set(p)
    ]
    found = best_partitions(group_cost=costs, group_size=2, top=len(allowed))
    assert {as_sets(labels) for labels in found.labels[0]} == {frozenset(map(frozenset, p)) for p in allowed}
    assert np.isfinite(found.cost).all()
    with pytest.raises(
        ValueError, match=rf"problem 0 has {len(allowed)} partitions .* top={len(allowed) + 1} "
    ):
        best_partitions(group_cost=costs, group_size=2, top=len(allowed) + 1)
    with pytest.raises(ValueError, match="problem 1 has 0 partitions without a forbidden group"):
        best_partitions(group_cost=[np.zeros(15), np.full(15, np.inf)], group_size=2)
    with pytest.raises(ValueError, match="problem 0 has 0 partitions"):
        best_partitions(group_cost=[np.inf], group_size=3)


def test_a_matrix_that_is_no_gram() -> None:
    rng = np.random.default_rng(8)
    matrix = rng.normal(size=(6, 6))
    matrix += matrix.T
    found = best_partitions(matrix, 3, 10)

    def cost(groups: list[tuple[int, ...]]) -> float:
        pairs = [(i, j, len(g)) for g in groups for i, j in itertools.combinations(g, 2)]
        return sum((matrix[i, i] + matrix[j, j] - 2 * matrix[i, j]) / size for i, j, size in pairs)

    expected = sorted(cost(groups) for groups in all_partitions(range(6), (3, 3)))
    np.testing.assert_allclose(found.cost[0], expected, rtol=1e-12, atol=1e-12)
    assert found.cost[0, 0] < 0


@st.composite
def small_problems(draw: st.DrawFn) -> tuple[Any, tuple[int, ...]]:
    sizes = draw(st.sampled_from([(2, 2, 2), (3, 3), (2, 3, 4), (3, 3, 3), (1, 4, 2)]))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).normal(size=(sum(sizes), 3)), sizes


@settings(deadline=None, max_examples=40)
@given(small_problems(), st.randoms(use_true_random=False), st.floats(1e-12, 1e12))
def test_order_place_and_scale_change_nothing(
    problem: tuple[Any, tuple[int, ...]], random: Any, scale: float
) -> None:
    points, sizes = problem
    order = random.sample(range(len(points)), len(points))
    found = best_partitions(gram_of(points), sizes, 3)
    moved = best_partitions(gram_of((points[order] - 0.5) * np.sqrt(scale)), sizes, 3)
    np.testing.assert_allclose(moved.cost, found.cost * scale, rtol=1e-9)
    back = np.empty_like(moved.labels[0])
    back[:, order] = moved.labels[0]
    assert [as_sets(labels) for labels in back] == [as_sets(labels) for labels in found.labels[0]]


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_threads_and_batches_change_nothing() -> None:
    points = np.round(np.random.default_rng(9).normal(size=(23, 12, 3)))  # with ties
    gram = gram_of(points)
    whole = best_partitions(gram, 3, 7, n_jobs=1)
    for other in (best_partitions(gram, 3, 7, n_jobs=2), best_partitions(gram, 3, 7)):
        np.testing.assert_array_equal(other.labels, whole.labels)
        np.testing.assert_array_equal(other.cost, whole.cost)
    for problem in (0, 11, 22):
        single = best_partitions(gram[problem], 3, 7)
        np.testing.assert_array_equal(single.labels[0], whole.labels[problem])
        np.testing.assert_array_equal(single.cost[0], whole.cost[problem])
    first = best_partitions(gram, 3, n_jobs=2)
    np.testing.assert_array_equal(first.labels[:, 0], whole.labels[:, 0])


@pytest.mark.parametrize(
    "convert",
    [
        lambda g: g.tolist(),
        lambda g: g.astype(np.float32),
        lambda g: g.astype(np.float16),
        np.asfortranarray,
        lambda g: np.repeat(g, 2, axis=0)[::2],
        lambda g: g.astype(np.int64),
        lambda g: np.frombuffer(g.tobytes()).reshape(g.shape),
    ],
    ids=["list", "float32", "float16", "Fortran", "strided", "integer", "read-only"],
)
def test_input_kinds(convert: Any) -> None:
    gram = gram_of(np.random.default_rng(10).integers(-3, 4, size=(2, 8, 3)).astype(float))
    expected = best_partitions(gram, 2, 3)
    found = best_partitions(convert(gram), 2, 3)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.cost, expected.cost)


@pytest.mark.usefixtures("way")
def test_an_empty_batch() -> None:
    assert best_partitions(np.zeros((0, 16, 16)), 4).labels.shape == (0, 1, 16)


def test_equal_points_are_told_apart_by_the_order() -> None:
    found = best_partitions(np.zeros((16, 16)), 4, top=3, orders=np.arange(16))
    assert (found.cost == 0).all()
    assert found.labels[0, 0].tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert len({as_sets(labels) for labels in found.labels[0]}) == 3
    drawn = best_partitions(np.zeros((16, 16)), 4)
    assert as_sets(drawn.labels[0, 0]) != as_sets(found.labels[0, 0])
    assert (np.diff(np.unique(drawn.labels[0, 0], return_index=True)[1]) > 0).all()  # by smallest points


@pytest.mark.slow
def test_groups_of_equal_points_are_right_by_chance() -> None:
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(16) for _ in range(1500)])
    truth = np.repeat(np.arange(4), 4)
    costs = np.zeros((1500, 1820))
    for arguments in ({"gram": np.zeros((1500, 16, 16))}, {"group_cost": costs}):
        labels = best_partitions(**arguments, group_size=4, orders=orders).labels[:, 0]
        right = [sum(((row == row[4 * g]) == (truth == g)).all() for g in range(4)) for row in labels]
        assert abs(np.mean(right) - 16 / 1820) < 3 * max(np.std(right), 0.09) / np.sqrt(1500)


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 3, 4)])
def test_points_in_an_order_are_the_points_put_in_this_order(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(11)
    gram = gram_of(rng.integers(0, 2, size=(20, 9, 3)).astype(float))  # with ties
    orders = np.array([rng.permutation(9) for _ in range(20)])
    put = np.stack([matrix[order][:, order] for matrix, order in zip(gram, orders, strict=True)])
    expected = best_partitions(put, sizes, 5, orders=np.arange(9))
    found = best_partitions(gram, sizes, 5, orders=orders)
    np.testing.assert_array_equal(found.cost, expected.cost)
    np.testing.assert_array_equal(
        np.take_along_axis(found.labels, orders[:, np.newaxis], axis=2), expected.labels
    )


@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 3, 4)])
def test_group_costs_of_points_in_an_order(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(12)
    costs, put = {}, {}
    order = rng.permutation(9)
    for size in set(sizes):
        groups = [tuple(group) for group in list_groups(9, size).tolist()]
        cost = dict(zip(groups, rng.integers(0, 3, size=(len(groups), 4)).astype(float), strict=True))
        costs[size] = np.stack([cost[group] for group in groups], axis=1)
        put[size] = np.stack([cost[tuple(sorted(order[list(group)]))] for group in groups], axis=1)
    expected = best_partitions(group_size=sizes, top=5, group_cost=put, orders=np.arange(9))
    found = best_partitions(group_size=sizes, top=5, group_cost=costs, orders=order)
    np.testing.assert_array_equal(found.cost, expected.cost)
    np.testing.assert_array_equal(found.labels[:, :, order], expected.labels)


def with_entry(shape: tuple[int, ...], place: tuple[int, ...], value: float) -> Any:
    array = np.zeros(shape)
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gram": np.zeros((16, 5))}, r"shape \(16, 5\).*points @ points.T"),
        ({"gram": np.zeros(16)}, r"shape \(16,\)"),
        ({"gram": with_entry((3, 16, 16), (2, 1, 5), np.nan)}, r"problem 2 is nan at \(1, 5\)"),
        ({"gram": with_entry((16, 16), (3, 3), np.inf)}, r"problem 0 is inf at \(3, 3\)"),
        ({"gram": with_entry((2, 16, 16), (1, 0, 2), 7.5)}, r"problem 1 is not symmetric: 7.5 at \(0, 2\)"),
        ({"gram": 1e308 * (np.eye(4) - 1), "group_size": 2}, "problem 0 has an entry of size 1e.308"),
        ({"gram": np.eye(10)}, "10 points and group_size=4, which does not divide"),
        ({"gram": np.eye(10), "group_size": (3, 3, 3)}, r"group_size=\(3, 3, 3\), which sum to 9"),
        ({"gram": np.eye(4), "group_size": 0}, "group_size=0; it must be at least 1"),
        ({"gram": np.eye(4), "group_size": (4, 0)}, r"group_size\[1\]=0; it must be at least 1"),
        ({"gram": np.eye(4), "group_size": ()}, "no sizes"),
        ({"gram": np.eye(4), "group_size": 2, "top": 0}, "top=0; it must be at least 1"),
        ({"gram": np.eye(4), "group_size": 2, "top": 4}, "top=4, but 4 points have only 3 partitions"),
        ({"gram": np.eye(64)}, r"64 points into groups of 4 .* takes [\d,]{15,} bytes"),
        ({"gram": np.eye(16), "orders": [[0] * 16]}, r"row 0 of orders .* once, got 0 more than once: give"),
        ({"gram": np.eye(16), "orders": [range(1, 17)]}, r"row 0 of orders .* each of 0 to 15 once, got 16:"),
        ({"gram": np.eye(16), "orders": np.zeros((2, 16), int)}, r"of shape \(1, 16\) or \(16,\), got int64"),
        ({"gram": np.eye(200), "group_size": 100}, "bytes"),
        ({"gram": np.eye(24), "top": 10**12}, "bytes"),
        ({"group_cost": np.zeros(1821)}, "1821 costs for groups of 4; 20 points have 4845"),
        ({"group_cost": np.zeros((2, 1, 1820))}, r"shape \(2, 1, 1820\)"),
        ({"group_cost": np.zeros((2, 0))}, r"shape \(2, 0\)"),
        ({"group_cost": np.zeros(10), "group_size": (2, 3)}, r"group_size=\(2, 3\), group_cost must map"),
        ({"group_cost": {2: np.zeros(10)}, "group_size": (2, 3)}, r"sizes \[2\]; group_size has \[2, 3\]"),
        (
            {"group_cost": {2: np.zeros((2, 10)), 3: np.zeros((3, 10))}, "group_size": (2, 3)},
            r"for \[2, 3\] problems",
        ),
        (
            {"group_cost": with_entry((2, 15), (1, 3), np.nan), "group_size": 2},
            r"problem 1 is nan for the group \[0, 4\]",
        ),
        (
            {"group_cost": with_entry((15,), (14,), -np.inf), "group_size": 2},
            r"problem 0 is -inf for the group \[4, 5\]",
        ),
        ({"gram": np.ma.masked_equal(np.eye(4), 1), "group_size": 2}, r"got 4 of them, the first at \(0, 0"),
        ({"group_cost": np.ma.masked_less(np.arange(6), 1), "group_size": 2}, "group_cost must have no mask"),
        ({"gram": np.eye(4), "group_size": 2, "device": "tpu"}, "device must be .*'tpu'"),
        ({"gram": np.eye(4), "group_size": 2, "n_jobs": 0}, "n_jobs must be .* 0"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_was_wrong(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_partitions(**{"group_size": 4} | arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"group_size": 2.0}, r"group_size=2\.0"),
        ({"group_size": "22"}, "group_size='22'"),
        ({"group_size": (2, 2.5)}, r"group_size\[1\]=2\.5"),
        ({"group_size": 2, "top": True}, "top=True"),
        ({"group_size": 2, "group_cost": np.zeros(6)}, "got both"),
        ({"gram": None}, "got neither"),
    ],
)
def test_what_was_of_the_wrong_type(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        best_partitions(**{"gram": np.eye(4), "group_size": 4} | arguments)


@pytest.mark.parametrize("size", [0, 7])
def test_no_groups_of_that_size(size: int) -> None:
    with pytest.raises(ValueError, match=f"size={size} for 6 points"):
        list_groups(6, size)


def test_numbers_of_partitions_and_groups() -> None:
    for sizes in SHAPES:
        assert count_partitions(sizes) == sum(1 for _ in all_partitions(range(sum(sizes)), sizes))
    assert count_partitions((4, 4, 4, 4)) == 2_627_625
    assert count_partitions((5, 5, 5, 5, 5)) == 5_194_672_859_376
    assert list_groups(16, 4).shape == (comb(16, 4), 4)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_ctrl_c_ends_a_large_problem() -> None:
    code = (
        "import numpy as np; from fourfold.engine.partition import best_partitions; "
        "best_partitions(np.eye(4), 2); best_partitions(np.eye(8), 2); print('ready', flush=True); "
        "best_partitions(np.eye(30), 5)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(1.0)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    try:
        _, error = process.communicate(timeout=30)
    finally:
        process.kill()
    assert time.monotonic() - sent < 15  # at once on an idle machine
    assert b"KeyboardInterrupt" in error


def test_39_costs_of_groups_whose_sums_no_float_holds():
    costs = np.random.default_rng(0).uniform(-1, 1, 15)
    want = best_partitions(group_cost=costs, group_size=2, top=3)
    for scale in (1e-300, 1e306):
        found = best_partitions(group_cost=costs * scale, group_size=2, top=1)
        np.testing.assert_array_equal(found.labels, want.labels[:, :1])
    with pytest.raises(
        ValueError, match=r"reaches 1\.\d+e\+308, too large to add up in float64; scale it down"
    ):
        best_partitions(group_cost=costs / np.abs(costs).max() * 1.7e308, group_size=2)
