"""Reading groups in replies of every form; the replies and their right readings are in replies.yaml."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.experiments.llm.parsing.clues import WallClues, loose, plain
from fourfold.experiments.llm.parsing.groups import padded, read_groups

FILE = yaml.safe_load((Path(__file__).parent / "replies.yaml").read_text(encoding="utf-8"))
WALLS = FILE["walls"]


def clues_of(name):
    """A wall's clues in an order that is not the groups'."""
    flat = [clue for group in WALLS[name] for clue in group]
    return [flat[(5 * place + 2) % 16] for place in range(16)]


def expected(case):
    wall = WALLS[case["wall"]]
    if case["groups"] == "solved":
        return wall
    return [wall[group] if isinstance(group, int) else group for group in case["groups"]]


def test_there_are_enough_replies_each_of_its_own_form():
    forms = [case["form"] for case in FILE["replies"]]
    assert len(forms) >= 60
    assert len(set(forms)) == len(forms)


@pytest.mark.slow
@pytest.mark.parametrize("case", FILE["replies"], ids=[case["form"] for case in FILE["replies"]])
def test_a_reply_has_its_right_reading(case):
    assert read_groups(case["text"], clues_of(case["wall"])) == expected(case)


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)


@st.composite
def solved_walls(draw):
    """Sixteen clues that can be told apart, of one to three words."""
    clue = st.lists(words, min_size=1, max_size=3).map(" ".join)
    found = draw(st.lists(clue, min_size=16, max_size=16, unique_by=(loose, plain)))
    return [found[start : start + 4] for start in range(0, 16, 4)]


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(solved_walls(), st.sampled_from([", ", "; ", " | ", "、", "\t"]), st.permutations(range(16)))
def test_any_wall_written_as_asked_is_read_back(groups, separator, order):
    clues = [clue for group in groups for clue in group]
    text = "\n".join(separator.join(group) for group in groups)
    assert read_groups(text, [clues[place] for place in order]) == groups
    assert read_groups(json.dumps({"groups": groups}), clues) == groups


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300), solved_walls())
def test_no_reply_is_an_error_and_none_has_more_than_four_groups(text, groups):
    clues = [clue for group in groups for clue in group]
    read = read_groups(text, clues)
    assert len(read) <= 4
    assert all(group and all(isinstance(clue, str) and clue for clue in group) for group in read)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "{" * 5000, "<think>" * 2000, "(" * 5000, "Oak, " * 5000, "- \n" * 5000, "| " * 5000]
)
def test_no_reply_takes_for_ever(text):
    import time

    started = time.perf_counter()
    read_groups(text, clues_of("hard"))
    assert time.perf_counter() - started < 5


def test_groups_are_padded_and_cut_as_the_paper_does():
    assert padded([]) == [[""] * 4] * 4
    assert (
        padded([["a", "b", "c", "d", "e"], ["f"]])
        == [["a", "b", "c", "d"], ["f", "", "", ""]] + [[""] * 4] * 2
    )
    assert padded([["a"]] * 5) == [["a", "", "", ""]] * 4


def test_clues_that_differ_in_punctuation_alone_are_told_apart():
    wall = WallClues(["A+", "A-", "C#", "C", "b", "B"])
    assert [wall.find(text) for text in ["A+", "a-", "C#", "c", "(C)", "A", "B."]] == [
        "A+",
        "A-",
        "C#",
        "C",
        "C",
        None,
        "b",
    ]
