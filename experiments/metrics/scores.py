"""What is measured and the values: the declared metrics and the ``Scores`` that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is named, read and summed up."""

    name: str
    title: str  # for the head of a table's column
    better: Literal["lower", "higher"]
    total: bool  # a run's value is the sum over walls; otherwise 100 times their mean
    unit: str  # of a run's value
    description: str


# In the order of the paper's tables; what the paper does not have comes last.
_DECLARED = (
    Metric(
        "wd",
        "WD ↓",
        "lower",
        False,
        "percent",
        "Wasserstein distance of the paper, 0 to 100; depends on the order of the predicted groups",
    ),
    Metric("fms", "FMS ↑", "higher", False, "percent", "Fowlkes-Mallows score, 0 to 100"),
    Metric("ari", "ARI ↑", "higher", False, "percent", "adjusted Rand index, at most 100, about 0 by chance"),
    Metric(
        "ami",
        "AMI ↑",
        "higher",
        False,
        "percent",
        "adjusted mutual information, at most 100, about 0 by chance",
    ),
    Metric("solved_walls", "Solved walls ↑", "higher", True, "walls", "walls with every group right"),
    Metric("correct_groups", "Correct groups ↑", "higher", True, "groups", "groups predicted exactly"),
    Metric(
        "wd_matched",
        "WD matched ↓",
        "lower",
        False,
        "percent",
        "Wasserstein distance under the best matching of predicted to true groups, 0 to 100; "
        "does not depend on the order of the predicted groups",
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _DECLARED})
"""The metrics by name, in the order of the paper's tables."""


def chosen_metrics(names: Iterable[str] | None) -> tuple[str, ...]:
    """The chosen names in the declared order, all of them for ``None``; ValueError for an unknown one."""
    if names is None:
        return tuple(METRICS)
    wanted = set(names)
    unknown = sorted(wanted - set(METRICS))
    if unknown or not wanted:
        got = ", ".join(unknown) or "no metric"
        raise ValueError(f"got {got}, expected metrics among {', '.join(METRICS)}")
    return tuple(name for name in METRICS if name in wanted)


@dataclass(frozen=True, slots=True)
class Scores:
    """Values of each metric for each wall and seed.

    ``values[name]`` is (n_walls, n_seeds) float64, unscaled: 0 to 1 for the distances and scores (ARI and
    AMI may be below 0), 0 or 1 for ``solved_walls``, a count for ``correct_groups``. ``scores[name]`` is
    the same. The names are those that were asked for, in the order of ``METRICS``.
    """

    values: Mapping[str, FloatArray]

    def __getitem__(self, name: str) -> FloatArray:
        return self.values[name]

    @property
    def n_walls(self) -> int:
        return int(next(iter(self.values.values())).shape[0])

    @property
    def n_seeds(self) -> int:
        return int(next(iter(self.values.values())).shape[1])

    def per_seed(self) -> dict[str, FloatArray]:
        """Each run's value, (n_seeds,) by metric, as the paper's tables print it.

        ``solved_walls`` and ``correct_groups`` are sums over the walls, the others 100 times the mean.
        """
        return {
            name: values.sum(axis=0) if METRICS[name].total else 100.0 * values.mean(axis=0)
            for name, values in self.values.items()
        }

    def summary(self) -> dict[str, tuple[float, float]]:
        """Mean and population standard deviation over the runs, by metric, in ``per_seed``'s units."""
        return {name: (float(runs.mean()), float(runs.std())) for name, runs in self.per_seed().items()}
