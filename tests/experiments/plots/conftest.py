"""Figures are drawn in the style that they are made for."""

import pytest

pytest.importorskip("matplotlib", reason="the extra plot is not installed")

from fourfold.experiments.plots.sheet import print_style


@pytest.fixture
def style():
    with print_style():
        yield
