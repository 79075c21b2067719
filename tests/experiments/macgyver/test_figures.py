"""The paper's figures: what they show, and the command that writes them."""

import numpy as np
import pytest
from macgyver_files import ANSWERS, write_release

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.macgyver import figures
from fourfold.experiments.macgyver import judging as efforts
from fourfold.experiments.macgyver.readers import read_release

pytest.importorskip("matplotlib", reason="the extra plot is not installed")


@pytest.fixture
def release(tmp_path):
    return read_release(write_release(tmp_path))


@pytest.fixture
def found(release):
    return efforts.judged(release.answers)


@pytest.fixture(autouse=True)
def style():
    from fourfold.experiments.plots.sheet import print_style

    with print_style():
        yield


def test_bars_are_the_average_shares_and_add_up(found):
    (axes,) = figures.draw_benchmark(found).axes
    titles = [label.get_text() for label in axes.get_yticklabels()]
    assert titles == ["GPT-3.5", "GPT-4", "Human", "GPT-4, best", "Human, best"]
    widths = np.array([bar.get_width() for bar in axes.patches]).reshape(6, 5).T
    np.testing.assert_allclose(widths.sum(1), 100)
    np.testing.assert_allclose(widths[2], efforts.average(found["human"]))
    (marks,) = [line for line in axes.lines if line.get_label() == "paper: correct in total"]
    np.testing.assert_allclose(marks.get_xdata(), [40.6, 62.4, 65.1, 92.3, 98.8])


def test_densities_are_those_of_single_answers(found):
    (axes,) = figures.draw_densities(found).axes
    for line in axes.lines:
        x, y = line.get_data()
        assert np.trapezoid(y, x) == pytest.approx(1, abs=0.01)
    human = axes.lines[0]
    assert human.get_label() == "Human: 3 answers"
    peak = human.get_xdata()[human.get_ydata().argmax()]
    assert peak == pytest.approx(1.0, abs=0.01)


def test_a_point_for_each_problem(found, release):
    (axes,) = figures.draw_problems(found, release.problems).axes
    points = {each.get_label(): each.get_offsets().tolist() for each in axes.collections}
    assert points == {"solvable, unconventional: 1": [[0.75, 0.875]], "unsolvable: 1": [[1.0, 0.5]]}


def test_problems_by_the_share_that_is_right(found):
    (axes,) = figures.draw_answered(found).axes
    assert [bar.get_height() for bar in axes.patches] == [2, 2, 1, 1, 1, 2, 2, 1, 1, 1]
    assert axes.get_ylabel() == "problems (of 2)"


@pytest.mark.parametrize("draw", ["draw_densities", "draw_answered"])
def test_both_must_be_there(found, draw):
    with pytest.raises(UserError, match="the answers have none by GPT-4"):
        getattr(figures, draw)({"human": found["human"]})


@pytest.mark.slow
@pytest.mark.parametrize("number", ["5", "6", "7", "10"])
@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_the_command_writes_the_same_file_every_time(tmp_path, number, ending, capsys):
    folder = write_release(tmp_path / "data")
    out = tmp_path / f"figure{ending}"
    words = ["macgyver", "plot", number, "--data", str(folder), "--out", str(out), "--dpi", "60"]
    assert main(words) == 0
    assert capsys.readouterr().out == f"{out}\n"
    first = out.read_bytes()
    assert main([*words, "--force", "--width", "column" if ending == ".png" else "text"]) == 0
    assert (out.read_bytes() == first) == (ending != ".png")


@pytest.mark.slow
def test_the_label_of_the_axis_is_within_the_figure(found):
    for width in (241.0, 396.0):
        figure = figures.draw_benchmark(found, width)
        figure.canvas.draw()
        box = figure.axes[0].xaxis.label.get_window_extent()
        assert 0 <= box.x0 < box.x1 <= figure.bbox.x1


def test_what_is_wrong_is_one_line(tmp_path, capsys):
    folder = write_release(tmp_path / "data", benchmark_results=ANSWERS[2:3])
    for words, told in (
        (["8", "--data", str(folder)], "invalid choice: '8'"),
        (["5", "--data", str(folder), "--out", str(tmp_path / "a.gif")], "which is not a format of figures"),
        (["6", "--data", str(folder), "--out", str(tmp_path / "a.png")], "the answers have none by Human"),
        (["5", "--data", str(tmp_path / "no"), "--out", str(tmp_path / "a.png")], "got no such folder"),
    ):
        assert main(["macgyver", "plot", *words]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1
    assert not list(tmp_path.glob("*.png"))
