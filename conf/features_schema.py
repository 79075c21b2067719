"""The types of the group ``features``: what is made of a wall's vectors before they are clustered."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UserError
from .values import at_least


@dataclass
class FeaturesConfig:
    """The vectors as they are: ``none``."""

    name: str = "none"


@dataclass
class SimilarityConfig(FeaturesConfig):
    """The rows of the cosine similarity matrix; there is nothing to set."""


@dataclass
class PCAConfig(FeaturesConfig):
    """The first principal components."""

    n_components: int = 2

    def __post_init__(self) -> None:
        at_least("features.n_components", self.n_components, 1)


@dataclass
class TSNEConfig(FeaturesConfig):
    """A t-SNE embedding, begun from the first principal components.

    Static vectors are embedded once a wall, for all runs alike, and contextual ones once a wall and order.
    """

    n_components: int = 2
    perplexity: float = 3.0
    random_state: int = 42

    def __post_init__(self) -> None:
        at_least("features.n_components", self.n_components, 1)
        at_least("features.random_state", self.random_state, 0)
        if self.random_state >= 2**32:
            raise UserError(f"features.random_state={self.random_state} is too large: expected below 2**32")
        if not self.perplexity > 0:
            raise UserError(f"features.perplexity={self.perplexity:g} is too small: expected more than 0")
