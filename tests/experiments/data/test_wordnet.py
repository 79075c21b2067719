"""Easy walls of synonyms: what they are made of, with a thesaurus of a few words."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wall_documents import ocw_document, ocw_wall, write

from fourfold.errors import UserError
from fourfold.experiments.data.readers import read_walls
from fourfold.experiments.data.wordnet import THINGS, Sense, WallMaker

SOURCE = Path(__file__).parents[3] / "src"
FURNITURE = ["bed", "chair", "desk", "sofa", "stool"]


class Words:
    """A thesaurus of what it is given; furniture has kinds unless it is told otherwise."""

    def __init__(self, senses, kinds=None):
        self.known = senses
        self.things = {"furniture": FURNITURE} if kinds is None else kinds

    def senses(self, word):
        return [Sense(tuple(names), definition) for names, definition in self.known.get(word, [])]

    def kinds(self, thing):
        return Sense((thing,), f"a {thing}"), self.things.get(thing, [])


def five(word):
    """Five names for a word, itself among them."""
    return [word, *(f"{word} {letter}" for letter in "pqrs")]


def made(thesaurus, *walls, seed=42):
    maker = WallMaker(thesaurus, seed)
    return maker(walls or [ocw_wall()]), maker


def by_head(wall):
    """A wall's groups, by what their connections begin with."""
    return {group["gt_connection"].partition(":")[0]: group for group in wall["groups"].values()}


def test_a_wall_of_the_only_four_words_that_have_synonyms():
    words = Words({word: [(five(word), f"what {word} means")] for word in ("a1", "b2", "b3", "d4")})
    (wall,), maker = made(words, ocw_wall("691a"))
    assert wall["wall_id"] == "easy_691a"
    assert (wall["season"], wall["episode"]) == (3, 7)
    assert list(wall["groups"]) == ["group_1", "group_2", "group_3", "group_4"]
    assert [group["group_id"] for group in wall["groups"].values()] == [
        "easy_691a_1", "easy_691a_2", "easy_691a_3", "easy_691a_4"
    ]  # fmt: skip
    assert set(by_head(wall)) == {"a1", "b2", "b3", "d4"}
    for word, group in by_head(wall).items():
        assert group["gt_connection"] == f"{word}: what {word} means"
        assert len(set(group["gt_words"])) == 4
        assert set(group["gt_words"]) < set(five(word))
        assert set(group) == {"group_id", "gt_words", "gt_connection"}  # no one was shown it
    assert Counter(wall["words"]) == Counter(
        clue for group in wall["groups"].values() for clue in group["gt_words"]
    )
    assert wall["gt_connections"] == [group["gt_connection"] for group in wall["groups"].values()]
    assert (maker.n_kinds, maker.n_mixed) == (0, 0)


def test_five_names_are_needed_and_case_tells_none_apart():
    senses = {word: [(five(word), word)] for word in ("a1", "a2", "a3")}
    senses |= {
        "b1": [(five("b1")[:4], "four")],
        "b2": [([*five("b2")[:4], "B2"], "four and one in capitals")],
    }
    (wall,), maker = made(Words(senses))
    assert set(by_head(wall)) == {"a1", "a2", "a3", "Furniture"}
    assert by_head(wall)["Furniture"]["gt_connection"] == "Furniture: a furniture"
    assert set(by_head(wall)["Furniture"]["gt_words"]) < set(FURNITURE)
    assert (maker.n_kinds, maker.n_mixed) == (1, 1)


def test_each_word_gives_one_group_before_any_gives_two():
    senses = {
        word: [(five(word), word), (five(f"{word}x"), f"{word} too")] for word in ("a1", "b1", "c1", "d1")
    }
    assert set(by_head(made(Words(senses))[0][0])) == {"a1", "b1", "c1", "d1"}
    del senses["d1"]
    (wall,), maker = made(Words(senses))
    assert set(by_head(wall)) == {"a1", "b1", "c1"}  # one of them twice
    assert maker.n_kinds == 0


def test_the_words_of_a_clue_come_after_the_clues():
    wall = ocw_wall()
    wall["words"][0] = "elastic band of it"
    senses = {word: [(five(word), word)] for word in ("band", "elastic", "of", "it", wall["words"][1])}
    (found,), _ = made(Words(senses), wall)
    assert set(by_head(found)) == {
        "band",
        "elastic",
        wall["words"][1],
        "Furniture",
    }  # two letters are too few


def test_no_two_groups_have_a_name_in_common_even_one_that_is_not_shown():
    shared = ["Same", "SAME"]
    senses = {f"{letter}1": [([*five(f"{letter}1"), shared[letter > "b"]], letter)] for letter in "abcd"}
    for seed in range(20):
        (wall,), maker = made(
            Words(senses, {thing: [f"{thing}{n}" for n in range(4)] for thing in THINGS}), seed=seed
        )
        assert maker.n_kinds == 3
        assert len(set(by_head(wall)) & {"a1", "b1", "c1", "d1"}) == 1


def test_kinds_that_a_group_holds_already_are_left_out():
    senses = {word: [(five(word), word)] for word in ("a1", "b1")} | {"c1": [([*five("c1"), "Bed"], "c")]}
    kinds = {"furniture": FURNITURE, "bird": ["wren", "tit", "rook", "crow"]}
    (wall,), _ = made(Words(senses, kinds))
    assert set(by_head(wall)) == {"a1", "b1", "c1", "Bird"}


@pytest.mark.parametrize(
    "definition", ["(ethnic slur) x", "obscene terms for x", "offensive term for x", "offensive name for x"]
)
def test_what_no_one_wants_to_read_is_left_out(definition):
    senses = {word: [(five(word), word)] for word in ("a1", "a2", "a3")} | {"a4": [(five("a4"), definition)]}
    assert set(by_head(made(Words(senses))[0][0])) == {"a1", "a2", "a3", "Furniture"}


def test_a_thesaurus_that_holds_too_little_is_an_error():
    with pytest.raises(
        UserError, match=r"^wall w1: got 1 group, expected 4: this WordNet has too few"
    ) as caught:
        made(Words({}))
    assert "\n" not in str(caught.value)


def test_a_wall_is_the_same_alone_and_among_others_and_another_with_another_seed():
    words = Words({f"{letter}{n}": [(five(f"{letter}{n}"), "x")] for letter in "abcd" for n in range(1, 5)})
    walls = [ocw_wall(f"w{number}") for number in range(4)]
    together, _ = made(words, *walls)
    assert [made(words, wall)[0][0] for wall in walls] == together
    assert len({tuple(wall["words"]) for wall in together}) == 4
    assert made(words, *walls, seed=7)[0] != together


@pytest.mark.slow
def test_hash_seeds_change_nothing():
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_wordnet import Words, five, made\n"
        "print(made(Words({w: [(five(w), w)] for w in ('a1', 'b1', 'c1')}))[0])"
    )
    folders = [str(SOURCE), str(Path(__file__).parent), str(Path(__file__).parents[2] / "support")]
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, *folders],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert runs[0] == runs[1] != b""


@settings(deadline=None, max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from([f"{letter}{n}" for letter in "abcd" for n in range(1, 5)]),
        st.lists(
            st.tuples(st.lists(st.sampled_from("abcdefghijABCDEFGHIJ"), max_size=7), st.just("x")), max_size=2
        ),
    ),
    st.integers(0, 2**40),
)
def test_every_wall_is_valid(tmp_path_factory, senses, seed):
    walls, _ = made(Words(senses, {thing: [f"{thing}{n}" for n in range(5)] for thing in THINGS}), seed=seed)
    path = write(tmp_path_factory.mktemp("easy") / "easy.json", ocw_document(*walls))
    (wall,) = read_walls(path).walls
    assert len({clue.casefold() for clue in wall.clues}) == 16
