"""A map of problems or tools: clusters of bounded size, each named by its most central members."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...conf.compose import compose_run, model_words
from ...conf.features_schema import TSNEConfig
from ...embeddings.encoder import Encoder
from ...engine import ConstrainedKMeans
from ...errors import UserError
from ..pipeline.encode import cached, make_encoder
from ..pipeline.features import tsne
from ..plots.group_legend import GROUP_COLOURS, GROUP_MARKERS
from ..plots.projection import project as projection
from ..plots.sheet import LEAST_SIZE, new_figure
from ..terminal.progress import Update
from ..terminal.writing import counted
from .near_duplicates import unit_rows
from .tools import sentences

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SLACK = 0.5  # by which share a cluster's size may differ from the mean size, where no bounds are given
_LONGEST = 90  # characters of a problem's short form


@dataclass(frozen=True, slots=True)
class Cluster:
    """Things that belong together, the most central first.

    ``cohesion`` is the mean cosine of its members to their centre.
    """

    members: tuple[int, ...]
    cohesion: float

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.members)


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """The clusters, the largest first, and for each thing the number of its own."""

    clusters: tuple[Cluster, ...]
    labels: NDArray[np.int64]
    size_min: int
    size_max: int


def default_bounds(n_things: int, n_clusters: int) -> tuple[int, int]:
    """From half to one and a half times the mean size, and no cluster empty."""
    mean = n_things / n_clusters
    return max(1, floor((1 - SLACK) * mean)), ceil((1 + SLACK) * mean)


def checked_bounds(
    n_things: int, n_clusters: int, size_min: int | None = None, size_max: int | None = None
) -> tuple[int, int]:
    """The least and greatest size of a cluster; UserError if no clusters of these sizes hold so many."""
    if not 1 <= n_clusters <= n_things:
        things = counted(n_things, "thing")
        raise UserError(f"--clusters {n_clusters} for {things}: expected from 1 to {n_things:,}")
    least, most = default_bounds(n_things, n_clusters)
    low, high = least if size_min is None else size_min, most if size_max is None else size_max
    if low > high or low * n_clusters > n_things or high * n_clusters < n_things:
        raise UserError(
            f"{counted(n_clusters, 'cluster')} of {low} to {high} hold {low * n_clusters:,} to"
            f" {high * n_clusters:,} and not {n_things:,}: change --clusters, --size-min or --size-max"
        )
    return low, high


def make_map(
    vectors: NDArray[np.float32],
    n_clusters: int,
    size_min: int | None = None,
    size_max: int | None = None,
    seed: int = 0,
) -> Map:
    """Cluster rows by their direction, with bounds on the clusters' sizes.

    Parameters
    ----------
    vectors : (n_things, n_features) array
        A row of zeros is as far from every centre.
    n_clusters
        From 1 to n_things.
    size_min, size_max
        Of each cluster; by default half the mean size and one and a half times it.
    seed
        Of the starts.

    Raises
    ------
    UserError
        If no clusters of these sizes can hold so many.

    """
    n_things = len(vectors)
    low, high = checked_bounds(n_things, n_clusters, size_min, size_max)
    rows = unit_rows(vectors)
    fitted = ConstrainedKMeans(n_clusters, low, high, random_state=seed, n_init=4).fit(rows)
    labels = np.asarray(fitted.labels_, np.int64)
    clusters = []
    for number in range(n_clusters):
        members = np.flatnonzero(labels == number)
        if len(members):
            cosines = rows[members] @ unit_rows(rows[members].mean(0, keepdims=True))[0]
            order = np.argsort(-np.round(cosines, 9), kind="stable")
            clusters.append(Cluster(tuple(members[order].tolist()), float(cosines.mean())))
    clusters.sort(key=lambda cluster: (-cluster.size, -cluster.cohesion, cluster.members))
    numbers = np.empty(n_things, np.int64)
    for number, cluster in enumerate(clusters):
        numbers[list(cluster.members)] = number
    return Map(tuple(clusters), numbers, low, high)


def short_form(problem: str) -> str:
    """A problem's first sentence, cut at a word where it is long."""
    first = next(iter(sentences(re.sub(r"^\s*\d+[.)]?\s+", "", problem))), "")
    if len(first) <= _LONGEST:
        return first
    return f"{first[: _LONGEST - 1].rsplit(' ', 1)[0].rstrip(' ,;:')}…"


def central(cluster: Cluster, names: Sequence[str], top: int) -> list[str]:
    """The names of its most central members, each name once."""
    return list(dict.fromkeys(names[member] for member in cluster.members))[:top]


PERPLEXITY = 30.0


def project(vectors: NDArray[np.float32], method: str) -> NDArray[np.float64]:
    """(n_things, 2) places of at least two vectors, by their directions: "tsne" or "pca"."""
    rows = unit_rows(vectors)
    if method == "tsne" and np.ptp(rows, axis=0).max() > 0:
        settings = TSNEConfig(perplexity=min(PERPLEXITY, (len(rows) - 1) / 3))
        places: NDArray[np.float64] = tsne(rows[np.newaxis], settings)[0]
        return places
    return projection(rows, "pca").places


def draw_map(
    made: Map, places: NDArray[np.float64], width: float = 504.0, height: float | None = None
) -> Figure:
    """Draw it; call it inside ``plots.sheet.print_style``. Numbers are those of the table, from 1."""
    figure = new_figure(width, height or 0.8 * width, layout="constrained")
    axes = figure.add_subplot()
    for number, cluster in enumerate(made.clusters):
        points = places[list(cluster.members)]
        colour = GROUP_COLOURS[number % len(GROUP_COLOURS)]
        marker = GROUP_MARKERS[number // len(GROUP_COLOURS) % len(GROUP_MARKERS)]
        axes.scatter(points[:, 0], points[:, 1], s=6, c=colour, marker=marker, alpha=0.6, linewidths=0)
    for number, cluster in enumerate(made.clusters, 1):
        axes.annotate(
            str(number), places[cluster.members[0]], ha="center", va="center", fontsize=LEAST_SIZE,
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "0.4", "lw": 0.4, "alpha": 0.85},
        )  # fmt: skip
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)
    return figure


AT_ONCE = 4096  # texts: what is encoded is kept before the next ones, so that little is lost if it is stopped


def text_encoder(model: str, device: str = "auto", cache: str = "true") -> Encoder:
    """The encoder that a model's choice, hub id or folder names, with the cache before it.

    Raises
    ------
    UserError
        If there is no such model, or it has no vectors of its own.

    """
    config = compose_run([*model_words(model), f"device={device}"]).model
    encoder = cached(make_encoder(config), cache)
    if not isinstance(encoder, Encoder):
        raise UserError(f"--model {model} has no vectors of its own: choose one model, such as minilm")
    return encoder


def encode_texts(encoder: Encoder, texts: Sequence[str], update: Update | None = None) -> NDArray[np.float32]:
    """(n_texts, n_features) vectors, each distinct text encoded once."""
    distinct = list(dict.fromkeys(texts))
    parts = []
    for start in range(0, len(distinct), AT_ONCE):

        def progress(done: int, _: int, start: int = start) -> None:
            if update is not None:
                update(start + done, len(distinct))

        parts.append(encoder.encode(distinct[start : start + AT_ONCE], progress))
    if update is not None:
        update(len(distinct), len(distinct))
    vectors = np.concatenate(parts)
    if len(distinct) == len(texts):
        return vectors
    places = {text: place for place, text in enumerate(distinct)}
    return vectors[[places[text] for text in texts]]
