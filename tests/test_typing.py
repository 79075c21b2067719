"""What ``py.typed`` promises: a type checker sees through the lazy names, on a script as a user writes it."""

import re
import sys

import pytest

SCRIPT = """
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import fourfold.engine
from fourfold import (
    Assignment, BatchSolution, ConstrainedKMeans, Partitions, assign, best_partitions, cluster_batch,
)

X = np.random.default_rng(0).normal(size=(24, 2))
model = ConstrainedKMeans(4, size_min=6, size_max=[6, 6, 6, 6], n_init="auto", random_state=0)
ConstrainedKMeans(4, np.full(4, 6), np.int64(6), init=X[:4])
ConstrainedKMeans(2, init=[[0.0, 1], [1, 2]])
ConstrainedKMeans(4, init=lambda X, k, random_state: X[:k])
assert_type(model.fit(X), ConstrainedKMeans)
assert_type(model.fit(X).predict(X.tolist()), NDArray[np.int32])
assert_type(model.predict(X, size_min=None, size_max=3), NDArray[np.int32])
assert_type(model.fit_predict(X, sample_weight=np.ones(24)), NDArray[np.int32])
assert_type(model.labels_, NDArray[np.int32])
assert_type(model.inertia_, float)
assert_type(assign([[1, 2], [3, 4]], 1, 1), Assignment)
assert_type(assign(X, size_max=[12, 12]).labels, NDArray[np.int64])
assert_type(assign(X).cost, float)
assert_type(cluster_batch(X[None], 4, 6, 6, seeds=[1, 2]), BatchSolution)
assert_type(cluster_batch(X[None], 2).inertia, NDArray[np.float64])
assert_type(best_partitions(X @ X.T, 4), Partitions)
assert_type(best_partitions(group_cost=np.ones(15), group_size=2).cost, NDArray[np.float64])

from fourfold import ConstrainedKMean  # wrong: attr-defined
ConstrainedKMeans(n_clusters="x", nope=3)  # wrong: arg-type, call-arg
ConstrainedKMeans(4, size_min="six")  # wrong: arg-type
ConstrainedKMeans(4, metric="l1")  # wrong: arg-type
ConstrainedKMeans(4, init="kmeans")  # wrong: arg-type
ConstrainedKMeans(4, n_init="many")  # wrong: arg-type
fourfold.engine.ConstrainedKMeans(nope=3)  # wrong: call-arg
fourfold.ConstrainedKMeans(nope=3)  # wrong: call-arg
model.predict(X, size_min="fit")  # wrong: arg-type
model.predict(X, nope=1)  # wrong: call-arg
assign(X, "one")  # wrong: arg-type
assign(X).label  # wrong: attr-defined
cluster_batch(X, n_clusters="x")  # wrong: arg-type
cluster_batch(X, assignment_cost="plain")  # wrong: arg-type
best_partitions(X, group_size="4")  # wrong: arg-type
best_partitions(X, nope=4)  # wrong: call-arg
"""


def test_mypy_finds_what_is_wrong_in_a_users_script_and_nothing_else(tmp_path, pytestconfig, monkeypatch):
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)  # the project's own settings are not the user's
    cache = pytestconfig.cache.mkdir("mypy")
    printed, failed, _ = api.run(
        ["--strict", "--python-executable", sys.executable, "--cache-dir", str(cache), str(script)]
    )
    assert not failed, failed
    got = {}
    for line, code in re.findall(r"script\.py:(\d+): error: .*\[([\w-]+)\]", printed):
        got.setdefault(int(line), set()).add(code)
    want = {
        number: set(line.split("# wrong: ")[1].split(", "))
        for number, line in enumerate(SCRIPT.splitlines(), 1)
        if "# wrong: " in line
    }
    assert got == want, printed
