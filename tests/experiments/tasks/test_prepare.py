"""What a run cannot be made of is refused in one line, before anything is loaded or asked."""

import pytest

from fourfold.conf.llm_schema import LanguageModelConfig
from fourfold.errors import UserError
from fourfold.experiments.data.wall import Group, Wall, WallSet
from fourfold.experiments.tasks.prepare import check_walls, make_model


def walls_of(*sizes):
    groups = tuple(Group(tuple(f"{n} {i}" for i in range(size)), "c") for n, size in enumerate(sizes))
    wall = Wall("odd", tuple(clue for group in groups for clue in group.clues), groups)
    return WallSet("some", (wall,))


def test_a_path_that_is_not_a_folder_is_no_model():
    with pytest.raises(UserError, match=r"model.name=\./nothing is not a folder: give a folder"):
        make_model(LanguageModelConfig(name="./nothing"))


@pytest.mark.parametrize("sizes", [(4, 4, 4), (4, 4, 5, 3), (4,) * 5])
def test_walls_of_other_sizes_are_refused(sizes):
    with pytest.raises(UserError) as error:
        check_walls(walls_of(*sizes))
    expected = f"wall odd has groups of {list(sizes)} clues: expected four groups of four"
    assert str(error.value) == expected
    check_walls(walls_of(4, 4, 4, 4))
