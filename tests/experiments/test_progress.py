"""Progress bars: on a terminal only."""

import time

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
