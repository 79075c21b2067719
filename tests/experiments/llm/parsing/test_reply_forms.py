"""True answers in every form come back as they were written, however awkward the walls."""

import random
from functools import cache

import pytest
from reply_forms import CONNECTION_FORMS, GROUP_FORMS
from shared_data import ocw_2023_05

from fourfold.experiments.data.readers import bundled_walls, read_walls
from fourfold.experiments.data.wall import Group, Wall
from fourfold.experiments.llm.parsing.connections import read_connections
from fourfold.experiments.llm.parsing.groups import read_groups

# Each a connection with an awkward beginning, middle or end.
HARD = [
    [
        (("Cheese", "Apple", "Mac", "Spender"), '"Big ___" songs'),
        (("Ha", "Titter", "Chuckle", "Guffaw"), 'Words for "to laugh"'),
        (("Roi", "King", "Rey", "Re"), '"Old" and "new" kings'),
        (("Jay", "Kay", "Elle", "Em"), '"R"'),
    ],
    [
        (("Bask", "Mask", "Risk", "Pick"), "-k/-que variation"),
        (("Dr", "Mr", "Mrs", "Prof"), "Titles before P.G."),
        (("Sun", "Fun", "Run", "Nun"), "'Allo 'Allo!"),
        (("1", "22", "333", "4,444"), 'Lengths in inches, up to 6"'),
    ],
    [
        (("Victoria", "Alice", "Helena", "Louise"), "Daughters of Queen Victoria"),
        (("R", "C", "Java", "Go"), "The 3 Rs, C and languages (programming)"),
        (("What", "Who", "Why", "How"), "Who asks ___?"),
        (("Gold", "Link", "Theme", "Answer"), "Missing link: ___"),
    ],
    [
        (("Romeo", "Potpan", "Escalus", "Samson"), "Characters from Romeo and Juliet"),
        (("Golf", "Polo", "Rugby", "Cricket"), "(Ball) games"),
        (("Words", "Items", "Members", "Pop"), "Words for group 1 hits"),
        (("Lima", "Juliet", "Tango", "Oscar"), "Phonetic alphabet: F***"),
    ],
]


def walls(forms, form):
    """All hard walls, and every third of the bundled ones: those that the two forms before it do without."""
    made = []
    for number, groups in enumerate(HARD):
        clues = tuple(clue for of_group, _ in groups for clue in of_group)
        made.append(Wall(f"hard{number}", clues, tuple(Group(of_group, name) for of_group, name in groups)))
    return [*made, *bundled()[list(forms).index(form) % 3 :: 3]]


@cache
def bundled():
    return bundled_walls().walls


def lowered(texts):
    return [text.lower().strip() for text in texts]


def read_back(form, wall):
    """The connections that are read, and the true ones, as they are compared."""
    groups = [(group.clues, group.connection) for group in wall.groups]
    reply = CONNECTION_FORMS[form](groups)
    found = read_connections(reply, [clues for clues, _ in groups])
    return lowered(found), lowered(name for _, name in groups)


def grouped_back(form, wall):
    groups = [(group.clues, group.connection) for group in wall.groups]
    clues = list(wall.clues)
    random.Random(1).shuffle(clues)
    return read_groups(GROUP_FORMS[form](groups), clues), [list(group.clues) for group in wall.groups]


def distinct(form, wall):
    """Whether the form can hold the wall: names of a JSON object must differ."""
    return "by connection" not in form or len({group.connection for group in wall.groups}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("form", CONNECTION_FORMS)
def test_every_true_connection_comes_back(form):
    for wall in walls(CONNECTION_FORMS, form):
        found, true = read_back(form, wall)
        assert found == true


@pytest.mark.slow
@pytest.mark.parametrize("form", GROUP_FORMS)
def test_every_true_group_comes_back(form):
    for wall in walls(GROUP_FORMS, form):
        found, true = grouped_back(form, wall)
        assert found == true


@pytest.mark.slow
@pytest.mark.parametrize(
    ("forms", "back", "every"), [(CONNECTION_FORMS, read_back, 1), (GROUP_FORMS, grouped_back, 4)]
)
def test_so_they_do_on_the_walls_of_the_paper_each_in_one_form(forms, back, every):
    for number, wall in enumerate(read_walls(ocw_2023_05()).walls[::every]):
        form = list(forms)[number % len(forms)]
        if distinct(form, wall):
            found, true = back(form, wall)
            assert found == true, form
