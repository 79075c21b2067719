"""Walls made of the groups of four walls: against draws worked out by hand and a slow oracle."""

import copy
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_randomized import naive_randomized
from shared_data import ocw_2023_05
from wall_documents import ocw_wall

from fourfold.errors import UserError
from fourfold.experiments.data.randomized import randomize
from fourfold.experiments.terminal.writing import counted


def some_walls(n_walls):
    """Walls w1, w2 and so on, whose clues are w1a1 to w1d4 and so on: groups a to d are 1 to 4."""
    return [ocw_wall(f"w{number}", prefix=f"w{number}") for number in range(1, n_walls + 1)]


def sources(wall):
    """Where the wall's four groups come from: the ids of groups that are named after their walls."""
    return [group["group_id"] for group in wall["groups"].values()]


def test_four_walls_by_hand():
    # random.Random(1), drawing a wall of those that are left (in the order of ids), then a group of 2 to 4:
    # w1: w2 group 4, w3 group 3, w4 group 3; then shuffle, which moves these places to the front:
    # 2 5 13 9 8 4 11 12 0 15 1 3 6 10 7 14.
    # w2: w4 group 2, w3 group 2, w1 group 2.
    # w3: w4 group 2 is used, w2 group 3; w1 group 3; of w4 alone: 2 is used, 2 is used, 4.
    # w4: w2 group 4 is used, w1 group 3 is used, w3 group 4; w2 group 2; w1 group 4.
    made = randomize(some_walls(4), 1)
    assert [sources(wall) for wall in made] == [
        ["w1_01", "w2_04", "w3_03", "w4_03"],
        ["w2_01", "w4_02", "w3_02", "w1_02"],
        ["w3_01", "w2_03", "w1_03", "w4_04"],
        ["w4_01", "w3_04", "w2_02", "w1_04"],
    ]
    # By place: 0 to 3 are w1a1 to w1a4, 4 to 7 w2d1 to w2d4, 8 to 11 w3c1 to w3c4, 12 to 15 w4c1 to w4c4.
    assert made[0]["words"] == [
        "w1a3", "w2d2", "w4c2", "w3c2", "w3c1", "w2d1", "w3c4", "w4c1",
        "w1a1", "w4c4", "w1a2", "w1a4", "w2d3", "w3c3", "w2d4", "w4c3",
    ]  # fmt: skip
    assert made[0]["gt_connections"] == ["All a", "All d", "All c", "All c"]
    # ocw_wall's connections were found in the groups of odd number.
    assert made[0]["overall_human_performance"] == {"grouping": [1] * 4, "connections": [1, 0, 1, 1]}
    assert [wall["wall_id"] for wall in made] == ["w1", "w2", "w3", "w4"]


def test_a_group_that_shares_a_clue_by_hand():
    # As above, but w2's group 4 holds a clue of w1's group 1. random.Random(1) goes on otherwise:
    # w1: w2 group 4 shares a clue; w2 group 3, w3 group 3, w4 group 3.
    # w2: w3 group 2, w1 group 2; of w4 alone: 3 is used, 3 is used, 4.
    # w3: w1 group 4, w4 group 2, w2 group 4, which shares no clue with these.
    # w4: w2 group 4 is used, w1 group 3; w3 group 2 is used, w3 group 4; w2 group 2.
    walls = some_walls(4)
    walls[1]["groups"]["group_4"]["gt_words"][1] = "w1a1"
    made = randomize(walls, 1)
    assert [sources(wall) for wall in made] == [
        ["w1_01", "w2_03", "w3_03", "w4_03"],
        ["w2_01", "w3_02", "w1_02", "w4_04"],
        ["w3_01", "w1_04", "w4_02", "w2_04"],
        ["w4_01", "w1_03", "w3_04", "w2_02"],
    ]
    # The places after w1's shuffle: 8 11 4 14 2 13 5 10 9 6 0 7 1 3 15 12.
    assert made[0]["words"][:4] == ["w3c1", "w3c4", "w2c1", "w4c3"]
    # A clue in another spelling is another clue, as in the paper's script.
    walls[1]["groups"]["group_4"]["gt_words"][1] = "W1A1"
    assert sources(randomize(walls, 1)[0]) == ["w1_01", "w2_04", "w3_03", "w4_03"]


def test_a_group_of_one_clue_twice_is_drawn_as_any_other():
    walls = some_walls(6)
    for number in (2, 3, 4):
        walls[1]["groups"][f"group_{number}"]["gt_words"] = ["Bask", "Bask", f"x{number}", "y"]
    made = [randomize(walls, seed) for seed in range(1, 40) if naive_randomized(walls, seed)]
    assert any(wall["words"].count("Bask") == 2 for walls in made for wall in walls)
    assert all(wall["words"].count("Bask") in (0, 2) for walls in made for wall in walls)


def test_groups_without_an_id_are_told_apart_by_their_place():
    bare = some_walls(5)
    for wall in bare:
        for group in wall["groups"].values():
            del group["group_id"], group["human_performance"]
        del wall["overall_human_performance"], wall["gt_connections"]
    seed = next(seed for seed in range(100) if naive_randomized(some_walls(5), seed))
    assert [wall["words"] for wall in randomize(bare, seed)] == [
        wall["words"] for wall in randomize(some_walls(5), seed)
    ]
    assert "overall_human_performance" not in randomize(bare, seed)[0]


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.integers(4, 9), st.integers(0, 2**40), st.lists(st.tuples(*[st.integers(0, 8)] * 2), max_size=4))
def test_any_walls_as_the_oracle(n_walls, seed, shared):
    walls = some_walls(n_walls)
    for number, (first, second) in enumerate(shared):  # some clues that two walls have
        for wall in {first % n_walls, second % n_walls}:
            walls[wall]["groups"][f"group_{number % 4 + 1}"]["gt_words"][0] = f"both {number}"
    before = copy.deepcopy(walls)
    expected = naive_randomized(walls, seed)
    if expected is None:
        with pytest.raises(UserError, match=rf"group_[234]: got no group to draw.*another seed than {seed}"):
            randomize(walls, seed)
        return
    made = randomize(walls, seed)
    assert walls == before  # what was given is left alone
    assert made == expected
    used = [each for wall in made for each in sources(wall)]
    assert len(used) == len(set(used)) == 4 * n_walls
    for wall, old in zip(made, before, strict=True):
        assert wall["groups"]["group_1"] == old["groups"]["group_1"]
        assert len({each[: each.index("_")] for each in sources(wall)}) == 4  # of four walls
        groups = [group["gt_words"] for group in wall["groups"].values()]
        assert Counter(wall["words"]) == Counter(clue for group in groups for clue in group)
        assert len({clue for group in groups for clue in group}) == sum(len(set(group)) for group in groups)


@pytest.mark.parametrize("n_walls", [1, 2, 3])
def test_fewer_than_four_walls_are_too_few(n_walls):
    with pytest.raises(UserError, match=f"got {counted(n_walls, 'wall')}, expected at least 4"):
        randomize(some_walls(n_walls), 42)


def test_walls_that_share_a_clue_everywhere_cannot_be_randomized():
    walls = some_walls(8)
    for wall in walls:
        for group in wall["groups"].values():
            group["gt_words"][0] = "same"
    with pytest.raises(UserError, match=r"^wall w1, group_2: got no group to draw .* 8 walls") as caught:
        randomize(walls, 42)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_real_walls_as_the_oracle():
    walls = json.loads(ocw_2023_05().read_text(encoding="utf-8"))["dataset"]
    assert randomize(walls, 42) == naive_randomized(walls, 42, patience=100_000)
