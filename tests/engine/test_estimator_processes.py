"""``ConstrainedKMeans`` across forks, threads and Ctrl-C."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from python_processes import finish, start_python

from fourfold import ConstrainedKMeans

FIT = """
import numpy as np
from fourfold import ConstrainedKMeans
X = np.random.default_rng(0).normal(size=(90, 3))
def fit(): return ConstrainedKMeans(5, 18, 18, n_init=3, random_state=0).fit(X).labels_.tolist()
"""


def expected():
    X = np.random.default_rng(0).normal(size=(90, 3))
    return str(ConstrainedKMeans(5, 18, 18, n_init=3, random_state=0).fit(X).labels_.tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_child_can_fit_after_a_fork():
    code = FIT + (
        "import os\nfit()\nchild = os.fork()\nlabels = fit()\n"
        "if child: assert os.waitpid(child, 0)[1] == 0\n"
        "print(labels, flush=True)\n"  # one after the other: two writers of one pipe can mix their lines
    )
    assert finish(start_python(code)).split("\n") == [expected()] * 2


def test_threads_can_fit_at_once():
    X = np.random.default_rng(1).normal(size=(60_000, 4)).astype(np.float32)
    results = [None] * 4

    def fit(slot):
        results[slot] = ConstrainedKMeans(20, 3000, 3000, init=X[:20], max_iter=3).fit(X).labels_

    threads = [threading.Thread(target=fit, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for labels in results:
        np.testing.assert_array_equal(labels, results[0])
    from threadpoolctl import threadpool_info

    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert all(count == max(blas) for count in blas)


@pytest.mark.parametrize("big", [True, False])
def test_ctrl_c_ends_a_long_fit(big):
    model = (
        "ConstrainedKMeans(100, 3000, 3000, n_init=1, tol=0, init=Y[:100], max_iter=10**6)"
        if big
        else ("ConstrainedKMeans(20, 200, 200, n_init=10**5, max_iter=300, tol=0)")
    )
    code = FIT + (
        f"fit()\nY = np.random.default_rng(0).normal(size=({300_000 if big else 4000}, 16))\n"
        f"print('started', flush=True)\n"
        f"try:\n    {model}.fit(Y)\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    process = start_python(code)
    assert process.stdout.readline() == "started\n"
    time.sleep(1)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert finish(process) == "interrupted"
    assert time.monotonic() - begin < 10  # about a second on an idle machine
