"""Exact partitions on CUDA: in the simulator, compiled to PTX, and on a card."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from cuda_simulator import run_in_the_simulator

from fourfold.engine.partition import best_partitions, list_groups

IN_SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
SHAPES = [(2, 2, 2), (1, 3, 2), (3, 2), (4,)]


def compare_devices(sizes: tuple[int, ...], given: bool, n_problems: int = 3) -> None:
    rng = np.random.default_rng(len(sizes))
    points = np.round(rng.normal(size=(n_problems, sum(sizes), 3)), 1)  # with ties
    arguments: dict[str, Any] = {"gram": points @ points.transpose(0, 2, 1)}
    if given:
        groups = {size: list_groups(sum(sizes), size) for size in set(sizes)}
        arguments = {"group_cost": {s: rng.normal(size=(n_problems, len(g))) for s, g in groups.items()}}
    top = 1 if len(sizes) == 1 else 5
    cpu = best_partitions(**arguments, group_size=sizes, top=top, device="cpu")
    card = best_partitions(**arguments, group_size=sizes, top=top, device="cuda")
    assert card.device == "cuda"
    np.testing.assert_array_equal(card.cost, cpu.cost)
    np.testing.assert_array_equal(card.labels, cpu.labels)


@pytest.mark.skipif(not IN_SIMULATOR, reason="runs in numba's simulator: make test-sim, or the next test")
@pytest.mark.parametrize("given", [False, True], ids=["gram", "group_cost"])
@pytest.mark.parametrize("sizes", SHAPES, ids=str)
def test_in_the_simulator(sizes: tuple[int, ...], given: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.kernels import cuda_partition

    monkeypatch.setattr(cuda_partition, "N_THREADS", 3)
    monkeypatch.setattr(cuda_partition, "MOST_BLOCKS", 2)  # of which one takes two problems
    compare_devices(sizes, given)
    monkeypatch.setattr(cuda_partition, "SHARED_BYTES", 0)
    compare_devices(sizes, given)


@pytest.mark.slow
@pytest.mark.skipif(IN_SIMULATOR, reason="this is the simulator")
def test_the_simulator_agrees_with_the_cpu() -> None:
    """Run the tests above where numba is told to simulate a device."""
    run_in_the_simulator(__file__, 2 * len(SHAPES))


@pytest.mark.slow
@pytest.mark.skipif(IN_SIMULATOR, reason="the simulator does not compile")
def test_the_kernel_compiles_to_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    cuda = pytest.importorskip("numba.cuda", reason="numba-cuda is absent: pip install 'fourfold[cuda]'")
    from numba import boolean, float64, int64, uint64
    from numba.cuda import dispatcher

    from fourfold.kernels.cuda_partition import partition_kernel

    # Device functions ask the current device what to compile for; there need not be one.
    card = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: card)
    u1, u3 = uint64[::1], uint64[:, :, ::1]
    i1, i2, i3, i4 = int64[::1], int64[:, ::1], int64[:, :, ::1], int64[:, :, :, ::1]
    f2, f3, f4 = float64[:, ::1], float64[:, :, ::1], float64[:, :, :, ::1]
    inputs = (f3, f2, i1, i1, i2, i2, i1, i2, u1, u1, boolean)
    scratch = (f2, i4, i3, u3, i4, f4, i3, i2)
    signature = (*inputs, *scratch, i3, f2, i1)
    ptx, _ = cuda.compile_ptx(partition_kernel(), signature, cc=(9, 0))
    assert "partition_block" in ptx
    assert ".target sm_90" in ptx


@pytest.mark.gpu
@pytest.mark.parametrize("given", [False, True], ids=["gram", "group_cost"])
@pytest.mark.parametrize("sizes", [*SHAPES, (4, 4, 4, 4), (3, 4, 5, 4)], ids=str)
def test_on_a_card(sizes: tuple[int, ...], given: bool) -> None:
    compare_devices(sizes, given, n_problems=300)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [((1,) * 65, "65 points exceed the 64"), ((5,) * 4, "9,393,384 additions a problem exceed")],
    ids=["points", "additions"],
)
def test_shapes_too_large_for_a_card(sizes: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_partitions(np.eye(sum(sizes)), sizes, device="cuda")
