"""Starting Python in processes of its own, as a user's machine would."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fourfold

PACKAGE = Path(fourfold.__file__).resolve().parent


def start_python(code, env=None, command=()):
    """A process that runs ``code``, without cache folders taken over but for that of compiled code."""
    inherited = {k: v for k, v in os.environ.items() if k != "XDG_CACHE_HOME"}
    return subprocess.Popen(
        [*command, sys.executable, "-c", code],
        env={**inherited, "PYTHONPATH": str(PACKAGE.parent), **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process, timeout=240):
    """What a process printed, once it has ended well."""
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    assert process.returncode == 0, err[-2000:]
    return out.strip()


def without_root_rights():
    """What to put before a command, so that permissions hold for root too."""
    if os.geteuid() != 0:
        return ()
    if not (setpriv := shutil.which("setpriv")):
        pytest.skip("root ignores permissions, and setpriv, which takes that right away, is absent")
    return (setpriv, "--bounding-set=-dac_override")
