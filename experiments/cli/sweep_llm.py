"""``fourfold sweep llm``: many runs of language models with one command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...conf.choices import EXPERIMENTS, LAUNCHER, choices
from ..runs import LANGUAGE_PACKAGES
from .arguments import Parser
from .commands import need
from .sweep import need_launcher, sweep_runs

if TYPE_CHECKING:
    from ...conf.sweep import Sweep

COMMAND = "fourfold sweep llm"

DESCRIPTION = """\
Do a run of a language model for each combination of the values that are named, as 'fourfold llm' would do it.
Everything is checked before anything is asked. Runs of one model are one job: it loads the model once. Runs
whose records are there are not repeated, and replies are kept: the same command goes on where it was stopped,
and asks nothing twice. A run that fails is listed at the end, and the others are done.

A value may be several: a,b or range(1,4); between quotes, as in "model.title='a, b'", it is one. What
'fourfold llm' takes, a sweep takes ('fourfold llm --help' lists it). Beside task=1, task=2 is done without
seeds=, hints=, candidates= and vote=, which it does not apply to, and seeds=1 beside seeds=16 without vote=.

choices:
  experiment=  {experiments}
  dataset=     {datasets}
  launcher=    {launchers}

An experiment brings the settings of the paper's table or figure: the task, the data set, and 0, 1, 3, 5 and
10 examples. Where each data set is, paths.ocw= and so on say; 'fourfold sweep --help' has the launchers'
settings.
"""

EXAMPLES = """\
examples:
  fourfold sweep llm task=1,2 examples=0,1,3 model.name=gpt-4o dataset=ocw dataset.path=OCW/dataset --dry-run
  fourfold sweep llm experiment=table4 paths.ocw=OCW/dataset model.name=/models/a,/models/b
  fourfold sweep llm experiment=figure6 paths.ocw=OCW/dataset model.name=gpt-4o bertscore=minilm
  fourfold sweep llm seeds=16 vote=none,pairs,groups model.name=gpt-4o dataset=ocw dataset.path=OCW/dataset
"""


def main(words: Sequence[str]) -> int:
    """Do the runs and say what became of them, or what they would cost."""
    parser = Parser(prog=COMMAND, description=_description(), epilog=EXAMPLES)
    parser.add_argument("overrides", nargs="*", metavar="key=value[,value]", help="settings")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what each run would cost, and ask nothing"
    )
    chosen = parser.parse_intermixed_args(words)
    need("sweep llm", LANGUAGE_PACKAGES, "llm")
    need_launcher(chosen.overrides)

    from ...conf.llm_schema import LanguageRunConfig
    from ...conf.sweep import read_sweep
    from ..runs.language_model.kind import KIND

    sweep = read_sweep(chosen.overrides, LanguageRunConfig)
    return _dry_run(sweep) if chosen.dry_run else sweep_runs(KIND, sweep)


def _dry_run(sweep: Sweep) -> int:
    """What is left to be asked, run by run and in all."""
    from ..pipeline.encode import Shared
    from ..runs.language_model.runs import LanguageRuns
    from ..runs.sweep_plan import plan_sweep
    from ..tables.language_results import estimate_text, left_line
    from ..tasks.dry_run import DryRun, total
    from ..tasks.prepare import prepare_language_run, set_up
    from ..terminal.progress import ProgressBars
    from ..terminal.writing import counted

    with ProgressBars() as bars:
        plan = plan_sweep(LanguageRuns(dry=True), sweep, bars)
        counts, lefts, shared = DryRun(), [], Shared()
        with bars.step("count", "counting tokens") as update:
            for number, run in enumerate(plan.runs):
                lefts.append(
                    counts.left(set_up(prepare_language_run(run.config, shared=shared), bars, shared))
                )
                update(number + 1, len(plan.runs))
    for run, left in zip(plan.runs, lefts, strict=True):
        print(f"{run.label or run.name}: {left_line(left)}")
    if plan.done:
        print(f"{len(plan.done)} of {len(plan)} runs are done already")
    if lefts:
        every = replace(total(lefts), n_kept=0)  # said of each run
        print(f"{counted(len(lefts), 'run')} to do, {estimate_text(every)}")
    return 0


def _description() -> str:
    return DESCRIPTION.format(
        experiments="  ".join(choices(EXPERIMENTS[COMMAND])),
        datasets="  ".join(choices("dataset")),
        launchers="  ".join(choices(LAUNCHER)),
    )
