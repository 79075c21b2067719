"""A sweep before its work: every run's configuration checked, what is done already, and who shares a model.

Whatever a user can mend is found here, before the first model is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...conf.compose import compose_run
from ...conf.schema import RunConfig, SeedlessError
from ...conf.sweep import Sweep
from ...errors import UserError
from ..data.wall import WallSet
from ..dataset import load_walls
from ..progress import ProgressBars
from ..records.config import with_absolute_paths
from ..records.store import check_writable, find_record
from ..run import Plan, check_fits, encoder_key, prepare
from ..shared import Shared


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a sweep."""

    number: int  # among the sweep's runs
    label: str  # the words that tell it from the others
    config: RunConfig
    name: str  # its record's


@dataclass(slots=True)
class SweepPlan:
    """What a sweep has to do, and what it has not."""

    jobs: list[list[PlannedRun]] = field(default_factory=list)  # the runs of a job share model and embedding
    done: list[tuple[str, Path]] = field(default_factory=list)  # label and record of runs done before
    absent: list[tuple[str, str]] = field(default_factory=list)  # label and reason of models not to hand

    @property
    def runs(self) -> list[PlannedRun]:
        """The runs that are to be done, job after job."""
        return [run for job in self.jobs for run in job]

    def __len__(self) -> int:
        return len(self.runs) + len(self.done) + len(self.absent)


def plan_sweep(sweep: Sweep, bars: ProgressBars) -> SweepPlan:
    """Compose and check every run of a sweep.

    Raises
    ------
    UserError
        On the first run that could not be done, by its words; a model that an experiment named and that
        cannot be had is no error.

    """
    plan = SweepPlan()
    walls: dict[str, WallSet] = {}
    jobs: dict[str, list[PlannedRun]] = {}
    known: set[tuple[str, str]] = set()
    writable: set[str] = set()
    shared = Shared()
    with bars.step("plan", "checking the runs") as update:
        for number, words in enumerate(sweep.runs):
            label = _label(words, sweep.swept)
            try:
                config, label = _composed(words, label, sweep.swept)
                place = repr(config.dataset)
                if place not in walls:
                    walls[place] = load_walls(config.dataset)
                if config.out not in writable:
                    check_writable(Path(config.out))
                    writable.add(config.out)
                found = _prepared(config, walls[place], shared, sweep.whichever)
                if isinstance(found, str):
                    plan.absent.append((label, found))
                elif (config.out, found.name) not in known:
                    known.add((config.out, found.name))
                    if find_record(Path(config.out), found.name) is not None:
                        plan.done.append((label, Path(config.out) / found.name))
                    else:
                        planned = PlannedRun(number, label, config, found.name)
                        jobs.setdefault(encoder_key(config), []).append(planned)
            except UserError as error:
                named = not label or str(error).startswith(label)
                raise UserError(str(error) if named else f"{label}: {error}") from error
            update(number + 1, len(sweep.runs))
    # Runs that share walls and features stand side by side: they share their Gram matrices too.
    for job in jobs.values():
        job.sort(key=lambda run: (repr(run.config.dataset), repr(run.config.features), run.number))
    plan.jobs = list(jobs.values())
    return plan


def _composed(words: Sequence[str], label: str, swept: Sequence[str]) -> tuple[RunConfig, str]:
    """A run's configuration and label: beside others, one that depends on no seed is given none."""
    try:
        config = compose_run(words, swept=True)
    except SeedlessError:
        if not {"solver", "embedding"} & {*swept}:
            raise
        words = [word for word in words if not word.startswith("seeds=")]
        label = _label(words, swept)
        config = compose_run(words, swept=True)
    return with_absolute_paths(config), label


def _prepared(config: RunConfig, walls: WallSet, shared: Shared, whichever: bool) -> Plan | str:
    """The run, ready to begin; or why its model cannot be had, where that is no error."""
    try:
        found = prepare(config, ProgressBars(shown=False), shared, walls)
    except UserError as error:
        if whichever:
            return str(error)
        raise
    check_fits(found)
    return found


def _label(words: Sequence[str], swept: Sequence[str]) -> str:
    """Those of a run's words that are not the same in all of the sweep's runs."""
    last = {word.partition("=")[0]: word for word in words}  # of a key that is named twice, the last counts
    return " ".join(word for key, word in last.items() if key in swept)
