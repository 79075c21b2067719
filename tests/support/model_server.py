"""A small language model behind ``transformers serve``, the server that users start, on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

_MOST = 120.0  # seconds until it answers, on a machine that is busy


@contextmanager
def model_server(folder: Path, log: Path) -> Iterator[str]:
    """Serve the model in ``folder`` and give the base URL; what the server says goes to ``log``.

    The server knows the model by its folder.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    root = f"http://127.0.0.1:{port}"
    words = ["serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "transformers.cli.transformers", *words],
            stdout=said,
            stderr=subprocess.STDOUT,
            env=os.environ | {"HF_HUB_OFFLINE": "1"},
        )
    try:
        _wait(f"{root}/health", process, log)
        yield f"{root}/v1"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the server answers; RuntimeError with its words if it ends or is too slow."""
    end = time.monotonic() + _MOST
    while process.poll() is None and time.monotonic() < end:
        try:
            with urlopen(url, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"transformers serve does not answer: {log.read_text(errors='replace')[-2000:]}")
