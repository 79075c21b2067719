"""cluster_batch across forks, threads and Ctrl-C."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from python_processes import finish, start_python

from fourfold import cluster_batch

WALLS = np.random.default_rng(0).normal(size=(30, 16, 8))
FIT = """
import numpy as np
from fourfold import cluster_batch
walls = np.random.default_rng(0).normal(size=(30, 16, 8))
"""
PRINT = "print(cluster_batch(walls, 4, 4, 4, seeds=3, n_jobs=2).labels.sum(axis=(0, 1)).tolist())\n"


def expected():
    return str(cluster_batch(WALLS, 4, 4, 4, seeds=3).labels.sum(axis=(0, 1)).tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_child_can_fit_after_a_fork():
    code = FIT + (
        "import os, warnings\n"
        "cluster_batch(walls, 4, 4, 4, n_jobs=2)\n"
        "warnings.simplefilter('error')\n"
        "child = os.fork()\n"
        "cluster_batch(walls, 4, 4, 4, n_jobs=2)\n"
        "if child: assert os.waitpid(child, 0)[1] == 0\n" + PRINT
    )  # one after the other: two writers of one pipe can mix their lines
    assert finish(start_python(code)).split("\n") == [expected()] * 2


def test_threads_can_fit_at_once():
    results = [None] * 4

    def fit(slot):
        results[slot] = cluster_batch(WALLS, 4, 4, 4, seeds=3, n_jobs=2).labels

    threads = [threading.Thread(target=fit, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for labels in results:
        np.testing.assert_array_equal(labels, cluster_batch(WALLS, 4, 4, 4, seeds=3).labels)


def test_ctrl_c_ends_a_long_fit():
    code = FIT + (
        "import time\n"
        "cluster_batch(walls, 4, 4, 4)\n"
        "points = np.random.default_rng(0).normal(size=(400, 60, 8))\n"
        "print('started', flush=True)\n"
        "begin = time.monotonic()\n"
        "try:\n"
        "    cluster_batch(points, 6, 10, 10, seeds=2000)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    process = start_python(code)
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert finish(process) == "interrupted"
    assert time.monotonic() - begin < 10  # about two seconds on an idle machine
