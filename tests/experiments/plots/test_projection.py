"""Vectors as places on a page."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from fourfold.experiments.plots.projection import METHODS, fit_to_page, project


@pytest.fixture
def vectors():
    random = np.random.default_rng(1)
    return 5 * random.normal(size=(4, 30))[np.arange(16) % 4] + random.normal(size=(16, 30))


@pytest.mark.parametrize("method", METHODS)
def test_clues_of_one_heap_lie_together(vectors, method):
    places = project(vectors, method).places
    heaps = places.reshape(4, 4, 2)  # row i holds one of each
    within = np.linalg.norm(heaps - heaps.mean(axis=0), axis=-1).mean()
    between = np.linalg.norm(heaps.mean(axis=0) - places.mean(axis=0), axis=-1).mean()
    assert places.shape == (16, 2)
    assert within < 0.5 * between


@pytest.mark.parametrize("method", METHODS)
def test_the_same_vectors_have_the_same_places(vectors, method):
    assert np.array_equal(project(vectors, method).places, project(vectors.copy(), method).places)


def test_principal_components_are_scikit_learns(vectors):
    found = project(vectors, "pca")
    peer = PCA(2).fit(vectors)
    assert np.abs(found.places) == pytest.approx(np.abs(peer.transform(vectors)), abs=1e-9)
    first, second = (f"{share:.0%}" for share in peer.explained_variance_ratio_)
    assert found.note == f"principal components: {first} and {second} of the variance"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_few_features_are_enough(vectors, method, n_features):
    places = project(vectors[:, :n_features], method).places
    assert places.shape == (16, 2)
    assert np.isfinite(places).all()


@pytest.mark.parametrize("method", METHODS)
def test_equal_and_zero_vectors_have_a_place(method, vectors):
    assert project(np.ones((16, 5)), method).places.tolist() == [[0, 0]] * 16
    vectors[:5] = 0
    assert np.isfinite(project(vectors, method).places).all()


def test_an_unknown_method_is_an_error(vectors):
    with pytest.raises(ValueError, match="got the method 'umap', expected one of tsne"):
        project(vectors, "umap")


def test_places_fill_the_page_with_one_scale():
    places = np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 0.5]])
    fitted = fit_to_page(places, 300, 200, (30, 20), apart=5)
    assert fitted.tolist() == [[30, 70], [270, 130], [150, 100]]


def test_markers_that_would_hide_each_other_are_moved_apart():
    places = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [9.0, 9.0]])
    fitted = fit_to_page(places, 200, 200, (20, 20), apart=7)
    gaps = np.linalg.norm(fitted[:, np.newaxis] - fitted, axis=-1)[np.triu_indices(4, 1)]
    assert gaps.min() >= 7 - 1e-3
    assert np.abs(fitted[:3] - 20).max() < 12


def test_equal_places_are_in_the_middle():
    fitted = fit_to_page(np.zeros((16, 2)), 200, 100, (20, 20), apart=7)
    assert fitted.mean(axis=0) == pytest.approx([100, 50])
    gaps = np.linalg.norm(fitted[:, np.newaxis] - fitted, axis=-1)[np.triu_indices(16, 1)]
    assert gaps.min() >= 7 - 0.05
