"""What pytest needs to know about the machine."""

import os
import signal
import sys
from collections import Counter
from importlib.util import find_spec

import pytest

from fourfold.cache_folder import cache_folder

# Compiled code is shared by all tests and the processes that they start, as by all processes of a user.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / "compiled"))

# So are compiled modules: otherwise each worker and each process that a test starts compiles its own.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

if find_spec("hydra"):
    from quick_hydra import remember_files

    remember_files()

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a script's background job, whose children would ignore Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """Give each of several test processes one thread for linear algebra: more would wait for cores."""
    if config.getoption("numprocesses", None):
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def pytest_collection_modifyitems(config, items):
    """Skip what needs a CUDA device where there is none; among workers, files of slow tests come first."""
    if config.getoption("numprocesses", None) or "PYTEST_XDIST_WORKER" in os.environ:
        # Otherwise one worker would end with a long file while the others have nothing left.
        n_slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
        items.sort(key=lambda item: -n_slow[item.path])
    if not any(item.get_closest_marker("gpu") for item in items):
        return
    from fourfold.engine.device import resolve_device

    if resolve_device("auto") == "cuda":
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path_factory):
    """What is kept in the user's cache goes to a folder of the test's own."""
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path_factory.mktemp("cache")))
