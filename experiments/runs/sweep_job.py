"""The jobs of a sweep: each does runs that share a model, one after the other; Hydra's launchers start them.

A job tells of its runs through small files, so that it does not matter where it runs, and that a job which
is killed has told of what it did. Records are written by the runs themselves.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, Literal

from ...conf.launcher_schema import JobConfig
from ...conf.schema import register
from ...conf.words import plain_word
from ...errors import ModelError, UserError
from ..files.machine_causes import machine_cause
from ..pipeline.encode import Shared
from ..terminal import writing as messages
from ..terminal.progress import ProgressBars
from ..terminal.writing import safe_streams
from .sweep_plan import Config, PlannedRun, RunKind

State = Literal["done", "failed", "absent"]


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a run."""

    state: State
    reason: str = ""  # one line, of a run that failed or whose model is not to hand
    folder: str = ""  # the record's
    seconds: float = 0.0
    fresh: bool = True  # False if another process finished the same run meanwhile


class Spool:
    """The folder in which jobs leave word of their runs, by the runs' numbers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, number: int) -> None:
        """Leave word that a run begins."""
        (self.folder / f"{number}.begun").touch()

    def begun(self, number: int) -> bool:
        """Whether a run began and has not ended."""
        return (self.folder / f"{number}.begun").exists() and self.read(number) is None

    def forget(self, number: int) -> None:
        """Take back that a run began."""
        (self.folder / f"{number}.begun").unlink(missing_ok=True)

    def report(self, number: int, ending: Ending) -> None:
        """Leave word of how a run ended, in one step."""
        part = self.folder / f"{number}.part"
        part.write_text(json.dumps(asdict(ending)), encoding="utf-8")
        part.replace(self.folder / f"{number}.json")

    def ended(self) -> set[int]:
        """The numbers of all runs that have ended: one look at the folder, however many there are."""
        return {int(path.stem) for path in self.folder.glob("*.json")}

    def read(self, number: int) -> Ending | None:
        """How a run ended, or None if it has not."""
        try:
            return Ending(**json.loads((self.folder / f"{number}.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None


class SweepJob(Generic[Config]):
    """Hydra's task function: given a job's number, it does that job's runs.

    Parameters
    ----------
    kind
        What kind of runs they are.
    jobs
        The runs of each job.
    spool
        Where it leaves word of them.
    whichever
        Whether a model that cannot be had is not a failure.
    bars
        Shows progress where the job runs in this process; it stays behind where the job is sent elsewhere.

    """

    def __init__(
        self,
        kind: RunKind[Config],
        jobs: list[list[PlannedRun[Config]]],
        spool: Spool,
        whichever: bool,
        bars: ProgressBars,
    ) -> None:
        self.kind, self.jobs, self.spool, self.whichever = kind, jobs, spool, whichever
        self.bars: ProgressBars | None = bars
        self.sweep = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "bars": None}

    def __call__(self, config: Any) -> None:
        """Do the runs of the job ``config.job`` that have not ended."""
        end_with(self.sweep)
        # Where no word can be left, as on a full disk, whoever started the job finds that out.
        with suppress(OSError), safe_streams():  # of this process, which may not be that of the command line
            self._do(self.jobs[config.job])

    def _do(self, runs: list[PlannedRun[Config]]) -> None:
        shared = Shared()
        refused: Ending | None = None  # once the model could not be had, it is not asked for again
        for planned in runs:
            if self.spool.read(planned.number) is not None:
                continue
            self.spool.begin(planned.number)
            try:
                ending = refused or self._done(planned, shared)
            except ModelError as error:
                state: State = "absent" if self.whichever else "failed"
                ending, refused = Ending(state, error_line(error)), Ending(state, error.others)
            except Exception as error:
                ending = Ending("failed", error_line(error))
            self.spool.report(planned.number, ending)

    def _done(self, planned: PlannedRun[Config], shared: Shared) -> Ending:
        bars = ProgressBars(shown=False) if self.bars is None else self.bars.of_another_run()
        start = perf_counter()
        done = self.kind.do(planned.config, bars, shared)
        return Ending("done", "", str(done.folder), round(perf_counter() - start, 1), done.fresh)


def error_line(error: BaseException) -> str:
    """What an error says, in one line; what no user is expected to mend is named by its type."""
    if cause := machine_cause(error):
        return cause
    said = messages.one_line(str(error), getattr(error, "longest", UserError.longest))
    if isinstance(error, UserError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


_LOOK = 0.5  # seconds between two looks
_watching = threading.Event()


def end_with(parent: int) -> None:
    """From now on, end this process soon after the process ``parent`` that started it has ended.

    Nothing is done where another process started it: jobs of a cluster outlive the command that sent them. A
    record that is being written stays a temporary folder, which the next start removes.
    """
    # Linux's own way, PR_SET_PDEATHSIG, would also end it with the thread that started it.
    if os.getppid() != parent or _watching.is_set():
        return
    _watching.set()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # an orphan gets another parent; on Windows, none
        time.sleep(_LOOK)
    os._exit(1)


def launch(
    job: SweepJob[Config], numbers: Sequence[int], launcher_words: Sequence[str], folder: Path
) -> None:
    """Have the jobs of these numbers done, and return when all have ended.

    Parameters
    ----------
    job
        The task function.
    numbers
        Of the jobs, at least one.
    launcher_words
        The overrides that choose the launcher.
    folder
        Where Hydra and the launcher may write.

    Raises
    ------
    Exception
        What the launcher raises where it cannot start a job, or where a job's process ends before its time;
        Hydra's launchers then know no more of the others, which is why jobs leave word of their runs.

    """
    from hydra import initialize_config_module
    from hydra.core.global_hydra import GlobalHydra

    register(JobConfig)
    words = [*launcher_words, plain_word(f"folder={folder}", JobConfig), f"job={','.join(map(str, numbers))}"]
    with initialize_config_module("fourfold.conf", job_name="fourfold", version_base="1.3"):
        hydra = GlobalHydra.instance().hydra
        if hydra is None:
            raise RuntimeError("Hydra's own state was cleared while it began: start one sweep at a time")
        hydra.multirun("job", job, words, with_log_configuration=False)
