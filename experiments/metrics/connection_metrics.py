"""The metrics of the paper's Task 2: how near named connections are to the true ones.

Both sides are lower-cased and stripped. A wall's value is the mean over its groups, a run's the mean over
its walls, times 100 as in the metrics of Task 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ...embeddings.extras import require
from ..terminal.writing import counted
from .bertscore import PACKAGED_MODEL, BertScore


@dataclass(frozen=True, slots=True)
class ConnectionMetric:
    """How a metric of Task 2 is named; all are better when higher, 100 at most."""

    name: str
    title: str
    description: str


CONNECTION_METRICS: Mapping[str, ConnectionMetric] = MappingProxyType(
    {
        each.name: each
        for each in (
            ConnectionMetric(
                "exact_match", "Exact match ↑", "connections that are the true ones, word for word"
            ),
            ConnectionMetric("rouge1", "ROUGE-1 F1 ↑", "words in common with the true connection"),
            ConnectionMetric(
                "bertscore",
                "BERTScore F1 ↑",
                "nearness in meaning, rescaled with the package's baseline; may be below 0",
            ),
            ConnectionMetric(
                "minilm_match",
                "MiniLM match ↑",
                "greedy matching of tokens by the packaged MiniLM's vectors; like no published score",
            ),
        )
    }
)


@dataclass(frozen=True, slots=True)
class ConnectionScores:
    """Values of each metric for each wall and group, (n_walls, n_groups) float64, unscaled."""

    values: Mapping[str, NDArray[np.float64]]

    def summary(self) -> dict[str, float]:
        """A run's value by metric: 100 times the mean of the walls' means."""
        return {name: float(100.0 * each.mean(axis=1).mean()) for name, each in self.values.items()}


def score_connections(
    predicted: Sequence[Sequence[str]], true: Sequence[Sequence[str]], bert: BertScore | None = None
) -> ConnectionScores:
    """Score one run's connections.

    Parameters
    ----------
    predicted, true : (n_walls, n_groups) texts
        The same numbers of both; "" where there is none.
    bert
        What gives BERTScore; without it that metric is left out. Over the packaged model the metric is
        ``minilm_match``, never ``bertscore``.

    Raises
    ------
    ValueError
        If the two sides differ in walls or groups, or there is no wall.

    """
    sizes = {len(wall) for wall in (*predicted, *true)}
    if len(predicted) != len(true) or len(sizes) != 1 or sizes == {0}:
        raise ValueError(
            f"got connections of {counted(len(predicted), 'wall')} and true ones of {len(true)}, of "
            f"{sorted(sizes)} groups; expected one for each group of each wall"
        )
    shape = (len(true), sizes.pop())
    ours = [_plain(text) for wall in predicted for text in wall]
    theirs = [_plain(text) for wall in true for text in wall]
    values = {"exact_match": np.array([a == b for a, b in zip(ours, theirs, strict=True)], dtype=np.float64)}
    values["rouge1"] = np.array(_rouge(ours, theirs))
    if bert is not None:
        values[metric_of(bert)] = np.array(bert.f1(ours, theirs))
    return ConnectionScores(MappingProxyType({name: each.reshape(shape) for name, each in values.items()}))


def metric_of(bert: BertScore) -> str:
    """What the scores of ``bert`` are called."""
    return "minilm_match" if bert.model == PACKAGED_MODEL else "bertscore"


def _rouge(ours: Sequence[str], theirs: Sequence[str]) -> list[float]:
    require("rouge_score")
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1"], use_stemmer=False)
    return [float(scorer.score(b, a)["rouge1"].fmeasure) for a, b in zip(ours, theirs, strict=True)]


def _plain(text: str) -> str:
    return text.lower().strip()
