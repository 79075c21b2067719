"""A run or sweep that is killed at any moment and given again, or twice at once: all results, and equal."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
from letter_walls import walls_document

from fourfold.experiments.runs.encoder.files import list_records, read_inertia, read_labels

TESTS = Path(__file__).resolve().parents[1]


def trial(seed: int, folder: Path) -> Counter[str]:
    """Kill a command at a random moment, up to twice, and give it again until it has ended well."""
    random = Random(seed)
    words = _words(folder, random.choice(["run", "sweep"]))
    expected = folder / f"expected-{words[0]}"
    if not expected.exists():
        code, said = _end(_start(words, expected, folder))
        assert code == 0, said
    out = folder / "runs"
    counts: Counter[str] = Counter(trials=1)
    for _ in range(random.randint(1, 2)):
        process = _start(words, out, folder)
        # At any moment from the start to the end, most often while it works.
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=random.uniform(0.5, 12.0))
        counts["killed" if process.poll() is None else "had ended"] += 1
        process.kill()
        process.communicate()
        if out.exists():
            assert not [each.problem for each in list_records(out) if each.record is None], f"seed {seed}"
    both = [_start(words, out, folder) for _ in range(random.choice([1, 1, 2]))]
    for process in both:
        code, said = _end(process)
        assert code == 0, f"seed {seed}: {said}"
    counts["two at once"] += len(both) == 2
    counts["records"] += _compared(expected, out, f"seed {seed}: {' '.join(words)}")
    shutil.rmtree(out)
    return counts


def _words(folder: Path, command: str) -> list[str]:
    paths = []
    for number, name in enumerate("ab", start=2):
        path = folder / f"{name}.json"
        if not path.exists():
            path.write_text(json.dumps(walls_document(number)), encoding="utf-8")
        paths.append(str(path))
    if command == "run":
        return ["run", "dataset=ocw", f"dataset.path={paths[0]}", "seeds=2", "cache=false"]
    return ["sweep", "dataset=ocw", f"dataset.path={','.join(paths)}", "seeds=1,2", "cache=false"]


def _start(words: list[str], out: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(TESTS / "support" / "run_with_letters.py"), *words, f"out={out}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(TESTS.parent / "src"), "OMP_NUM_THREADS": "1"},
    )


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=300)
    assert "Traceback" not in said, said
    return process.returncode, said


def _compared(expected: Path, out: Path, how: str) -> int:
    """The number of records, all whole and equal to the expected ones, with nothing beside them."""
    names = sorted(path.name for path in expected.iterdir())
    assert sorted(path.name for path in out.iterdir()) == names, f"{how}: {sorted(out.iterdir())}"
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in names), how
    for name in names:
        one, two = (_read(folder / name) for folder in (expected, out))
        assert one[0] == two[0], f"{how}: metrics of {name}"
        assert all(map(np.array_equal, one[1:], two[1:])), f"{how}: labels of {name}"
    return len(names)


def _read(folder: Path) -> tuple[object, ...]:
    (listed,) = (each for each in list_records(folder.parent) if each.folder == folder)
    assert listed.record is not None, listed.problem
    return listed.record.metrics, read_labels(folder, listed.record), read_inertia(folder)
