"""Trials of faults, drawn by seeds, for minutes: ``make soak``, or ``make soak SEED=7 TRIALS=kills``.

A trial is a module beside this one with a function ``trial(seed, folder)``: it does something once, drawn by
``seed``, in a folder of its own that stays for the next seed, and returns what is to be counted. What it
raises is a fault. Each prints a line of counts; the exit code is 1 where there was a fault, and its line says
what repeats it.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
NOT_TRIALS = {"soak", "damage"}


def trials() -> list[str]:
    """The names of all trials."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_TRIALS)


def run(name: str, first: int, seconds: float, most: int) -> tuple[Counter[str], list[str]]:
    """Do a trial with one seed after the other for some seconds; its counts, and its faults with seeds."""
    trial = import_module(name).trial
    counts: Counter[str] = Counter()
    faults: list[str] = []
    end = time.monotonic() + seconds
    seed = first
    with tempfile.TemporaryDirectory(prefix=f"soak-{name}-") as folder:
        while time.monotonic() < end and seed < first + most and len(faults) < 10:
            try:
                counts += trial(seed, Path(folder))
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(place.filename).name}:{place.lineno}"
                faults.append(f"SEED={seed} TRIALS={name}: {type(error).__name__} at {where}: {error}")
            seed += 1
    return counts, faults


def main() -> int:
    """Do the trials that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="TRIAL", help=", ".join(trials()))
    parser.add_argument("--seed", type=int, help="of the first time; only this one unless --minutes is given")
    parser.add_argument("--minutes", type=float, help="for all trials together (default: 10)")
    chosen = parser.parse_args()
    names = chosen.names or trials()
    once = chosen.seed is not None and chosen.minutes is None
    seconds = 60 * (chosen.minutes or 10) / len(names)
    n_faults = 0
    for name in names:
        start = time.monotonic()
        first = chosen.seed or 0
        counts, faults = run(name, first, seconds, 1 if once else sys.maxsize)
        told = ", ".join(f"{what} {number:,}" for what, number in sorted(counts.items()))
        taken = f"{time.monotonic() - start:.0f} s"
        print(f"{name}: {told or 'nothing'}; {len(faults)} faults; {taken}", flush=True)
        for fault in faults:
            print(f"  make soak {fault}", flush=True)
        n_faults += len(faults)
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent / "support"))
    sys.exit(main())
