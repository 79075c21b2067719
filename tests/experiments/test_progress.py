"""Progress bars: on a terminal only."""

import time

import pytest

from fourfold.experiments import progress
from fourfold.experiments.progress import ProgressBars


def work(bars):
    with bars, bars.step("encode", "encoding clues") as update:
        update(1, 4)
        update(4, 4)
        time.sleep(0.15)


def test_bars_are_shown_on_stderr(capsys):
    work(ProgressBars(shown=True))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "encoding clues" in printed.err
    assert "4/4" in printed.err


def test_nothing_is_shown_where_stderr_is_no_terminal(capsys):
    bars = ProgressBars()
    work(bars)
    assert capsys.readouterr() == ("", "")
    assert bars.seconds["encode"] >= 0.15


def test_a_steps_seconds_leave_out_those_of_the_steps_within(monkeypatch):
    clock = iter([0.0, 1.0, 3.0, 4.0, 4.5, 10.0, 20.0, 21.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    bars = ProgressBars(shown=False)
    with bars.step("outer", "outer"):
        for _ in range(2):
            with bars.step("inner", "inner"):
                pass
    with bars.step("last", "last"):
        pass
    assert bars.seconds == {"outer": 10 - 2.5, "inner": 2.5, "last": 1.0}


def test_a_step_that_fails_takes_its_bar_and_its_seconds_along(monkeypatch):
    """A sweep goes on with the same bars."""
    clock = iter([0.0, 1.0, 3.0, 4.0, 10.0, 12.0])
    bars = ProgressBars(shown=True)
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    with (
        pytest.raises(ValueError, match="no such model"),
        bars.step("outer", "outer"),
        bars.step("inner", "inner"),
    ):
        raise ValueError("no such model")
    with bars.step("last", "last"):
        pass
    assert bars.seconds == {"outer": 4 - 2, "inner": 2, "last": 2}
    assert bars._bars.tasks == []
