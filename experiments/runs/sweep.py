"""A sweep: many runs, those of one model in one job, started by a launcher; each run keeps its own record.

What is done is in the records alone. A sweep that was stopped, by Ctrl-C, a failure or the power, goes on
when the same command is given again; two may work side by side.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from ...conf.launcher_schema import JoblibConfig
from ...conf.sweep import Sweep
from ...errors import UserError
from ..files.temporary_folder import TemporaryFolder, remove_abandoned
from ..terminal.progress import ProgressBars, Update
from .sweep_job import Ending, Spool, SweepJob, error_line, launch
from .sweep_plan import Config, PlannedRun, SweepPlan

_LOOK = 0.2  # seconds between two looks at what the jobs told
_ATTEMPTS = 2  # of a run whose process ended before its time: another's end may have been the cause


@dataclass(slots=True)
class Tally:
    """What became of a sweep's runs, by label; runs that were not reached are in none of the lists."""

    total: int = 0
    done: list[tuple[str, Path]] = field(default_factory=list)  # with the record, as they ended
    before: int = 0  # how many of these were done before
    elsewhere: int = 0  # and how many another process finished meanwhile
    failed: list[tuple[str, str]] = field(default_factory=list)  # with the reason
    absent: list[tuple[str, str]] = field(default_factory=list)  # with the reason


def do_sweep(sweep: Sweep, plan: SweepPlan[Config], bars: ProgressBars, tally: Tally) -> None:
    """Do a plan's runs and fill in ``tally`` as they end, also if this is interrupted."""
    tally.total, tally.before = len(plan), len(plan.done)
    tally.done += plan.done
    tally.absent += plan.absent
    if not plan.runs:
        return
    out = Path(plan.runs[0].config.out)
    new = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    remove_abandoned(out)
    try:
        with TemporaryFolder(out / "sweep") as folder, bars.step("sweep", "runs") as update:
            spool = Spool(folder)
            watch = _Watch(plan.runs, spool, bars, update, tally)
            with watch.looking():
                job = SweepJob(plan.kind, plan.jobs, spool, sweep.whichever, bars)
                _do_jobs(job, plan.jobs, sweep, folder / "hydra", watch.look)
    except OSError as error:
        raise UserError(
            f"out={out} cannot be written to ({error.strerror}): make room or choose another out=FOLDER;"
            " the same command goes on with the runs that are not done"
        ) from error
    finally:
        if new:
            with suppress(OSError):
                out.rmdir()  # unless something is in it


def _do_jobs(
    job: SweepJob[Config],
    jobs: list[list[PlannedRun[Config]]],
    sweep: Sweep,
    folder: Path,
    look: Callable[[], None],
) -> None:
    """Launch the jobs until every run has ended, well or not."""
    spool = job.spool
    attempts: Counter[int] = Counter()
    while left := [number for number, runs in enumerate(jobs) if any(map(_open(spool), runs))]:
        reason = "its job ended before it was done"
        try:
            launch(job, left, _launcher_words(sweep, len(left)), folder)
        except Exception as error:
            reason += f" ({error_line(error)})"
        look()
        runs = [run for number in left for run in jobs[number] if spool.read(run.number) is None]
        begun = [run for run in runs if spool.begun(run.number)]
        for run in begun:
            attempts[run.number] += 1
            spool.forget(run.number)
        # Where no run had begun, the launcher itself failed, and would again.
        given_up = [run for run in begun if attempts[run.number] >= _ATTEMPTS] if begun else runs
        for run in given_up:
            spool.report(run.number, Ending("failed", reason))
        look()


def _launcher_words(sweep: Sweep, n_jobs: int) -> Sequence[str]:
    """The launcher's words, with no more processes than jobs: one that idles would outlive a killed sweep."""
    if not isinstance(sweep.launcher, JoblibConfig):
        return sweep.launcher_words
    from joblib import cpu_count

    at_once = cpu_count() if sweep.launcher.n_jobs == -1 else sweep.launcher.n_jobs
    return [*sweep.launcher_words, f"launcher.n_jobs={min(at_once, n_jobs)}"]


def _open(spool: Spool) -> Callable[[PlannedRun[Config]], bool]:
    return lambda run: spool.read(run.number) is None


class _Watch(Generic[Config]):
    """Reads what jobs told, says it, and keeps the tally."""

    def __init__(
        self, runs: list[PlannedRun[Config]], spool: Spool, bars: ProgressBars, update: Update, tally: Tally
    ) -> None:
        self._left = {run.number: run for run in runs}
        self._spool, self._bars, self._update, self._tally = spool, bars, update, tally
        self._total = len(runs)
        self._lock = threading.Lock()
        update(0, self._total)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look again and again while the jobs run, and once more at the end."""
        ended = threading.Event()

        def go_on() -> None:
            while not ended.wait(_LOOK):
                self.look()

        thread = threading.Thread(target=go_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.look()

    def look(self) -> None:
        """Say what is new."""
        with self._lock:
            ended = self._spool.ended()
            for number in [number for number in self._left if number in ended]:
                ending = self._spool.read(number)
                if ending is not None:
                    self._ended(self._left.pop(number), ending)
            self._update(self._total - len(self._left), self._total)

    def _ended(self, run: PlannedRun[Config], ending: Ending) -> None:
        tally = self._tally
        if ending.state == "done":
            tally.done.append((run.label, Path(ending.folder)))
            tally.elsewhere += not ending.fresh
        else:
            (tally.failed if ending.state == "failed" else tally.absent).append((run.label, ending.reason))
        ended = self._total - len(self._left)
        what = {
            "done": f"done in {ending.seconds:.1f} s" if ending.fresh else "done by another process",
            "failed": f"failed: {ending.reason}",
            "absent": "not to hand",  # why is told at the end
        }[ending.state]
        self._bars.say(f"[{ended}/{self._total}] {run.label or run.name}: {what}")
