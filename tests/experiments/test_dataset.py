"""The walls that a configuration names."""

import pytest

from fourfold.conf.compose import compose_run
from fourfold.experiments.dataset import load_walls


@pytest.mark.parametrize("name", ["ocw", "ocw_randomized", "ocw_wordnet"])
def test_people_s_results_are_of_the_walls_that_they_were_shown(walls_file, name):
    walls = load_walls(compose_run([f"dataset={name}", f"dataset.path={walls_file}"]).dataset)
    assert walls.name == name
    shown = walls.human_performance()
    if name == "ocw_randomized":
        assert shown is None
        assert all(group.human_connection is None for wall in walls.walls for group in wall.groups)
    else:
        assert shown is not None
        assert shown.solved_walls == 2


def test_without_people_the_walls_are_the_same(walls_file):
    walls = load_walls(compose_run(["dataset=ocw", f"dataset.path={walls_file}"]).dataset)
    assert walls.without_people().fingerprint == walls.fingerprint
    assert walls.human_performance() is not None
