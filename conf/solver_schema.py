"""The types of a solver's configuration: every file of the group ``solver`` fits one of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ..engine.batch import check_search
from ..errors import UserError
from .values import at_least, named, one_of


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
        with named("solver"):
            check_search(self.n_init, self.max_iter, self.assignment_cost)
        _check_seed(self.random_state, 64)


@dataclass
class ExactConfig(SolverConfig):
    """The partition of least cost; there is nothing to set."""

    name: str = "exact"

    def __post_init__(self) -> None:
        one_of("solver.name", self.name, ("exact",))


@dataclass
class FaissConfig(SolverConfig):
    """Plain k-means by the package faiss: groups of any size. It runs all ``max_iter`` iterations."""

    name: str = "faiss"
    n_init: int = 10
    max_iter: int = 25
    random_state: int = 42

    def __post_init__(self) -> None:
        one_of("solver.name", self.name, ("faiss",))
        at_least("solver.n_init", self.n_init, 1)
        at_least("solver.max_iter", self.max_iter, 1)
        _check_seed(self.random_state, 31)


@dataclass
class PeerConfig(SolverConfig):
    """The package k-means-constrained, which the paper used, with its settings as the paper has them."""

    name: str = "peer"
    device: str = "cpu"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4
    random_state: int = 42

    def __post_init__(self) -> None:
        one_of("solver.name", self.name, ("peer",))
        if self.device not in {"auto", "cpu"}:
            raise UserError(
                f"solver.device={self.device} does not apply to solver=peer, which runs on the CPU: "
                "leave it out"
            )
        at_least("solver.n_init", self.n_init, 1)
        at_least("solver.max_iter", self.max_iter, 1)
        if not 0 <= self.tol < inf:
            raise UserError(f"solver.tol={self.tol:g} is not a tolerance: expected a number of at least 0")
        _check_seed(self.random_state, 32)


def _check_seed(seed: int, bits: int) -> None:
    """Raise UserError unless a seed fits the generator that takes it."""
    at_least("solver.random_state", seed, 0)
    if seed >= 2**bits:
        raise UserError(f"solver.random_state={seed} is too large: expected at most 2**{bits} - 1")
