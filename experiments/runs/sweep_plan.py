"""A sweep before its work: what a kind's runs tell of themselves, every configuration checked, what is done.

Whatever a user can mend is found here, before the first model is loaded or asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ...conf.sweep import Sweep
from ...conf.values import NotApplicableError
from ...errors import ModelError, UserError
from ..pipeline.encode import Shared
from ..terminal.progress import ProgressBars
from .store import check_writable


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


@dataclass(frozen=True, slots=True)
class PlannedRun(Generic[Config]):
    """One run of a sweep."""

    number: int  # among the sweep's runs
    label: str  # the words that tell it from the others
    config: Config
    name: str  # its record's


@dataclass(slots=True)
class SweepPlan(Generic[Config]):
    """What a sweep has to do, and what it has not."""

    kind: RunKind[Config]
    jobs: list[list[PlannedRun[Config]]] = field(default_factory=list)  # the runs of a job share a model
    done: list[tuple[str, Path]] = field(default_factory=list)  # label and record of runs done before
    absent: list[tuple[str, str]] = field(default_factory=list)  # label and reason of models not to hand

    @property
    def runs(self) -> list[PlannedRun[Config]]:
        """The runs that are to be done, job after job."""
        return [run for job in self.jobs for run in job]

    def __len__(self) -> int:
        return len(self.runs) + len(self.done) + len(self.absent)


def plan_sweep(kind: RunKind[Config], sweep: Sweep, bars: ProgressBars) -> SweepPlan[Config]:
    """Compose and check every run of a sweep.

    Raises
    ------
    UserError
        On the first run that could not be done, by its words; a model that an experiment named and that
        cannot be had is not an error.

    """
    plan = SweepPlan(kind)
    jobs: dict[str, list[tuple[str, PlannedRun[Config]]]] = {}
    known: set[tuple[str, str]] = set()
    writable: set[str] = set()
    shared = Shared(every=True)
    with bars.step("plan", "checking the runs") as update:
        for number, words in enumerate(sweep.runs):
            label = _label(kind, words, sweep.swept)
            try:
                config, label = _composed(kind, words, sweep.swept)
                if config.out not in writable:
                    check_writable(Path(config.out))
                    writable.add(config.out)
                try:
                    known_run = kind.look(config, shared)
                except ModelError as error:
                    if not sweep.whichever:
                        raise
                    plan.absent.append((label, str(error)))
                    continue
                done = kind.is_done(config, known_run.name)
                if not done:
                    known_run.check()
                if (config.out, known_run.name) in known:
                    continue
                known.add((config.out, known_run.name))
                if done:
                    plan.done.append((label, Path(config.out) / known_run.name))
                else:
                    planned = PlannedRun(number, label, config, known_run.name)
                    jobs.setdefault(known_run.job, []).append((known_run.beside, planned))
            except UserError as error:
                named = not label or str(error).startswith(label)
                raise UserError(str(error) if named else f"{label}: {error}") from error
            finally:
                update(number + 1, len(sweep.runs))
    for job in jobs.values():
        job.sort(key=lambda each: (each[0], each[1].number))
    plan.jobs = [[planned for _, planned in job] for job in jobs.values()]
    return plan


def _composed(kind: RunKind[Config], words: Sequence[str], swept: Sequence[str]) -> tuple[Config, str]:
    """A run's configuration and label: what does not apply beside a swept value is left out."""
    while True:
        try:
            return kind.compose(words), _label(kind, words, swept)
        except NotApplicableError as error:
            left = [word for word in words if word.partition("=")[0] != error.key]
            if len(left) == len(words) or not error.others & {*swept}:
                raise
            words = left


def _label(kind: RunKind[Config], words: Sequence[str], swept: Sequence[str]) -> str:
    """Those of a run's words that are not the same in all of the sweep's runs."""
    last = {word.partition("=")[0]: word for word in words}  # of a key that is named twice, the last counts
    return " ".join(kind.shown(word) for key, word in last.items() if key in swept)
