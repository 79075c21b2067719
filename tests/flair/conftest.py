"""Tests beside flair 0.15, which `make test-flair` runs in an environment of its own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs flair where it is not installed."""
    if find_spec("flair"):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="needs flair: make test-flair"))
