"""A wall's vectors as places on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...conf.features_schema import TSNEConfig
from ..pipeline.features import tsne

METHODS = ("tsne", "pca", "kernel_pca")


@dataclass(frozen=True, slots=True)
class Projection:
    """Places (n_points, 2) in no unit, and what is to be said of how they came about."""

    places: NDArray[np.float64]
    note: str


def project(vectors: NDArray[Any], method: str = "tsne") -> Projection:
    """Two dimensions of the vectors (n_points, n_features).

    ``tsne`` is t-SNE, begun from the principal components, turned so that it is widest from left to right;
    ``pca`` are the first two principal components; ``kernel_pca`` those of the cosine kernel. Where all
    vectors are equal, all places are.
    """
    points = np.asarray(vectors, np.float64)
    if np.ptp(points, axis=0).max() == 0:
        return Projection(np.zeros((len(points), 2)), "all vectors are equal")
    if method == "tsne":
        settings = TSNEConfig(perplexity=min(TSNEConfig.perplexity, (len(points) - 1) / 3))
        if points.shape[1] == 1:
            points = np.column_stack([points, np.zeros(len(points))])
        return Projection(
            _turned(tsne(points[np.newaxis], settings)[0]), f"t-SNE, perplexity {settings.perplexity:g}"
        )
    if method == "pca":
        places, share = _components(points - points.mean(axis=0))
        return Projection(places, f"principal components: {share[0]:.0%} and {share[1]:.0%} of the variance")
    if method == "kernel_pca":
        from sklearn.decomposition import KernelPCA

        found = KernelPCA(n_components=2, kernel="cosine", eigen_solver="dense").fit_transform(points)
        places = np.zeros((len(points), 2))
        places[:, : found.shape[1]] = found
        return Projection(places, "kernel PCA, cosine kernel")
    raise ValueError(f"got the method {method!r}, expected one of {', '.join(METHODS)}")


def _components(centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The first two principal components and the shares of the variance; signs by the largest weight."""
    left, scale, right = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    places, share = np.zeros((len(centred), 2)), np.zeros(2)
    n_found = min(2, len(scale))
    places[:, :n_found] = (left * scale * signs)[:, :n_found]
    share[:n_found] = (scale**2 / (scale**2).sum())[:n_found]
    return places, share


def _turned(places: NDArray[np.float64]) -> NDArray[np.float64]:
    return _components(places - places.mean(axis=0))[0]


def fit_to_page(
    places: NDArray[np.float64], width: float, height: float, margins: tuple[float, float], apart: float
) -> NDArray[np.float64]:
    """The places in points on a page of that size, one scale for both directions, in its middle.

    Parameters
    ----------
    places
        (n_points, 2), in any unit.
    width, height
        Of the page.
    margins
        What stays free at the left and right, and at the bottom and top.
    apart
        Places nearer to each other than this are moved apart, as little as can be, so that no marker hides
        another: one clue may be on a wall twice.

    """
    size = np.array([width, height])
    free = size - 2 * np.array(margins)
    spans = np.ptp(places, axis=0)
    ratios = np.divide(free, spans, out=np.full(2, np.inf), where=spans > 0)
    scale = ratios.min() if np.isfinite(ratios.min()) else 1.0
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    return _spread((places - middle) * scale + size / 2, apart)


def _spread(places: NDArray[np.float64], apart: float) -> NDArray[np.float64]:
    places = places.copy()
    for _ in range(200):
        moved = False
        for i in range(len(places)):
            for j in range(i + 1, len(places)):
                gap = places[j] - places[i]
                distance = float(np.hypot(*gap))
                if distance >= apart - 1e-6:
                    continue
                angle = 2.4 * i + j  # of places that are the same; any that differs from pair to pair
                way = gap / distance if distance > 1e-9 else np.array([np.cos(angle), np.sin(angle)])
                step = way * (apart - distance) / 2
                places[i] -= step
                places[j] += step
                moved = True
        if not moved:
            break
    return places
