"""A job's process ends with the sweep that started it, whatever ended that."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src"
JOB = """
import sys, time
from pathlib import Path
from fourfold.experiments.runs.sweep_job import end_with
end_with(int(sys.argv[1]))
Path(sys.argv[2]).touch()
time.sleep(60)
"""
SWEEP = """
import os, subprocess, sys
job = subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid() + int(sys.argv[3])), sys.argv[2]])
print(job.pid, flush=True)
job.wait()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows gives an orphan no other parent")
@pytest.mark.parametrize(("other", "goes_on"), [(0, False), (1, True)])
def test_an_orphan_ends_unless_its_parent_was_not_the_sweep(tmp_path, other, goes_on):
    begun = tmp_path / "begun"
    sweep = subprocess.Popen(
        [sys.executable, "-c", SWEEP, JOB, str(begun), str(other)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    job = int(sweep.stdout.readline())
    try:
        for _ in range(6_000):
            if begun.exists():
                break
            time.sleep(0.01)
        assert begun.exists()
        sweep.kill()
        sweep.wait()
        assert _is_there(job, 1.5 if goes_on else 30) == goes_on
    finally:
        sweep.stdout.close()
        if goes_on:
            os.kill(job, 9)


def _is_there(process, seconds):
    """Whether a process is still there after so many seconds; earlier if it is not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
            if b") Z " in Path(f"/proc/{process}/stat").read_bytes():  # nobody has fetched its exit code yet
                return False
        except FileNotFoundError:  # no /proc here
            pass
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True
