"""What a run makes of each wall's vectors before it clusters them.

Similarities and principal components are made of many walls at once; t-SNE is scikit-learn's, a wall at a
time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...conf.features_schema import FeaturesConfig, PCAConfig, SimilarityConfig, TSNEConfig
from ...errors import UserError
from ..terminal.progress import ProgressBars, Update
from .gram import Gram, centred_gram

WALLS_AT_ONCE = 8  # of t-SNE, in one task of a process
_BARNES_HUT = 3  # the most components that this way of computing the forces can have


def check_features(features: FeaturesConfig, n_points: int) -> None:
    """Raise UserError unless walls of ``n_points`` clues can have these features."""
    if isinstance(features, PCAConfig | TSNEConfig) and features.n_components > n_points:
        raise UserError(
            f"features.n_components={features.n_components} is too large for walls of {n_points} clues:"
            f" expected at most {n_points}"
        )
    if isinstance(features, TSNEConfig) and features.perplexity >= n_points:
        raise UserError(
            f"features.perplexity={features.perplexity:g} is too large for walls of {n_points} clues:"
            f" expected less than {n_points}"
        )


def gram_maker(features: FeaturesConfig, bars: ProgressBars) -> Callable[[NDArray[Any]], Gram]:
    """What makes a centred Gram matrix a wall of vectors (n_walls, n_points, n_features)."""
    if isinstance(features, SimilarityConfig):
        return lambda points: centred_gram(cosine_similarities(points))
    if isinstance(features, PCAConfig):
        return lambda points: principal_gram(points, features.n_components)
    if isinstance(features, TSNEConfig):

        def embedded_gram(points: NDArray[Any]) -> Gram:
            with bars.step("features", "t-SNE") as update:
                return centred_gram(tsne(points, features, update))

        return embedded_gram
    return centred_gram


def cosine_similarities(points: NDArray[Any]) -> NDArray[np.float64]:
    """The cosine of every pair of vectors, (n_walls, n_points, n_points); 0 where one of the two is zero."""
    vectors = points.astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    cosines: NDArray[np.float64] = np.matmul(vectors, vectors.swapaxes(-1, -2))
    return cosines


def principal_gram(points: NDArray[Any], n_components: int) -> Gram:
    """The Gram matrices of the walls' first principal components.

    Of a centred Gram matrix with eigenvectors v and eigenvalues w, rising, the components are the columns
    sqrt(w) v, the last ones first: their Gram matrix is the part of the matrix that these make up.

    Raises
    ------
    UserError
        If the vectors have fewer features than that.

    """
    if n_components > points.shape[-1]:
        raise UserError(
            f"features.n_components={n_components} is too large for vectors of {points.shape[-1]} features"
        )
    values, vectors = np.linalg.eigh(centred_gram(points))
    leading = vectors[..., -n_components:]
    scaled = leading * np.maximum(values[..., np.newaxis, -n_components:], 0.0)
    gram: Gram = np.matmul(scaled, leading.swapaxes(-1, -2))
    return gram


def tsne(points: NDArray[Any], features: TSNEConfig, update: Update | None = None) -> NDArray[np.float64]:
    """The t-SNE embedding of each wall, (n_walls, n_points, n_components), on all processors.

    A wall's embedding is the same alone and among others. Where all its vectors are equal, it is 0.
    """
    from joblib import Parallel, delayed

    from ...engine.device import resolve_n_threads

    if features.n_components > points.shape[-1]:
        raise UserError(
            f"features.n_components={features.n_components} is too large for vectors of"
            f" {points.shape[-1]} features"
        )
    starts = range(0, len(points), WALLS_AT_ONCE)
    parts = Parallel(n_jobs=max(1, min(resolve_n_threads(None), len(starts))), return_as="generator")(
        delayed(_tsne_of_some)(points[start : start + WALLS_AT_ONCE], features) for start in starts
    )
    maps = np.empty((*points.shape[:-1], features.n_components))
    for start, part in zip(starts, parts, strict=True):
        maps[start : start + WALLS_AT_ONCE] = part
        if update is not None:
            update(start + len(part), len(points))
    return maps


def _tsne_of_some(points: NDArray[Any], features: TSNEConfig) -> NDArray[np.float64]:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    maps = np.zeros((*points.shape[:-1], features.n_components))
    with threadpool_limits(1):  # threads cost a wall of 16 points far more than they save
        for wall, vectors in enumerate(points):
            if np.ptp(vectors, axis=0).max() == 0:
                continue
            method = "barnes_hut" if features.n_components <= _BARNES_HUT else "exact"
            maps[wall] = TSNE(
                n_components=features.n_components,
                init="pca",
                perplexity=features.perplexity,
                random_state=features.random_state,
                method=method,
            ).fit_transform(vectors)
    return maps
