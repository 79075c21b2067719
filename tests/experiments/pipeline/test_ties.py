"""Clues that a model cannot tell apart: whatever is made of them, no trace of the file's order is in it.

Files of walls list clues by group, as those here do.
"""

import numpy as np
import pytest

from fourfold.conf.compose import compose_run
from fourfold.embeddings.fused import FusedEncoder
from fourfold.experiments.games.engine_player import play_with_gram
from fourfold.experiments.games.rules import Rules
from fourfold.experiments.pipeline.cluster import cluster, score_in_blocks
from fourfold.experiments.pipeline.features import gram_maker
from fourfold.experiments.pipeline.gram import equal_clues, wall_grams
from fourfold.experiments.pipeline.herrings.measures import measure
from fourfold.experiments.pipeline.orders import wall_orders
from fourfold.experiments.terminal.progress import ProgressBars

TRUTH = np.repeat(np.arange(4), 4)
CHANCE = 16 / 1820  # of the groups of four, four are right and four are made
EQUAL = [
    ("static", "none"),
    ("static", "similarity"),
    ("static", "pca"),
    ("static", "tsne"),
    ("contextual", "none"),
    ("contextual", "pca"),
    ("fused", "none"),
    ("fused", "similarity"),
]


def some_walls(n_walls):
    return [[f"{wall} {place}" for place in range(16)] for wall in range(n_walls)]


def vector(clue, known):
    """Of the ``known`` first clues of each group by its text alone, of all others the same."""
    wall, place = map(int, clue.split())
    if place % 4 >= known:
        return np.full(6, 0.1)
    return np.random.default_rng([wall, place]).normal(size=6)


class Static:
    """Knows a few clues of each group; float32 vectors, equal ones with the noise of a batch."""

    name = "static"

    def __init__(self, known=0):
        self.known = known

    def encode(self, texts, progress=None):
        made = np.array([vector(text, self.known) for text in texts])
        return (made * (1 + 1e-7 * np.random.default_rng(0).normal(size=made.shape))).astype(np.float32)

    def describe(self):
        return {}


class Contextual:
    """The same, a wall at a time."""

    name = "contextual"

    def __init__(self, known=0):
        self.known = known

    def encode_in_context(self, walls, progress=None):
        return np.stack([Static(self.known).encode(clues) for clues in walls])

    def describe(self):
        return {}


ENCODERS = {
    "static": Static,
    "contextual": Contextual,
    "fused": lambda known=0: FusedEncoder((Static(known), Static(known)), (1.0, 2.0)),
}


def config(*words):
    return compose_run(list(words))


def solved(encoder, walls, n_runs, *words):
    """Gram matrices, their orders and the labels of walls, as a run makes them."""
    chosen = config(*words)
    gram = wall_grams(encoder, walls, n_runs, to_gram=gram_maker(chosen.features, ProgressBars(shown=False)))
    orders = wall_orders(walls, gram.shape[1])
    return gram, orders, cluster(chosen.solver, gram, n_runs, orders=orders).labels


def right_groups(labels):
    """How many true groups each row of labels (..., 16) has."""
    rows = labels.reshape(-1, 16)
    return np.array(
        [sum(((row == row[4 * g]) == (g == TRUTH)).all() for g in range(4)) for row in rows], dtype=float
    )


def check_chance(right):
    assert abs(right.mean() - CHANCE) < 3 * max(right.std(), 0.094) / np.sqrt(right.size), right.mean()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "features"), EQUAL)
def test_groups_of_equal_clues_are_right_by_chance(kind, features):
    encoder, words = ENCODERS[kind](), (f"features={features}",)
    _, _, labels = solved(encoder, some_walls(1), 500, *words, "solver.n_init=1")
    right = right_groups(labels)
    check_chance(right)
    assert len({tuple(np.unique(row, return_inverse=True)[1]) for row in labels[0]}) > 450  # a spread
    gram, orders, labels = solved(encoder, some_walls(400), 1, *words, "solver=exact")
    check_chance(right_groups(labels))
    assert equal_clues(gram).all()
    truth = np.tile(TRUTH, (400, 1))
    found = measure(gram, truth, labels, orders)
    assert (found.margin == 1).all()
    np.testing.assert_allclose(found.astray, 12 / 15)
    check_chance(right_groups(found.best))
    nearest = TRUTH[found.neighbours[..., 0]] != TRUTH
    assert abs(nearest.mean() - 12 / 15) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["peer", "faiss"])
def test_other_peoples_k_means_has_no_trace_either(solver):
    pytest.importorskip("k_means_constrained" if solver == "peer" else "faiss")
    _, _, labels = solved(Static(), some_walls(1), 100, f"solver={solver}", "solver.n_init=1")
    assert right_groups(labels).mean() < CHANCE + 3 * 0.094 / np.sqrt(100)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["static", "fused"])
@pytest.mark.parametrize("features", ["none", "similarity", "pca"])
@pytest.mark.parametrize("known", [1, 4])
def test_a_file_in_another_order_has_the_same_exact_groups(kind, features, known):
    walls, rng = some_walls(20), np.random.default_rng(0)
    words = (f"features={features}", "solver=exact")
    gram, _, labels = solved(ENCODERS[kind](known), walls, 1, *words)
    places = np.array([rng.permutation(16) for _ in walls])
    moved = [[wall[place] for place in order] for wall, order in zip(walls, places, strict=True)]
    _, _, others = solved(ENCODERS[kind](known), moved, 1, *words)
    np.testing.assert_array_equal(np.take_along_axis(labels[:, 0], places, axis=1), others[:, 0])
    assert equal_clues(gram).sum() == (240 if known == 1 else 0)


@pytest.mark.slow
@pytest.mark.parametrize("features", ["none", "similarity", "pca"])
@pytest.mark.parametrize("known", [1, 4])
def test_a_file_in_another_order_has_the_same_scores_on_average(features, known):
    walls, rng, n_runs = some_walls(6), np.random.default_rng(1), 400
    words = (f"features={features}", "solver.n_init=2")
    _, _, labels = solved(Static(known), walls, n_runs, *words)
    places = np.array([rng.permutation(16) for _ in walls])
    moved = [[wall[place] for place in order] for wall, order in zip(walls, places, strict=True)]
    _, _, others = solved(Static(known), moved, n_runs, *words)
    scores = [
        score_in_blocks(labels, np.tile(TRUTH, (6, 1))),
        score_in_blocks(others, TRUTH[places]),
    ]
    for metric in ("wd", "ami", "ari", "fms"):
        one, two = (each[metric] for each in scores)
        error = np.hypot(one.std, two.std) / np.sqrt(n_runs)
        assert abs(one.mean - two.mean) < 4 * error + 1e-9, metric


@pytest.mark.slow
def test_an_engine_guesses_equal_clues_by_chance():
    walls = some_walls(500)
    orders = wall_orders(walls)[:, 0]
    games = play_with_gram(np.zeros((500, 16, 16)), np.tile(TRUTH, (500, 1)), Rules(guesses=1), orders)
    right = np.array([float(game.n_groups) for game in games])
    assert abs(right.mean() - 4 / 1820) < 3 * max(right.std(), 0.047) / np.sqrt(500)
