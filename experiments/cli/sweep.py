"""``fourfold sweep``: many runs with one command, which goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...conf.choices import EXPERIMENT, GROUPS, LAUNCHER, choices, default_choice
from ..runs import PACKAGES
from . import sweep_llm
from .arguments import Parser
from .commands import need
from .sweeping import need_launcher, sweep_runs

if TYPE_CHECKING:
    pass

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
