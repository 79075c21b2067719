"""Singular, plural and other spellings of one tool."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold.experiments.macgyver.tool_names import singular, spellings, tool_key
from fourfold.experiments.macgyver.tool_statistics import count_tools

ONE_AND_MANY = """\
axe axes;bag bags;battery batteries;beanie beanies;box boxes;brush brushes;canvas canvases;cd cds
cookie cookies;dish dishes;foot feet;fuse fuses;glove gloves;hourglass hourglasses;key keys;knife knives
leaf leaves;lens lenses;match matches;mattress mattresses;menu menus;olive olives;pen pens;pickaxe pickaxes
potato potatoes;putty putties;scarf scarves;shelf shelves;shoe shoes;sieve sieves;ski skis;spatula spatulas
tie ties;tooth teeth;toothbrush toothbrushes;torch torches;toy toys;wire wires;wolf wolves;zip-tie zip-ties
"""
STAY = "abacus atlas bus canvas compass floss gas gps grass lens news series tennis thermos"


@pytest.mark.parametrize("pair", ONE_AND_MANY.replace("\n", ";").strip(";").split(";"))
def test_many_are_as_one(pair):
    one, many = pair.split()
    assert singular(many) == one
    assert singular(one) == one


@pytest.mark.parametrize("word", STAY.split())
def test_words_that_end_in_s_stay(word):
    assert singular(word) == word


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("shoe box", "shoeboxes"),
        ("flip-flops", "flip flop"),
        ("bottle of water", "bottles of water"),
        ("box of tissue", "box of tissues"),
        ("scissor", "scissors"),
        ("wine glass", "wine glasses"),
        ("pizza wheel", "pizza wheels"),
    ],
)
def test_spellings_of_one_tool(name, other):
    assert tool_key(name) == tool_key(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("glass", "glasses"),
        ("reading glass", "reading glasses"),
        ("cloth", "clothes"),
        ("glove", "globe"),
        ("water bottle", "bottle of water"),
        ("short", "shorts"),
        ("plastic knife", "knife"),
    ],
)
def test_two_tools_stay_two(name, other):
    assert tool_key(name) != tool_key(other)


def test_a_tool_goes_by_its_most_frequent_name_and_else_by_the_shorter():
    called = spellings({"zip tie": 1, "zip ties": 3, "pens": 2, "pen": 2, "glasses": 1})
    assert called == {
        "zip tie": "zip ties", "zip ties": "zip ties", "pens": "pen", "pen": "pen", "glasses": "glasses",
    }  # fmt: skip


def test_a_tool_counts_once_a_problem():
    texts = {
        1: "You have a pen, a shoe box, a cup, and two pens.",
        2: "You have pens, shoeboxes, and a shoebox.",
    }
    tools = count_tools(texts)
    assert tools.by_problem == {1: ("pens", "shoebox", "cup"), 2: ("pens", "shoebox")}
    assert tools.counts == {"pens": 2, "shoebox": 2, "cup": 1}
    assert tools.n_names == 6
    apart = count_tools(texts, apart=True)
    assert apart.by_problem[1] == ("pen", "shoe box", "cup", "pens")
    assert len(apart.counts) == apart.n_names == 6


@given(st.text(max_size=30))
def test_any_text_has_a_key(text):
    assert isinstance(tool_key(text), str)
