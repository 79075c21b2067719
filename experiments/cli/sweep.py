"""``fourfold sweep``: many runs with one command, which goes on where it was stopped."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...conf.choices import EXPERIMENT, GROUPS, LAUNCHER, choices, default_choice
from ...errors import UserError
from .arguments import Parser
from .extras import need
from .run import PACKAGES

if TYPE_CHECKING:
    from ..sweeps.sweep import Tally

# Launcher: the module that starts its jobs, what pip calls it, and the extra that brings it.
LAUNCHERS = {
    "joblib": ("hydra_plugins.hydra_joblib_launcher", "hydra-joblib-launcher", "joblib"),
    "submitit_local": ("hydra_plugins.hydra_submitit_launcher", "hydra-submitit-launcher", "slurm"),
    "submitit_slurm": ("hydra_plugins.hydra_submitit_launcher", "hydra-submitit-launcher", "slurm"),
    "ray": ("hydra_plugins.hydra_ray_launcher", "hydra-ray-launcher", "ray"),
}

DESCRIPTION = """\
Do a run for each combination of the values that are named, as 'fourfold run' would do it. Runs of one model
are one job: it loads the model once. Runs whose records are there are not repeated, so that the same command
goes on where it was stopped. A run that fails is listed at the end, and the others are done. Beside other
solvers or embeddings, solver=exact is done once, not with each of seeds=, where it depends on no seed.

A value may be several: a,b or range(1,4) or, for the choices below, glob(e5*). A list in brackets is one
value. What 'fourfold run' takes, a sweep takes.

choices (the default is marked *):
{choices}

other settings, with an example each:
  paths.ocw=FOLDER_OR_FILE   where each data set is: paths.ocw, paths.ocw_randomized and so on
  launcher.n_jobs=2          with launcher=joblib: jobs at once
  launcher.at_once=2         with launcher=submitit_local: the same
  launcher.partition=gpu     with launcher=submitit_slurm; also account, qos, constraint, timeout_min, mem_gb,
                             gpus_per_node, cpus_per_task and array_parallelism
  launcher.num_cpus=8        with launcher=ray; also address and gpus_per_job

An experiment such as table3 names its models; those that are not on this machine and cannot be fetched are
named at the end, and are no failure.
"""

EXAMPLES = """\
examples:
  fourfold sweep model=minilm embedding=static,contextual solver=kmeans,exact
  fourfold sweep model=minilm,all_mpnet_base dataset=ocw,ocw_randomized paths.ocw=OCW paths.ocw_randomized=R
  fourfold sweep 'model=glob(e5*)' seeds=16,1000 launcher=joblib launcher.n_jobs=4
  fourfold sweep experiment=table3 paths.ocw=OCW/dataset
  fourfold sweep experiment=table6 paths.ocw=OCW/dataset launcher=submitit_slurm launcher.partition=gpu
"""


def main(words: Sequence[str]) -> int:
    """Do the runs and say what became of them."""
    parser = Parser(prog="fourfold sweep", description=_description(), epilog=EXAMPLES)
    parser.add_argument("overrides", nargs="*", metavar="key=value[,value]", help="choices and settings")
    overrides: list[str] = parser.parse_args(words).overrides
    need("sweep", PACKAGES)
    _need_launcher(overrides)

    from ...conf.sweep import read_sweep
    from ..progress import ProgressBars
    from ..sweeps.plan import plan_sweep
    from ..sweeps.sweep import Tally, do_sweep

    sweep = read_sweep(overrides)
    tally = Tally()
    try:
        with ProgressBars() as bars:
            plan = plan_sweep(sweep, bars)
            if plan.done:
                bars.say(f"{len(plan.done)} of {len(plan)} runs are done already")
            do_sweep(sweep, plan, bars, tally)
    except KeyboardInterrupt:
        print(
            f"fourfold: stopped; {len(tally.done)} of {tally.total} runs are done and kept:"
            " the same command goes on with the others",
            file=sys.stderr,
        )
        return 130
    return _report(tally)


def _need_launcher(overrides: Sequence[str]) -> None:
    """Raise UserError if the launcher that is named has not what it needs."""
    for word in overrides:
        key, _, name = word.partition("=")
        if key == LAUNCHER and name in LAUNCHERS:
            module, pip, extra = LAUNCHERS[name]
            need(f"sweep {word}", {module: pip}, extra)
            if name == "submitit_slurm" and shutil.which("sbatch") is None:
                raise UserError(
                    f"{word} needs Slurm's sbatch, which is not on this machine: start the sweep where it is,"
                    " or choose launcher=submitit_local"
                )


def _report(tally: Tally) -> int:
    from ..records.store import read_record
    from ..tables.run_list import list_sheet
    from ..wording import counted
    from .table_output import sheet_text

    if tally.done:
        records = [(folder, read_record(folder)) for _, folder in tally.done]
        new = len(tally.done) - tally.before - tally.elsewhere
        print(sheet_text(list_sheet(records, f"{counted(len(records), 'run')} done, {new} of them now")))
        print(f"records: {', '.join(sorted({str(folder.parent) for _, folder in tally.done}))}")
    for heading, listed in (("not to hand", tally.absent), ("failed", tally.failed)):
        if listed:
            print(f"\n{heading}: {len(listed)} of {tally.total} runs", file=sys.stderr)
            print("\n".join(_by_reason(listed)), file=sys.stderr)
    if tally.failed:
        print("The same command tries these again.", file=sys.stderr)
    if tally.absent and not tally.done and not tally.failed:
        print("fourfold: no run was done, since no model is to hand", file=sys.stderr)
    return 1 if tally.failed or not tally.done else 0


def _by_reason(listed: Sequence[tuple[str, str]]) -> list[str]:
    """Lines that give each reason once, however many runs have it."""
    labels: dict[str, list[str]] = {}
    for label, reason in listed:
        labels.setdefault(reason, []).append(label or "the run")
    lines = []
    for reason, of_reason in labels.items():
        if len(of_reason) == 1:
            lines.append(f"  {of_reason[0]}: {reason}")
        else:
            lines += [f"  {reason}:", *(f"    {label}" for label in of_reason)]
    return lines


def _description() -> str:
    lines = []
    for group in (*GROUPS, EXPERIMENT, LAUNCHER):
        default = "basic" if group == LAUNCHER else default_choice(group)
        names = "  ".join(f"{name}{'*' if name == default else ''}" for name in choices(group))
        lines.append(f"  {group + '=':<11} {names}")
    return DESCRIPTION.format(choices="\n".join(lines))
