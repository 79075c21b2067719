"""What is made of a wall's vectors before clustering, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from letter_walls import LetterEncoder
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics.pairwise import cosine_similarity
from threadpoolctl import threadpool_limits

from fourfold.conf.compose import compose_run
from fourfold.conf.features_schema import FeaturesConfig, PCAConfig, SimilarityConfig, TSNEConfig
from fourfold.embeddings.fused import FusedEncoder, unit_spread
from fourfold.errors import UserError
from fourfold.experiments.pipeline import features as features_module
from fourfold.experiments.pipeline.features import cosine_similarities, gram_maker, principal_gram, tsne
from fourfold.experiments.pipeline.gram import centred_gram, wall_grams
from fourfold.experiments.pipeline.orders import wall_order
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.terminal.progress import ProgressBars

CHOICES = {
    "none": FeaturesConfig(),
    "similarity": SimilarityConfig(),
    "pca": PCAConfig(),
    "tsne": TSNEConfig(),
}


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def sklearns(name, wall):
    """scikit-learn's features of one wall, (n_points, n_features), with the paper's settings."""
    if name == "none":
        return wall
    if name == "similarity":
        return cosine_similarity(wall)
    if name == "pca":
        return PCA(n_components=2, random_state=42).fit_transform(wall)
    with threadpool_limits(1):
        return TSNE(n_components=2, init="pca", perplexity=3, random_state=42).fit_transform(wall)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
def test_gram_matrices_are_those_of_scikit_learns_features(name):
    points = vectors(3, 16, 5)
    found = gram_maker(CHOICES[name], ProgressBars(shown=False))(points)
    for wall, gram in zip(points, found, strict=True):
        expected = centred_gram(sklearns(name, wall))
        np.testing.assert_allclose(gram, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_points=st.integers(2, 16),
    n_features=st.integers(1, 20),
    data=st.data(),
)
def test_any_number_of_principal_components(seed, n_points, n_features, data):
    points = vectors(2, n_points, n_features, seed=seed).astype(np.float64) + 3
    n_components = data.draw(st.integers(1, min(n_points, n_features)))
    found = principal_gram(points, n_components)
    for wall, gram in zip(points, found, strict=True):
        scores = PCA(n_components, svd_solver="full").fit_transform(wall)
        np.testing.assert_allclose(gram, scores @ scores.T, rtol=0, atol=1e-9 * np.abs(gram).max() + 1e-12)


def test_all_principal_components_are_the_vectors():
    points = vectors(2, 6, 4)
    np.testing.assert_allclose(principal_gram(points, 4), centred_gram(points), rtol=0, atol=1e-10)


def test_a_zero_vector_is_similar_to_nothing():
    points = vectors(2, 4, 3)
    points[0, 1] = 0
    found = cosine_similarities(points)
    np.testing.assert_allclose(found[0], cosine_similarity(points[0]), rtol=0, atol=1e-6)
    assert (found[0, 1] == 0).all()
    np.testing.assert_allclose(np.diagonal(found[1]), 1.0, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_a_walls_embedding_is_the_same_alone_and_among_others(at_once, monkeypatch):
    monkeypatch.setattr(features_module, "WALLS_AT_ONCE", at_once)
    points, told = vectors(5, 9, 4), []
    settings_ = TSNEConfig(n_components=1, perplexity=2.5, random_state=7)
    found = tsne(points, settings_, lambda *counts: told.append(counts))
    assert found.shape == (5, 9, 1)
    assert told[-1] == (5, 5)
    for wall, embedded in zip(points, found, strict=True):
        with threadpool_limits(1):
            alone = TSNE(n_components=1, init="pca", perplexity=2.5, random_state=7).fit_transform(wall)
        np.testing.assert_array_equal(embedded, alone)


def test_more_components_than_the_barnes_hut_method_has():
    assert tsne(vectors(1, 9, 6), TSNEConfig(n_components=4, perplexity=2)).shape == (1, 9, 4)


@pytest.mark.parametrize("name", CHOICES)
def test_a_wall_whose_vectors_are_all_equal(name):
    points = np.stack([np.full((16, 5), 0.1, np.float32), vectors(16, 5)])
    found = gram_maker(CHOICES[name], ProgressBars(shown=False))(points)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[0], 0.0, atol=1e-12)
    assert np.abs(found[1]).max() > 0.1


def test_each_part_of_a_fused_model_has_its_features():
    walls = [[f"{letter}{n}" for n in range(1, 5) for letter in "abcd"]]
    part = LetterEncoder()
    found = wall_grams(
        FusedEncoder((part, part), (1.0, 1.0)), walls, 1, to_gram=lambda x: principal_gram(x, 2)
    )
    # Several components have the same variance, and which are first is up to the order.
    order = wall_order(walls[0])
    expected = 2 * unit_spread(principal_gram(part.vectors(walls[0])[np.newaxis, order], 2))
    np.testing.assert_allclose(found[0][:, order][:, :, order], expected, rtol=1e-9, atol=1e-9)


@pytest.fixture
def compose(walls_file, tmp_path):
    def made(*overrides):
        base = ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2"]
        return compose_run([*base, *overrides])

    return made


@pytest.mark.slow
@pytest.mark.parametrize("solver", [[], ["solver=exact", "seeds=1"]])
@pytest.mark.parametrize("name", CHOICES)
def test_a_run_with_features(name, solver, compose, encoder):
    outcome = run(compose(f"features={name}", *solver), ProgressBars(shown=False))
    assert outcome.record.config["features"]["name"] == name
    assert ("features" in outcome.record.timings) == (name == "tsne")
    assert outcome.record.metrics["correct_groups"].mean >= 6


def test_settings_of_the_features_are_another_run(compose, encoder):
    words = [["none"], ["similarity"], ["pca"], ["pca", "features.n_components=3"]]
    names = {
        run(compose(f"features={name}", *more), ProgressBars(shown=False)).folder for name, *more in words
    }
    assert len(names) == 4


def test_features_in_context(compose, contextual):
    for name in ("similarity", "pca"):
        outcome = run(compose("embedding=contextual", f"features={name}"), ProgressBars(shown=False))
        assert outcome.record.n_seeds == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["features=pca", "features.n_components=17"], "n_components=17 is too large for walls of 16 clues"),
        (["features=tsne", "features.n_components=17"], "n_components=17 is too large for walls of 16 clues"),
        (["features=tsne", "features.perplexity=16"], "perplexity=16 is too large for walls of 16 clues"),
    ],
)
def test_features_that_no_wall_has_are_found_before_any_work(words, said, compose, encoder, tmp_path):
    with pytest.raises(UserError, match=said):
        run(compose(*words), ProgressBars(shown=False))
    assert encoder.calls == []
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["pca", "tsne"])
def test_more_components_than_the_model_has_features(name, compose, encoder):
    with pytest.raises(UserError, match="n_components=6 is too large for vectors of 5 features"):
        run(compose(f"features={name}", "features.n_components=6"), ProgressBars(shown=False))
