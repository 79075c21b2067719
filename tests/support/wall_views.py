"""Walls to be drawn, without a model."""

import numpy as np

from fourfold.experiments.data.wall import Group, Wall
from fourfold.experiments.plots.wall_view import WallView

CONNECTIONS = (
    "___ cake",
    "Things that cost $5 or $6",
    "Cafés of Poznań",
    "Characters in works by authors who wrote under the name of a brother, a sister or an unwilling friend",
)
CLUES = (
    ("Fruit", "Layer", "The Curious Incident of the Dog", "Pan"),
    ("$64,000 question", "A pint", "Half $5", "Tea"),
    ("Déjà Vu", "Mjölnir", "Māṃsa", "Žižkov"),
    ("Pan", "Donaudampfschifffahrtsgesellschaft", "Bell", "_private"),
)


def made_wall(clues=CLUES, connections=CONNECTIONS, wall_id="8cde"):
    """A wall whose clues are dealt out: one of each group in turn."""
    groups = tuple(Group(group, name) for group, name in zip(clues, connections, strict=True))
    return Wall(wall_id, tuple(clue for four in zip(*clues, strict=True) for clue in four), groups)


def made_view(wall=None, labels=None, seed=0, spread=1.0, title="A model", **changes):
    """Vectors in four heaps, one a true group; predicted are the true groups but for two clues."""
    wall = made_wall() if wall is None else wall
    # Of a clue that is on the wall twice, the first is in the first group that has it.
    truth = np.array(wall.truth)
    found = truth.copy()
    found[[0, 1]] = found[[1, 0]]
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(4, 20))[truth] + spread * random.normal(size=(16, 20))
    given = {
        "run": 0,
        "title": title,
        "truth": truth,
        "labels": found if labels is None else np.array(labels),
    }
    return WallView(wall=wall, vectors=vectors, **(given | changes))
