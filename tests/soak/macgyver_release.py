"""Damaged files of the MacGyver release in every format: read, or refused in one line."""

import shutil
from collections import Counter
from pathlib import Path
from random import Random

from damage import damage
from damaged_records import show
from macgyver_files import write_release

ENDINGS = (".jsonl", ".xlsx", ".csv", ".parquet")


def trial(seed: int, folder: Path) -> Counter[str]:
    """Damage one file of the release and ask for its counts."""
    random = Random(seed)
    ending = random.choice(ENDINGS)
    whole = folder / ending[1:]
    if not whole.exists():
        whole.mkdir()
        write_release(whole, ending)
    damaged = folder / "damaged"
    shutil.copytree(whole, damaged)
    try:
        path = random.choice([each for each in damaged.iterdir() if each.is_file()])
        how = f"seed {seed}: {damage(path, random)}"
        out, err = show(["macgyver", "stats", "--data", str(damaged)], how, also=2)
        assert bool(out) != bool(err), how
        return Counter({"trials": 1, "read" if out else "refused": 1})
    finally:
        shutil.rmtree(damaged)
