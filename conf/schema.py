"""The types of a run's configuration, registered with Hydra so that unknown keys and wrong types are errors.

Models, embeddings, features and solvers have a file each. What a value may be, beyond its type, is checked
when the dataclass is made.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar, get_type_hints

from ..errors import UserError
from .choices import EXPERIMENT, GROUPS
from .features_schema import FeaturesConfig, PCAConfig, SimilarityConfig, TSNEConfig
from .launcher_schema import (
    JoblibConfig,
    LauncherConfig,
    RayConfig,
    SlurmConfig,
    SubmititLocalConfig,
)
from .model_schema import (
    ContextualConfig,
    ElmoConfig,
    EmbeddingConfig,
    FlairConfig,
    FusedConfig,
    ModelConfig,
    TransformerConfig,
    WordsConfig,
)
from .solver_schema import ExactConfig, FaissConfig, KMeansConfig, PeerConfig, SolverConfig
from .values import NotApplicableError, RootConfig, at_least, one_of

LAYOUTS = ("auto", "bundled", "ocw", "nyt")
SPLITS = ("all", "train", "validation", "test")
# Labels and inertia of the 618 walls take 85 kB a seed.
MOST_SEEDS = 100_000


@dataclass
class PathsConfig:
    """Where each data set is, by its name in the group ``dataset``, and where models are.

    ``dataset.path`` and ``model.name`` come first.
    """

    ocw: str | None = None
    ocw_randomized: str | None = None
    ocw_wordnet: str | None = None
    nyt: str | None = None
    models: str | None = None  # a folder of models, each found by its name on the hub


@dataclass
class DatasetConfig:
    """Which walls to read."""

    name: str = "walls"
    path: str | None = None  # a file or a folder; none for the bundled walls
    split: str | None = None  # train, validation or test, where the data set has splits
    folder_split: str | None = None  # the split where none is named and the path is a folder of splits
    layout: str = "auto"
    source: str = ""  # where a user gets the data; only shown
    strict: bool = False  # whether a wall that cannot be used is an error; otherwise it is left out

    def __post_init__(self) -> None:
        one_of("dataset.layout", self.layout, LAYOUTS)
        if self.folder_split is not None:
            one_of("dataset.folder_split", self.folder_split, SPLITS)
            if self.split is None and self.path is not None and Path(self.path).expanduser().is_dir():
                self.split = self.folder_split
        if self.split is not None:
            one_of("dataset.split", self.split, SPLITS)
            self._check_split()
        if self.layout == "bundled" and self.path is not None:
            raise NotApplicableError(
                f"dataset.path={self.path} does not apply to the bundled walls: "
                "choose dataset=ocw or dataset=nyt to read a file",
                "dataset.path",
                "dataset",
            )
        if self.layout != "bundled" and not self.path:
            where = f" (get it from {self.source})" if self.source else ""
            known = self.name in {item.name for item in fields(PathsConfig)} - {"models"}
            several = f" or paths.{self.name}=PATH" if known else ""
            raise UserError(
                f"dataset={self.name} needs its file or folder: add dataset.path=PATH{several}{where}"
            )

    def _check_split(self) -> None:
        """Raise NotApplicableError where the data set has no splits."""
        if self.layout in ("bundled", "nyt"):
            raise NotApplicableError(
                f"dataset.split={self.split} does not apply to dataset={self.name}, which has no splits: "
                "leave it out",
                "dataset.split",
                "dataset",
            )
        if self.split != "all" and self.path is not None and Path(self.path).expanduser().is_file():
            raise NotApplicableError(
                f"dataset.split={self.split} does not apply to the file {self.path}: leave it out, or name "
                "the folder of train.json, validation.json and test.json",
                "dataset.split",
                "dataset",
            )


@dataclass
class RunConfig(RootConfig):
    """One run: a model, what is made of its vectors, a data set, a solver and a number of clue orders."""

    command: ClassVar[str] = "run"
    file: ClassVar[str] = "config"
    groups: ClassVar[tuple[str, ...]] = GROUPS
    experiments: ClassVar[str] = EXPERIMENT

    model: ModelConfig
    embedding: EmbeddingConfig
    features: FeaturesConfig
    dataset: DatasetConfig
    solver: SolverConfig
    seeds: int = 16
    out: str = "runs"
    cache: str = "true"
    device: str = "auto"
    paths: PathsConfig = field(default_factory=PathsConfig)

    def __post_init__(self) -> None:
        at_least("seeds", self.seeds, 1)
        if self.seeds > MOST_SEEDS:
            raise UserError(f"seeds={self.seeds} is too large: expected at most {MOST_SEEDS:,}")
        in_context = isinstance(self.embedding, ContextualConfig)
        if isinstance(self.solver, ExactConfig) and not in_context and self.seeds != 1:
            raise NotApplicableError(
                f"seeds={self.seeds} does not apply to solver=exact, which depends on no seed: leave it out",
                "seeds",
                "solver",
                "embedding",
            )
        if not self.cache.strip():
            raise UserError("cache= is empty: expected true, false or a folder")
        if not self.out.strip():
            raise UserError("out= is empty: name the folder in which records are kept, as in out=runs")


# The schemas that a choice of each group may fit, by the names that YAML files and records have for them.
KINDS: dict[type, dict[str, type]] = {
    ModelConfig: {
        "transformer": TransformerConfig,
        "fused": FusedConfig,
        "words": WordsConfig,
        "flair": FlairConfig,
        "elmo": ElmoConfig,
    },
    EmbeddingConfig: {"static": EmbeddingConfig, "contextual": ContextualConfig},
    FeaturesConfig: {
        "none": FeaturesConfig,
        "similarity": SimilarityConfig,
        "pca": PCAConfig,
        "tsne": TSNEConfig,
    },
    DatasetConfig: {"walls": DatasetConfig},
    SolverConfig: {
        "kmeans": KMeansConfig,
        "exact": ExactConfig,
        "faiss": FaissConfig,
        "peer": PeerConfig,
    },
    LauncherConfig: {
        "basic": LauncherConfig,
        "joblib": JoblibConfig,
        "submitit_local": SubmititLocalConfig,
        "submitit_slurm": SlurmConfig,
        "ray": RayConfig,
    },
}


_REGISTERED: dict[str, type[RootConfig]] = {}  # by file, of which several schemas may have the same


def register(root: type[RootConfig]) -> None:
    """Put a schema and those of its groups where the YAML files' defaults lists look for them."""
    if _REGISTERED.get(root.file) is root:
        return
    from hydra.core.config_store import ConfigStore

    store = ConfigStore.instance()
    store.store(group="schema", name=root.file, node=root)
    for group, declared in get_type_hints(root).items():
        for name, kind in KINDS.get(declared, {}).items():
            store.store(group=f"schema/{group}", name=name, node=kind)
    _REGISTERED[root.file] = root
