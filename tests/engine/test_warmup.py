"""``fourfold warmup``: afterwards nothing is left to compile."""

import re

from python_processes import finish, start_python

WARM = """
import sys
from fourfold.experiments.cli import main
code = main(["warmup"])
from fourfold.kernels.jit import KERNELS
import fourfold.kernels, importlib, pkgutil
for module in pkgutil.iter_modules(fourfold.kernels.__path__):
    if not module.name.startswith("cuda"):
        importlib.import_module(f"fourfold.kernels.{module.name}")
# Stored code of a kernel holds that of the kernels that it calls, which are then not loaded.
compiled = [kernel for kernel in KERNELS if kernel.signatures]
for kernel in compiled:
    called = map(kernel.py_func.__globals__.get, kernel.py_func.__code__.co_names)
    compiled += [other for other in called if hasattr(other, "py_func") and other not in compiled]
print(code, [kernel.__name__ for kernel in KERNELS if kernel not in compiled])
import numpy as np
from fourfold import ConstrainedKMeans, assign, best_partitions, cluster_batch
before = sum(sum(kernel.stats.cache_misses.values()) for kernel in KERNELS)
rng = np.random.default_rng(1)
for dtype in ("f4", "f8", int):
    X = (5 * rng.normal(size=(700, 5))).astype(dtype)
    ConstrainedKMeans(7, 90, 110, random_state=0).fit(X).predict(X, None, None)
    assign(X, 10, 400)
    cluster_batch(X.reshape(10, 70, 5), 7, 10, 10, seeds=2)
best_partitions(np.eye(12), 3, top=5)
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in KERNELS) - before)
"""


def test_everything_is_compiled_and_stored():
    first, others = finish(start_python(WARM), timeout=900).split("\n", 1)
    assert re.search(r"^(compiled \d+ functions? in|nothing to compile: all is stored in) ", first)
    # Only CUDA kernels take single distances from points.
    assert others.split("\n") == ["0 ['distance_in_points']", "0"]
    again = finish(start_python("from fourfold.experiments.cli import main; main(['warmup'])"))
    assert again.startswith("nothing to compile: all is stored in ")


def test_code_that_cannot_be_stored_is_a_failure(monkeypatch, capsys):
    from fourfold.engine import warmup
    from fourfold.experiments.cli import main
    from fourfold.kernels import compiled_code

    monkeypatch.setattr(warmup, "_jobs", lambda: [])
    monkeypatch.setattr(compiled_code, "_FAILED", ["compiled code cannot be stored in X"])
    assert main(["warmup"]) == 2
    assert capsys.readouterr().err == "fourfold: compiled code cannot be stored in X\n"
