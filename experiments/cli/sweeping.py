"""What the sweeps of all kinds of runs have in common on the command line."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...conf.choices import LAUNCHER
from ...errors import UserError
from ..terminal.messages import tell
from .commands import need

if TYPE_CHECKING:
    from ...conf.sweep import Sweep
    from ..runs.kinds import Kind
    from ..runs.sweep import Tally

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
    from ..terminal.messages import counted
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
