"""The types of a launcher's configuration: who starts a sweep's jobs, and with what.

The settings are those of Hydra's launcher plugins; a launcher's YAML file says which goes where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import UserError
from .choices import LAUNCHER
from .values import RootConfig, at_least


@dataclass
class LauncherConfig:
    """One job after the other in this process: ``basic``; there is nothing to set."""

    name: str = "basic"


@dataclass
class JoblibConfig(LauncherConfig):
    """Processes of this machine."""

    n_jobs: int = 2  # at once; -1 for as many as there are processors

    def __post_init__(self) -> None:
        if self.n_jobs < -1 or self.n_jobs == 0:
            raise UserError(f"launcher.n_jobs={self.n_jobs} is none: expected 1 or more, or -1 for all")


@dataclass
class SubmititLocalConfig(LauncherConfig):
    """Processes of this machine, started as a cluster's jobs are."""

    timeout_min: int = 1440  # minutes after which a job is stopped
    at_once: int = 2

    def __post_init__(self) -> None:
        at_least("launcher.timeout_min", self.timeout_min, 1)
        at_least("launcher.at_once", self.at_once, 1)


@dataclass
class SlurmConfig(LauncherConfig):
    """Jobs of a Slurm cluster; what is null is the cluster's own default."""

    timeout_min: int = 240
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    gpus_per_node: int | None = None
    cpus_per_task: int | None = 4
    mem_gb: int | None = None
    array_parallelism: int = 256  # jobs at once

    def __post_init__(self) -> None:
        at_least("launcher.timeout_min", self.timeout_min, 1)
        at_least("launcher.array_parallelism", self.array_parallelism, 1)


@dataclass
class RayConfig(LauncherConfig):
    """Jobs of a Ray cluster, or of one that is started on this machine where ``address`` is null."""

    address: str | None = None
    num_cpus: int | None = None  # of a cluster that is started here
    gpus_per_job: float = 0.0


@dataclass
class JobConfig(RootConfig):
    """What Hydra sees of one job of a sweep."""

    command: ClassVar[str] = "sweep"
    file: ClassVar[str] = "job"
    groups: ClassVar[tuple[str, ...]] = (LAUNCHER,)

    launcher: LauncherConfig
    job: int = 0  # its number among the sweep's jobs
    folder: str = ""  # where Hydra and its launchers may write
