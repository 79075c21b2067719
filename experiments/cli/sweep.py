"""``fourfold sweep``: many runs with one command, which goes on where it was stopped."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...conf.choices import EXPERIMENT, GROUPS, LAUNCHER, choices, default_choice
from ...errors import UserError
from ..runs import PACKAGES
from ..terminal.writing import tell
from .arguments import Parser
from .commands import need

if TYPE_CHECKING:
    from ...conf.sweep import Sweep
    from ..runs.kinds import Kind
    from ..runs.sweep import Tally


DESCRIPTION = """\
Do a run for each combination of the values that are named, as 'fourfold run' would do it. Runs of one model
are one job: it loads the model once. Runs whose records are there are not repeated, so that the same command
goes on where it was stopped. A run that fails is listed at the end, and the others are done. Beside other
solvers or embeddings, solver=exact is done once, not with each of seeds=, where it depends on no seed.

A value may be several: a,b or range(1,4) or, for the choices below, glob(e5*). A list in brackets is one
value. What 'fourfold run' takes, a sweep takes. 'fourfold sweep llm' does the same with the runs of
'fourfold llm', and its --help has their settings.

choices (the default is marked *):
{choices}

other settings, with an example each:
  paths.ocw=FOLDER_OR_FILE   where each data set is: paths.ocw, paths.ocw_randomized and so on
  paths.models=FOLDER        where models are, by their names on the hub
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
  fourfold sweep experiment=table3 paths.ocw=OCW/dataset paths.models=/models
  fourfold sweep experiment=table6 paths.ocw=OCW/dataset launcher=submitit_slurm launcher.partition=gpu
  fourfold sweep llm task=1,2 examples=0,3 model.name=gpt-4o dataset=ocw dataset.path=OCW/dataset
"""


def main(words: Sequence[str]) -> int:
    """Do the runs and say what became of them."""
    if words and words[0] == "llm":
        from . import sweep_llm

        return sweep_llm.main(words[1:])
    parser = Parser(prog="fourfold sweep", description=_description(), epilog=EXAMPLES)
    parser.add_argument("overrides", nargs="*", metavar="key=value[,value]", help="choices and settings")
    overrides: list[str] = parser.parse_args(words).overrides
    need("sweep", PACKAGES)
    need_launcher(overrides)

    from ...conf.sweep import read_sweep
    from ..runs.encoder.kind import KIND

    return sweep_runs(KIND, read_sweep(overrides))


def _description() -> str:
    lines = []
    for group in (*GROUPS, EXPERIMENT, LAUNCHER):
        default = "basic" if group == LAUNCHER else default_choice(group)
        names = "  ".join(f"{name}{'*' if name == default else ''}" for name in choices(group))
        lines.append(f"  {group + '=':<11} {names}")
    return DESCRIPTION.format(choices="\n".join(lines))


# Launcher: the module that starts its jobs, what pip calls it, and the extra that brings it.
LAUNCHERS = {
    "joblib": ("hydra_plugins.hydra_joblib_launcher", "hydra-joblib-launcher", "joblib"),
    "submitit_local": ("hydra_plugins.hydra_submitit_launcher", "hydra-submitit-launcher", "slurm"),
    "submitit_slurm": ("hydra_plugins.hydra_submitit_launcher", "hydra-submitit-launcher", "slurm"),
    "ray": ("hydra_plugins.hydra_ray_launcher", "hydra-ray-launcher", "ray"),
}


def sweep_runs(kind: Kind[Any], sweep: Sweep) -> int:
    """Do the runs of a sweep and say what became of them."""
    from ..runs.sweep import Tally, do_sweep
    from ..runs.sweep_plan import plan_sweep
    from ..terminal.progress import ProgressBars

    tally = Tally()
    try:
        with ProgressBars() as bars:
            plan = plan_sweep(kind.runs(), sweep, bars)
            if plan.done:
                bars.say(f"{len(plan.done)} of {len(plan)} runs are done already")
            do_sweep(sweep, plan, bars, tally)
    except KeyboardInterrupt:
        tell(
            f"stopped; {len(tally.done)} of {tally.total} runs are done and kept:"
            " the same command goes on with the others"
        )
        return 130
    return _report(tally, kind)


def need_launcher(overrides: Sequence[str]) -> None:
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


def _report(tally: Tally, kind: Kind[Any]) -> int:
    from ..runs.store import read
    from ..terminal.writing import counted
    from .table_output import sheet_text

    if tally.done:
        folders = [folder for _, folder in tally.done]
        new = len(tally.done) - tally.before - tally.elsewhere
        records = [(folder, read(kind.layout, folder)) for folder in folders]
        print(sheet_text(kind.sheet(records, f"{counted(len(folders), 'run')} done, {new} of them now")))
        if new and (spent := kind.spent([record for _, record in records[tally.before :]])):
            print(spent)
        print(f"records: {', '.join(sorted({str(folder.parent) for folder in folders}))}")
    for heading, listed in (("not to hand", tally.absent), ("failed", tally.failed)):
        if listed:
            print(f"\n{heading}: {len(listed)} of {tally.total} runs", file=sys.stderr)
            print("\n".join(_by_reason(listed)), file=sys.stderr)
    if tally.failed:
        print("The same command tries these again.", file=sys.stderr)
    if tally.absent and not tally.done and not tally.failed:
        tell("no run was done, since no model is to hand")
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
            lines += [f"  {reason.removesuffix('.')}:", *(f"    {label}" for label in of_reason)]
    return lines
