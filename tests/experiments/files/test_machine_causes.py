"""Where the machine lacks something, that is named, whatever the error blames."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fourfold.errors import UserError
from fourfold.experiments.files.machine_causes import machine_cause

SOURCE = Path(__file__).parents[3] / "src"
PLAIN = "import sys; from fourfold.experiments.cli import main; sys.exit(main())"


def caused(error, by):
    error.__cause__ = by
    return error


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (caused(UserError("a.npz is damaged"), OSError(errno.EMFILE, "Too many")), "too many files"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "the memory is not enough"),
        (caused(UserError("the model is damaged"), MemoryError()), "the memory is not enough"),
        (ImportError("libtorch.so: failed to map segment from shared object"), "the memory is not enough"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "the memory is not enough"),
        (RuntimeError("can't start new thread"), "no further thread can be started"),
        (UserError("labels.npz is damaged"), None),
        (FileNotFoundError(errno.ENOENT, "No such file", "x"), None),
        (RuntimeError("CUDA out of memory: halve the batch"), None),
    ],
)  # fmt: skip
def test_the_cause_is_named_however_deep(error, cause):
    assert machine_cause(error).startswith(cause) if cause else machine_cause(error) == ""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="of a shell of Unix")
@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ("exec {python} -c '{code}' solve - <&-", "standard input holds no clues"),
        ("mkdir gone; cd gone; rmdir ../gone; exec {python} -c '{code}' solve a b c d", "has been deleted"),
    ],
)  # fmt: skip
def test_what_a_process_lacks_is_one_line(tmp_path, shell, said):
    done = subprocess.run(
        ["/bin/sh", "-c", shell.format(python=sys.executable, code=PLAIN)],
        cwd=tmp_path, text=True, check=False, timeout=120, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    (line,) = (line for line in done.stderr.splitlines() if "shell-init" not in line)
    assert line.startswith("fourfold: ")
    assert said in line
    assert done.returncode == 2
