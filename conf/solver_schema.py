"""The types of a solver's configuration: every file of the group ``solver`` fits one of them."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UserError
from .values import at_least, one_of

ASSIGNMENT_COSTS = ("squared", "euclidean")
GREATEST_SEED = 2**64 - 1


@dataclass
class SolverConfig:
    """What every solver has."""

    name: str = "kmeans"
    device: str = "auto"


@dataclass
class KMeansConfig(SolverConfig):
    """Size-constrained k-means; ``random_state`` is the generator's seed in every run."""

    n_init: int = 10
    max_iter: int = 300
    assignment_cost: str = "euclidean"
    random_state: int = 42

    def __post_init__(self) -> None:
        one_of("solver.name", self.name, ("kmeans",))
        at_least("solver.n_init", self.n_init, 1)
        at_least("solver.max_iter", self.max_iter, 1)
        at_least("solver.random_state", self.random_state, 0)
        if self.random_state > GREATEST_SEED:
            raise UserError(
                f"solver.random_state={self.random_state} is too large: expected at most 2**64 - 1"
            )
        one_of("solver.assignment_cost", self.assignment_cost, ASSIGNMENT_COSTS)


@dataclass
class ExactConfig(SolverConfig):
    """The partition of least cost; there is nothing to set."""

    name: str = "exact"

    def __post_init__(self) -> None:
        one_of("solver.name", self.name, ("exact",))
