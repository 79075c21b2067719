"""Time a CUDA card beside this machine's CPU; called by cuda_check.sh, which says what is needed.

Each operation is run once to compile, then a few times; the least time counts. Quality stands beside time:
the mean cost on both devices, and the share of solutions that are the same.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from fourfold.engine import best_partitions, cluster_batch
from fourfold.engine.device import resolve_device, resolve_n_threads


def best_time(function: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """Seconds of the fastest round after one that compiles, and the result."""
    result = function()
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), result


def compare(name: str, units: int, solve: Callable[[str], Any], cost: Callable[[Any], Any]) -> dict[str, Any]:
    """Time one operation on both devices."""
    seconds, results = {}, {}
    for device in ("cpu", "cuda"):
        seconds[device], results[device] = best_time(lambda device=device: solve(device))
        assert results[device].device == device
    row = {
        "operation": name,
        "units": units,
        "cpu_us_a_unit": seconds["cpu"] / units * 1e6,
        "cuda_us_a_unit": seconds["cuda"] / units * 1e6,
        "cpu_over_cuda": seconds["cpu"] / seconds["cuda"],
        "cpu_mean_cost": float(np.mean(cost(results["cpu"]))),
        "cuda_mean_cost": float(np.mean(cost(results["cuda"]))),
        "same_labels": float((results["cpu"].labels == results["cuda"].labels).all(axis=-1).mean()),
    }
    print(f"{name}: {row['cpu_over_cuda']:.1f} x the CPU, {row['same_labels']:.2%} the same", flush=True)
    return row


def main(tests: str, out: str | None = None) -> None:
    """Time everything and write the JSON."""
    if resolve_device("auto") != "cuda":
        sys.exit(
            "cuda_check: no CUDA device was found, expected one: run it on a machine with an NVIDIA card"
        )
    import torch
    from numba import cuda

    card = (
        torch.cuda.get_device_name() if torch.cuda.is_available() else cuda.get_current_device().name.decode()
    )
    rng = np.random.default_rng(0)
    walls = (
        rng.normal(size=(494, 16, 768)) + 0.25 * np.repeat(rng.normal(size=(494, 4, 768)), 4, axis=1)
    ).astype(np.float32)
    gram = walls.astype(float) @ walls.transpose(0, 2, 1).astype(float)
    rows = [
        compare(
            f"cluster_batch, 494 walls x {n_seeds} seeds x 10 starts, a fit",
            494 * n_seeds,
            lambda device, n=n_seeds: cluster_batch(walls, 4, 4, 4, seeds=n, device=device),
            lambda solution: solution.inertia,
        )
        for n_seeds in (16, 256, 2048)
    ]
    rows.append(
        compare(
            "best_partitions, 494 walls, a wall",
            494,
            lambda device: best_partitions(gram, 4, device=device),
            lambda solution: solution.cost,
        )
    )
    suite = ElementTree.parse(tests).getroot().find("testsuite")
    counts = (
        {} if suite is None else {k: int(suite.get(k, 0)) for k in ("tests", "failures", "errors", "skipped")}
    )
    result = {
        "card": card,
        "cpu": platform.processor() or platform.machine(),
        "cpu_threads": resolve_n_threads(None),
        "versions": {p: version(p) for p in ("numba", "numba-cuda", "numpy", "torch")}
        | {"python": platform.python_version()},
        "gpu_tests": counts,
        "timings": rows,
    }
    path = Path(out or f"benchmarks/results/cuda-{card.replace(' ', '-').lower()}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
