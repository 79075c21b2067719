"""Progress: bars on a terminal, a line a minute elsewhere, with a rate and the time left."""

import time

import pytest

from fourfold.experiments.terminal import progress
from fourfold.experiments.terminal.progress import Pace, ProgressBars, rate_text, time_text


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


class FakeClock:
    """Seconds that pass only when they are told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_line_a_minute_says_done_total_rate_time_left_and_more(capsys):
    clock = FakeClock()
    bars = ProgressBars(clock=clock)
    with bars, bars.step("sweep", "runs") as outer, bars.step("ask", "asking the model") as step:
        outer(0, 3)
        step.aside = lambda: "1,200 tokens read"
        for second in range(0, 300, 2):  # a look each time, and an answer every two seconds
            clock.now = float(second)
            step(second // 2, 618)
            bars._lines.look()
        lines = capsys.readouterr().err.splitlines()
        clock.now = 359.0  # nothing came for a minute
        bars._lines.look()
        clock.now = 420.0
        bars._lines.look()
        stalled = capsys.readouterr().err.splitlines()
    assert lines == [
        f"runs: 0/3; asking the model: {done}/618, 30/min, {left} min left; 1,200 tokens read"
        for done, left in ((30, 20), (60, 19), (90, 18), (120, 17))
    ]
    assert [line.partition("model: ")[2].partition(";")[0] for line in stalled] == [
        "149/618, 25/min, 19 min left",
        "149/618, 21/min, 22 min left",
    ]


def test_short_work_says_nothing_and_no_work_is_not_shown(capsys):
    clock = FakeClock()
    bars = ProgressBars(clock=clock)
    with bars:
        with bars.step("encode", "encoding clues") as step:
            clock.now = 59.0
            step(1, 4)
            bars._lines.look()
        clock.now = 100.0
        bars._lines.look()  # no step is open
        with bars.step("model", "finding the model"):
            clock.now = 700.0
            assert capsys.readouterr() == ("", "")
            bars._lines.look()
    assert capsys.readouterr() == ("", "finding the model: 10 min so far\n")
    assert ProgressBars(shown=False)._lines is None


def test_lines_come_by_themselves_and_end_with_the_work(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_MINUTE", 0.01)
    bars = ProgressBars()
    with bars, bars.step("encode", "encoding clues") as step:
        step(1, 4)
        time.sleep(0.1)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("encoding clues: 1/4\n")
    time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_the_rate_is_that_of_the_last_minutes_and_not_of_what_was_there_before():
    pace = Pace(0.0)
    pace.update(0.1, 500)  # kept replies
    assert (pace.rate(0.5), pace.left(0.5, 618)) == (None, None)
    pace.update(10.1, 510)
    assert pace.rate(10.1) == pytest.approx(1.0)
    assert pace.left(10.1, 618) == pytest.approx(108.0)
    loaded = Pace(0.0)
    loaded.update(100.0, 0)  # a model was loaded until now
    loaded.update(104.0, 0)
    loaded.update(108.0, 4)
    assert loaded.rate(108.0) == pytest.approx(0.5)
    slow = Pace(0.0)
    for second in range(1, 1001):
        slow.update(float(second), second if second <= 500 else 500 + (second - 500) // 10)
    assert slow.rate(1000.0) == pytest.approx(0.1, rel=0.02)
    slow.update(1001.0, 1)  # another round
    slow.update(1011.0, 6)
    assert slow.rate(1011.0) == pytest.approx(0.5)
    assert slow.left(1011.0, 6) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (59.4, "59 s"), (59.6, "1 min"), (3570, "1 h"), (3540, "59 min"), (7800, "2 h 10 min"),
        (86399, "1 day"), (277200, "3 days 5 h"),
    ],
)  # fmt: skip
def test_times_in_words(seconds, text):
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1234.4, "1,234/s"), (2.14, "2.1/s"), (0.5, "30/min"), (0.02, "1.2/min"), (0.001, "3.6/h")],
)
def test_rates_in_words(rate, text):
    assert rate_text(rate) == text


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
