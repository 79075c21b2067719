"""A second pytest run with numba's CUDA simulator, which numba is told of at its import."""

import os
import subprocess
import sys
from pathlib import Path


def run_in_the_simulator(file, passed):
    """Run the tests of a file that are named so; as many must pass."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        file,
        "-k",
        "in_the_simulator",
    ]
    run = subprocess.run(
        command,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        cwd=Path(file).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-2000:]
    assert f"{passed} passed" in run.stdout
