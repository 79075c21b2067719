"""What a sweep has to know of the runs that it does, whatever they are: encoders' or language models'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from ..pipeline.encode import Shared
from ..terminal.progress import ProgressBars


class RunConfiguration(Protocol):
    """What every kind of run has set."""

    out: str  # the folder of its records


Config = TypeVar("Config", bound=RunConfiguration)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a run before its work."""

    name: str  # its record's
    job: str  # what runs have in common that share a job, and with it a model
    beside: str  # in a job, runs that have this in common stand side by side
    check: Callable[[], None]  # raises UserError where the run could not be done


@dataclass(frozen=True, slots=True)
class Done:
    """A run's record, and whether this call made it."""

    folder: Path
    fresh: bool


class RunKind(Protocol[Config]):
    """One kind of run. It is sent to jobs, wherever they run, and holds nothing itself."""

    def compose(self, words: Sequence[str]) -> Config:
        """The checked configuration of one run, with absolute paths; UserError if there is none."""
        ...

    def shown(self, word: str) -> str:
        """A word as labels and messages have it."""
        ...

    def look(self, config: Config, shared: Shared) -> Known:
        """Find out about a run; no model is loaded.

        Raises
        ------
        ModelError
            If its model cannot be had.
        UserError
            If something else that it needs cannot be had.

        """
        ...

    def is_done(self, config: Config, name: str) -> bool:
        """Whether the record of that name is there; UserError if it is damaged."""
        ...

    def do(self, config: Config, bars: ProgressBars, shared: Shared) -> Done:
        """Do the run, unless another process has; ModelError if its model cannot be had."""
        ...
