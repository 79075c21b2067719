"""What of a wall is shown: its vectors are those that the run clustered."""

import numpy as np
import pytest
from letter_walls import DigitEncoder, LetterEncoder, WallReader
from wall_views import made_view, made_wall

from fourfold.conf.features_schema import FeaturesConfig, PCAConfig, SimilarityConfig, TSNEConfig
from fourfold.embeddings.fused import FusedEncoder
from fourfold.errors import ItemError, UserError
from fourfold.experiments.data.wall import WallSet
from fourfold.experiments.pipeline.features import gram_maker
from fourfold.experiments.pipeline.gram import centred_gram, wall_grams
from fourfold.experiments.plots.wall_view import check_run, find_wall, wall_vectors
from fourfold.experiments.terminal.progress import ProgressBars

LETTERS = tuple(tuple(f"{letter}{digit}" for digit in range(1, 5)) for letter in "abcd")
TWICE = (("a1", "a2", "a3", "b1"), ("b1", "b2", "b3", "b4"), *LETTERS[2:])


@pytest.fixture
def bars():
    return ProgressBars(shown=False)


@pytest.mark.slow
@pytest.mark.parametrize("clues", [LETTERS, TWICE], ids=["distinct", "one twice"])
@pytest.mark.parametrize(
    "features",
    [FeaturesConfig(), SimilarityConfig("similarity"), PCAConfig("pca", 3), TSNEConfig("tsne", 2)],
    ids=lambda features: features.name,
)
@pytest.mark.parametrize(
    "encoder",
    [
        LetterEncoder(),
        WallReader(),
        FusedEncoder((LetterEncoder(), DigitEncoder()), (1.0, 3.0)),
        FusedEncoder((WallReader(), DigitEncoder()), (2.0, 1.0)),
    ],
    ids=["static", "contextual", "fused", "fused in context"],
)
def test_inner_products_are_the_runs(encoder, features, clues, bars):
    wall = made_wall(clues)
    grams = wall_grams(encoder, [wall.clues], 4, to_gram=gram_maker(features, bars))[0]
    for run in (0, 3):
        vectors = wall_vectors(encoder, features, wall, run, bars)
        expected = grams[run if len(grams) > 1 else 0]
        assert centred_gram(vectors) == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())


def test_only_the_walls_clues_are_encoded(bars):
    encoder = LetterEncoder()
    wall_vectors(encoder, FeaturesConfig(), made_wall(TWICE), 0, bars)
    assert [sorted(call) for call in encoder.calls] == [sorted({clue for four in TWICE for clue in four})]


def test_an_encoder_that_goes_on_from_wall_to_wall_is_refused(bars):
    encoder = WallReader()
    encoder.carry_state = True
    with pytest.raises(UserError, match=r"model.carry_state=true .* one wall cannot be drawn by itself"):
        wall_vectors(encoder, FeaturesConfig(), made_wall(LETTERS), 0, bars)


def test_a_wall_that_the_model_cannot_read_is_named(bars):
    class Refusing(WallReader):
        def encode_in_context(self, walls, progress=None):
            raise ItemError(0, "it is too long")

    with pytest.raises(UserError, match=r"^wall 8cde: it is too long$"):
        wall_vectors(Refusing(), FeaturesConfig(), made_wall(LETTERS), 0, bars)


def test_correct_groups_are_counted():
    truth = np.array(made_wall().truth)
    assert made_view().n_correct == 2
    assert made_view(labels=(truth + 1) % 4).n_correct == 4
    assert made_view(labels=np.arange(16) // 4).n_correct == 0
    assert made_view(labels=np.where(truth < 2, truth, 2)).n_correct == 2


def test_an_unknown_wall_has_near_ones_named():
    walls = WallSet(
        "ocw", tuple(made_wall(wall_id=name) for name in ("8cde", "7ed3", "d5e6", "4c22", "2d8f"))
    )
    assert find_wall(walls, "d5e6") == 2
    for wrong, hint in (
        ("8CDE", r"did you mean 8cde\?"),
        ("8cdf", r"did you mean 8cde( or \w+)*\?"),
        ("zzzzzz", r"choose among its 5: 8cde, 7ed3, d5e6, 4c22, ..."),
    ):
        with pytest.raises(UserError, match=f"the data set ocw has no wall {wrong}: {hint}"):
            find_wall(walls, wrong)


def test_a_run_that_is_not_there_is_refused(tmp_path):
    check_run(tmp_path, 15, 16)
    with pytest.raises(UserError, match=r"--run 16 is not in the record .*: it has runs 0 to 15"):
        check_run(tmp_path, 16, 16)
    with pytest.raises(UserError, match=r"--run 1 is not in the record .*: it has run 0 alone"):
        check_run(tmp_path, 1, 1)
