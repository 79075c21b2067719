"""Solving one wall: groups, runners-up and red herrings."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from naive_partition import all_partitions, inertia

from fourfold.errors import UserError
from fourfold.experiments.pipeline.solve import group_sizes, solve

NAMES = [chr(ord("A") + i) for i in range(16)]


def line(*places: float) -> Any:
    """Points on a line, which anyone can group by eye."""
    return np.array(places, float)[:, np.newaxis]


def test_a_wall_with_one_clue_between_two_groups() -> None:
    #             A  B  C    D  E   F    (C lies between the two groups)
    points = line(0, 1, 2.9, 6, 7, 100) + 0.0
    solved = solve(NAMES[:6], points, sizes=(3, 2, 1), runners_up=3)
    assert solved.groups == (("A", "B", "C"), ("D", "E"), ("F",))
    expected = sorted(inertia(points, groups) for groups in all_partitions(range(6), (3, 2, 1)))
    np.testing.assert_allclose([solved.cost] + [r.cost for r in solved.runners_up], expected[:4], rtol=1e-12)
    nearest = solved.runners_up[0]
    assert nearest.gap == pytest.approx(expected[1] - expected[0], rel=1e-9)
    assert [(move.clue, move.home) for move in nearest.moves][:1] == [("C", 0)]
    assert solved.red_herrings[0].clue == "C"
    assert solved.red_herrings[0].home == 0
    assert solved.red_herrings[0].gap == nearest.gap


def test_the_moves_turn_the_best_into_the_runner_up() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(16, 5))
    solved = solve(NAMES, points, sizes=(4,) * 4, runners_up=12)
    assert len(solved.runners_up) == 12
    times = dict.fromkeys(range(16), 0)
    for runner_up in solved.runners_up:
        groups = [set(group) for group in solved.groups]
        for move in runner_up.moves:
            assert NAMES[move.place] == move.clue
            groups[move.home].remove(move.clue)
            groups[move.to].add(move.clue)
            times[move.place] += 1
        assert groups == [set(group) for group in runner_up.groups]
        assert len(runner_up.moves) <= 12
        assert runner_up.gap == pytest.approx(runner_up.cost - solved.cost, rel=1e-9)
        assert inertia(points, [[NAMES.index(c) for c in g] for g in runner_up.groups]) == pytest.approx(
            runner_up.cost, rel=1e-9
        )
    assert {herring.place: herring.times for herring in solved.red_herrings} == {
        place: count for place, count in times.items() if count
    }
    gaps = [herring.gap for herring in solved.red_herrings]
    assert gaps == sorted(gaps)


def test_vectors_far_from_the_origin() -> None:
    points = np.random.default_rng(1).normal(size=(16, 5))
    near, far = (solve(NAMES, points + offset, sizes=(4,) * 4) for offset in (0, 1e6))
    assert near.groups == far.groups
    assert [r.groups for r in near.runners_up] == [r.groups for r in far.runners_up]


def test_a_gram_matrix_in_place_of_vectors() -> None:
    points = np.random.default_rng(2).normal(size=(9, 5))
    by_gram = solve(NAMES[:9], gram=points @ points.T, sizes=(3,) * 3)
    assert by_gram.groups == solve(NAMES[:9], points, sizes=(3,) * 3).groups


def test_fewer_partitions_than_asked_for() -> None:
    solved = solve(NAMES[:4], line(0, 1, 5, 6), sizes=(2, 2), runners_up=10)
    assert len(solved.runners_up) == 2
    assert solve(NAMES[:4], line(0, 1, 5, 6), sizes=(4,)).runners_up == ()


def test_the_same_text_twice() -> None:
    solved = solve(["x", "x", "y", "z"], line(0, 5, 1, 5.5), sizes=(2, 2), runners_up=1)
    assert solved.groups == (("x", "y"), ("x", "z"))
    assert len({move.place for move in solved.runners_up[0].moves}) == 2


def test_to_json_goes_through_json() -> None:
    solved = solve(NAMES[:9], np.random.default_rng(3).normal(size=(9, 4)), sizes=(3,) * 3)
    read = json.loads(json.dumps(solved.to_json()))
    assert read["groups"] == [list(group) for group in solved.groups]
    assert read["cost"] == solved.cost
    assert read["runners_up"][0]["moves"][0]["clue"] == solved.runners_up[0].moves[0].clue
    assert [h["others"] for h in read["red_herrings"]] == [list(h.others) for h in solved.red_herrings]


@pytest.mark.parametrize(
    ("n_clues", "group_size", "n_groups", "expected"),
    [
        (16, None, None, (4,) * 4),
        (25, None, None, (5,) * 5),
        (4, None, None, (2, 2)),
        (12, 4, None, (4,) * 3),
        (12, None, 4, (3,) * 4),
        (12, 3, 4, (3,) * 4),
        (12, (3, 4, 5), None, (3, 4, 5)),
        (12, (3, 4, 5), 3, (3, 4, 5)),
        (5, 5, None, (5,)),
    ],
)
def test_sizes(n_clues: int, group_size: Any, n_groups: int | None, expected: tuple[int, ...]) -> None:
    assert group_sizes(n_clues, group_size, n_groups) == expected


@pytest.mark.parametrize(
    ("n_clues", "group_size", "n_groups", "message"),
    [
        (12, None, None, "got 12 clues: .*--group-size"),
        (1, None, None, "got 1 clue: expected at least 2"),
        (12, 5, None, "--group-size 5, which does not divide"),
        (12, 0, None, "--group-size 0, which does not divide"),
        (12, None, 5, "--groups 5, which does not divide"),
        (12, None, 0, "--groups 0, which does not divide"),
        (12, 4, 4, "--group-size 4 and --groups 4: give one"),
        (12, (3, 4), None, "--group-size 3,4, which sum to 7"),
        (7, (3, 4, 0), None, "--group-size 3,4,0"),
        (7, (3, 4), 3, "2 group sizes and --groups 3"),
    ],
)
def test_sizes_that_do_not_come_out(
    n_clues: int, group_size: Any, n_groups: int | None, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        group_sizes(n_clues, group_size, n_groups)


def test_what_does_not_fit_together() -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 1\) for 4 clues"):
        solve(NAMES[:4], line(0, 1, 2), sizes=(2, 2))
    with pytest.raises(ValueError, match=r"gram of shape \(3, 3\) for 4 clues"):
        solve(NAMES[:4], gram=np.eye(3), sizes=(2, 2))
    with pytest.raises(TypeError, match="got both"):
        solve(NAMES[:4], line(0, 1, 2, 3), gram=np.eye(4), sizes=(2, 2))
    with pytest.raises(UserError, match=r"64 points .* bytes"):
        solve(["x"] * 64, np.eye(64), sizes=(4,) * 16)
