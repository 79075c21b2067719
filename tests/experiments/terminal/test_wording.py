"""Counts as they are said: one of anything has no s."""

import pytest

from fourfold.experiments.terminal.wording import counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 walls"), (1, "1 wall"), (2, "2 walls"), (1_976, "1,976 walls")]
)
def test_one_is_one(number, said):
    assert counted(number, "wall") == said
