"""The CUDA kernels: in the simulator, compiled to PTX, and on a card."""

import os

import numpy as np
import pytest
from cuda_simulator import run_in_the_simulator

from fourfold import cluster_batch

IN_SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
CASES = [
    {"points": 9, "n_clusters": 3, "size_min": 3, "size_max": 3},
    {"points": 8, "n_clusters": 2, "size_min": 2, "size_max": None, "assignment_cost": "euclidean"},
    {"points": 8, "n_clusters": 3, "size_min": [1, 2, 3], "size_max": [3, 4, 4]},
    {"points": 8, "n_clusters": 2, "size_min": 4, "size_max": 4, "equal": True},
]


def compare_devices(case, use_gram, threads=None, monkeypatch=None):
    """Solve one small batch on the CPU and on the device in use, and compare."""
    from fourfold.kernels import cuda as launches

    if threads is not None:
        monkeypatch.setattr(launches.solve_on_cuda, "__defaults__", (threads,))
    case = dict(case)
    n_points = case.pop("points")
    rng = np.random.default_rng(n_points)
    points = rng.normal(size=(2, n_points, 3)).astype(np.float32)
    if case.pop("equal", False):
        points = np.sign(points)
    data = {"gram": points @ points.transpose(0, 2, 1)} if use_gram else {"points": points}
    orders = np.array([rng.permutation(n_points) for _ in range(2)])
    arguments = {**data, **case, "seeds": [3, 2**40], "n_init": 2, "orders": orders}
    cpu = cluster_batch(device="cpu", **arguments)
    card = cluster_batch(device="cuda", **arguments)
    assert card.device == "cuda"
    np.testing.assert_allclose(card.inertia, cpu.inertia, rtol=1e-9)
    np.testing.assert_array_equal(card.labels, cpu.labels)
    np.testing.assert_array_equal(card.status, cpu.status)
    np.testing.assert_array_equal(card.n_iter, cpu.n_iter)


@pytest.mark.skipif(not IN_SIMULATOR, reason="runs in numba's simulator: make test-sim, or the next test")
@pytest.mark.parametrize("use_gram", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_in_the_simulator(case, use_gram, monkeypatch):
    compare_devices(case, use_gram, threads=3, monkeypatch=monkeypatch)


@pytest.mark.slow
@pytest.mark.skipif(IN_SIMULATOR, reason="this is the simulator")
def test_the_simulator_agrees_with_the_cpu():
    """Run the tests above where numba is told to simulate a device."""
    run_in_the_simulator(__file__, 2 * len(CASES))


@pytest.mark.slow
@pytest.mark.skipif(IN_SIMULATOR, reason="the simulator does not compile")
def test_the_kernels_compile_to_ptx(monkeypatch):
    from types import SimpleNamespace

    cuda = pytest.importorskip("numba.cuda", reason="numba-cuda is absent: pip install 'fourfold[cuda]'")
    from numba import boolean, float32, float64, int16, int64, uint64
    from numba.cuda import dispatcher

    from fourfold.kernels import cuda as launches

    # Device functions ask the current device what to compile for; there need not be one.
    card = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: card)
    starts = (
        (float32[:, :, ::1], boolean, uint64[::1], int64[:, ::1], int64, int64[::1], int64[::1])
        + (boolean, boolean, int64)
        + (int16[:, :, :, ::1], float64[:, :, ::1], int64[:, :, ::1], int64[:, :, ::1])
    )
    best = (int16[:, :, :, ::1], float64[:, :, ::1], int64[:, :, ::1], int64[:, :, ::1]) + (
        int16[:, :, ::1],
        float64[:, ::1],
        int64[:, ::1],
        int64[:, ::1],
    )
    for source, signature in [(launches.starts_kernel(16, 4), starts), (launches.best_kernel(), best)]:
        ptx, _ = cuda.compile_ptx(source, signature, cc=(9, 0))
        assert f".entry {source.__name__}" in ptx or source.__name__ in ptx
        assert ".target sm_90" in ptx


@pytest.mark.gpu
@pytest.mark.parametrize("use_gram", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_on_a_card(case, use_gram):
    compare_devices(case, use_gram)


def test_a_device_asked_for_is_used_or_an_error():
    from fourfold.engine.device import resolve_device

    with pytest.raises(ValueError, match="exceed the 76"):
        cluster_batch(np.zeros((1, 77, 2)), 2, device="cuda")
    with pytest.raises(ValueError, match="because of 12"):
        resolve_device("cuda", "because of 12")
    assert resolve_device("auto", "because of 12") == "cpu"
    assert resolve_device("cpu") == "cpu"
