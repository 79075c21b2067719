"""What is said of the red herrings of some walls."""

import json

import numpy as np
import pytest

from fourfold.experiments.data.wall import Group, Wall, WallSet
from fourfold.experiments.pipeline.herrings.measures import measure
from fourfold.experiments.pipeline.herrings.report import find_wall, herring_report

GROUPS = [("up", (0.0, 1.0, 2.0, 3.0)), ("out", (10.0, 11.0, 12.0, 13.0)), ("in", (20.0, 21.0, 22.0, 23.0))]
LAST = ("far", (30.0, 31.0, 32.0, 2.5))  # its last clue lies among those of the first group


def wall_of(wall_id, groups, human=(1, 1, 1, 0)):
    made = [
        Group(tuple(f"{name}{place}" for place in range(4)), f"All {name}", human_grouping=found)
        for (name, _), found in zip(groups, human, strict=True)
    ]
    clues = tuple(clue for group in made for clue in group.clues)
    return Wall(wall_id, clues, tuple(made))


def report_of(*walls, human=(1, 1, 1, 0), n_runs=2):
    """Of walls, each a list of groups of points on a line, predicted as they are."""
    made = WallSet("test", tuple(wall_of(f"w{place}", groups, human) for place, groups in enumerate(walls)))
    points = np.array([[point for _, group in groups for point in group] for groups in walls])[
        ..., np.newaxis
    ]
    gram = (points @ points.swapaxes(1, 2))[:, np.newaxis]
    labels = np.repeat(made.truth[:, np.newaxis], n_runs, axis=1)
    return herring_report(made, measure(gram, made.truth, labels))


PLAIN = [*GROUPS, ("far", (30.0, 31.0, 32.0, 33.0))]
MISLED = [*GROUPS, LAST]


def test_walls_come_by_falling_margin():
    report = report_of(PLAIN, MISLED, PLAIN)
    assert [wall.wall_id for wall in report.walls] == ["w1", "w0", "w2"]
    assert report.walls[0].margin > 0
    assert report.walls[1].margin == 0
    assert report.n_best == 2
    assert report.margin == pytest.approx(report.walls[0].margin / 3)
    assert find_wall(report.walls, "w2") is report.walls[2]
    assert find_wall(report.walls, "w9") is None


def test_the_most_misleading_clue_and_what_it_is_near():
    wall = report_of(MISLED).walls[0]
    clue = wall.misleading[0]
    assert (clue.clue, clue.group, clue.drawn_to, clue.astray) == ("far3", 3, 0, True)
    assert set(clue.strangers) == {"up1", "up2", "up3"}
    assert clue.silhouette < -0.9
    assert wall.connections[clue.drawn_to] == "All up"
    assert wall.found == (1, 1, 1, 0)
    assert len(wall.clues) == 16
    assert sorted(clue for group in wall.best for clue in group) == sorted(clue.clue for clue in wall.clues)


def test_shares_are_of_all_clues_and_beside_what_chance_would_do():
    report = report_of(PLAIN, MISLED)
    # In the misled wall far3 is astray, and up2 and up3 are as near to each other as to nothing else: nearer.
    astray = sum(clue.astray for wall in report.walls for clue in wall.clues)
    assert report.astray == astray / 32
    assert report.misplaced == 0
    assert report.astray_by_chance == pytest.approx(12 / 15)
    # Of random groups of four, matched as well as they can be, between 7 and 8 of 16 clues are right.
    assert 0.5 < report.misplaced_by_chance < 0.55


def test_a_correlation_needs_walls_and_differences():
    report = report_of(PLAIN, MISLED)
    assert len(report.correlations) == 4
    assert set(report.correlations.values()) == {None}
    assert report_of(PLAIN, human=(None,) * 4).correlations == {}
    assert report_of(PLAIN, human=(None,) * 4).walls[0].found is None


def test_groups_that_people_miss_where_the_model_is_misled_correlate():
    # People miss the last group of every wall, which alone holds a clue that lies elsewhere.
    report = report_of(*[MISLED] * 12)
    found = report.correlations["mean silhouette of a group"]
    assert found.rho > 0.5
    assert found.n_pairs == 48
    assert report.correlations["margin of a wall"] is None


def test_it_is_all_json():
    report = report_of(PLAIN, MISLED)
    document = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert document["walls"][0]["clues"][15]["clue"] == "far3"
    assert document["walls"][0]["margin"] == report.walls[0].margin


def test_a_best_partition_that_is_not_known_is_none(monkeypatch):
    def refuse(*_, **__):
        raise ValueError("too large")

    monkeypatch.setattr("fourfold.engine.partition.best_partitions", refuse)
    report = report_of(PLAIN, MISLED)
    assert report.margin is None
    assert report.n_best == 0
    assert [wall.best for wall in report.walls] == [(), ()]
    assert [wall.wall_id for wall in report.walls] == ["w0", "w1"]
    json.dumps(report.to_json(), allow_nan=False)


def test_measures_of_other_walls_are_told():
    walls = WallSet("test", (wall_of("w0", PLAIN),) * 2)
    points = np.arange(16.0)[np.newaxis, :, np.newaxis]
    one = measure(
        (points @ points.swapaxes(1, 2))[:, np.newaxis], walls.truth[:1], walls.truth[:1, np.newaxis]
    )
    with pytest.raises(ValueError, match=r"\(1, 16\) for clues of \(2, 16\)"):
        herring_report(walls, one)
