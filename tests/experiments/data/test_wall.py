"""Walls as values: the truth, the fingerprint, the players' totals."""

from collections import Counter
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wall_documents import walls

from fourfold.experiments.data.wall import Group, HumanPerformance, Wall, WallSet

few_clues = st.sampled_from(["Bask", "Glamour", "Love", "Zip", "8.5", "%"])


def small_wall(clues: str, *groups: str, wall_id: str = "w") -> Wall:
    """A wall of one-letter clues."""
    return Wall(wall_id, tuple(clues), tuple(Group(tuple(group), f"of {group}") for group in groups))


@pytest.mark.parametrize(
    ("clues", "groups", "truth"),
    [
        ("acbd", ("ab", "cd"), (0, 1, 0, 1)),
        ("dcba", ("ab", "cd"), (1, 1, 0, 0)),
        # twice in one group, once in each of two groups, and both
        ("aabc", ("aa", "bc"), (0, 0, 1, 1)),
        ("abca", ("ab", "ca"), (0, 0, 1, 1)),
        ("xaxbxc", ("xa", "bx", "cx"), (0, 0, 1, 1, 2, 2)),
        ("aaaabc", ("aa", "ab", "ac"), (0, 0, 1, 2, 1, 2)),
    ],
)
def test_truth_by_hand(clues: str, groups: tuple[str, ...], truth: tuple[int, ...]) -> None:
    assert small_wall(clues, *groups).truth == truth


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(walls(few_clues) | walls())
def test_truth_gives_every_group_its_own_clues(wall: Wall) -> None:
    truth = wall.truth
    assert len(truth) == len(wall.clues)
    for number, group in enumerate(wall.groups):
        labelled = Counter(c for c, label in zip(wall.clues, truth, strict=True) if label == number)
        assert labelled == Counter(group.clues)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(walls(few_clues))
def test_truth_gives_the_earlier_of_equal_clues_to_the_earlier_group(wall: Wall) -> None:
    for clue in set(wall.clues):
        labels = [label for c, label in zip(wall.clues, wall.truth, strict=True) if c == clue]
        assert labels == sorted(labels)


def test_truth_of_a_wall_that_contradicts_itself_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"wall w: clue 'a' occurs more often"):
        _ = small_wall("aabc", "ab", "cd").truth
    with pytest.raises(ValueError, match=r"wall w: its groups hold \['d'\]"):
        _ = small_wall("abc", "ab", "cd").truth


def test_truth_of_a_set_is_one_read_only_array() -> None:
    truth = WallSet("s", (small_wall("acbd", "ab", "cd"), small_wall("dcba", "ab", "cd"))).truth
    assert truth.dtype == np.int64
    np.testing.assert_array_equal(truth, [[0, 1, 0, 1], [1, 1, 0, 0]])
    with pytest.raises(ValueError, match="read-only"):
        truth[0, 0] = 3


def test_truth_of_walls_of_two_sizes_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"\[4, 6\] clues"):
        _ = WallSet("s", (small_wall("abcd", "ab", "cd"), small_wall("abcdef", "abc", "def"))).truth


def test_fingerprint_changes_with_what_bears_on_a_run_and_with_nothing_else() -> None:
    wall = small_wall("acbd", "ab", "cd")
    plain = WallSet("s", (wall,)).fingerprint
    assert len(plain) == 64
    first, second = wall.groups
    same = [
        WallSet("t", (wall,)),
        WallSet("s", (replace(wall, season=4, episode=2),)),
        WallSet("s", (replace(wall, groups=(replace(first, group_id="x", human_grouping=1), second)),)),
    ]
    assert {other.fingerprint for other in same} == {plain}
    others = [
        WallSet("s", (wall, replace(wall, wall_id="v"))),
        WallSet("s", (replace(wall, wall_id="v"),)),
        WallSet("s", (replace(wall, clues=("a", "b", "c", "d")),)),
        WallSet("s", (replace(wall, groups=(second, first)),)),
        WallSet("s", (replace(wall, groups=(replace(first, connection="?"), second)),)),
        WallSet("s", (replace(wall, groups=(replace(first, clues=("b", "a")), second)),)),
    ]
    assert len({plain, *(other.fingerprint for other in others)}) == 1 + len(others)


def test_fingerprint_keeps_neighbouring_texts_apart() -> None:
    one = Wall("w", ("ab", "c"), (Group(("ab", "c"), "x"),))
    two = Wall("w", ("a", "bc"), (Group(("a", "bc"), "x"),))
    assert WallSet("s", (one,)).fingerprint != WallSet("s", (two,)).fingerprint


def test_fingerprint_stays_what_it_was() -> None:
    # A change here makes every record of an earlier version a stranger: do it on purpose only.
    wall = Wall("é1", ("Año", "8.5"), (Group(("Año",), "with ~"), Group(("8.5",), "a number")))
    content = rb'[["\u00e91",["A\u00f1o","8.5"],[["with ~",["A\u00f1o"]],["a number",["8.5"]]]]]'
    assert WallSet("s", (wall,)).fingerprint == sha256(content).hexdigest()


def test_human_performance_counts_known_walls_only() -> None:
    def played(*results: tuple[int | None, int | None]) -> Wall:
        return Wall(
            "w", ("a", "b"), tuple(Group((c,), "x", "", *r) for c, r in zip("ab", results, strict=True))
        )

    known = (played((1, 0), (1, 1)), played((0, 1), (1, 0)), played((0, 0), (0, 0)))
    unknown = (played((None, None), (None, None)), played((1, 1), (None, 1)))
    expected = HumanPerformance(n_walls=3, solved_walls=1, correct_groups=3, correct_connections=2)
    assert WallSet("s", known + unknown).human_performance() == expected
    assert WallSet("s", unknown).human_performance() is None
