"""What pytest needs to know about the machine."""

import os
import signal

import pytest

from fourfold.cache_folder import cache_folder

# Compiled code is shared by all tests and the processes that they start, as by all processes of a user.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / "compiled"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a script's background job, whose children would ignore Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Skip what needs a CUDA device where there is none."""
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
