"""Task 2 by the number of examples, drawn from records."""

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, of the extra plot")

from language_records import made

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.plots.connections import comparable, draw_connections
from fourfold.experiments.plots.sheet import print_style
from fourfold.experiments.runs.language_model.record import write_language_record
from fourfold.experiments.runs.language_model.titles import title_of

SCORES = {"exact_match": [10.0], "rouge1": [30.0], "bertscore": [-5.0]}


def naming(name="0" * 16, **options):
    return made(name, task=2, **(SCORES | options))


def test_each_model_is_a_line_over_its_numbers_of_examples():
    records = [
        naming(n_examples=0),
        naming(n_examples=3, rouge1=[40.0]),
        naming(title="Other", n_examples=10),
    ]
    with print_style():
        figure = draw_connections(comparable(records))
        panels = [axes for axes in figure.axes if axes.get_visible()]
        figure.canvas.draw()
    assert [axes.get_title() for axes in panels] == ["Exact match", "ROUGE-1 F1", "BERTScore F1"]
    lines = {line.get_label(): line.get_xydata().tolist() for line in panels[1].lines}
    assert lines["Ours"] == [[0, 30.0], [1, 40.0]]
    assert lines["Other"] == [[2, 30.0]]
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["0", "3", "10"]
    assert lines["people: found it"][0][1] == pytest.approx(100 * 1500 / 1976)
    assert {axes.get_ylim() for axes in panels} == {(-10, 100)}
    assert not any(line.get_clip_on() for line in panels[0].lines if line.get_marker() != "None")


def test_people_are_left_out_where_they_saw_other_walls_and_one_metric_is_one_panel():
    records = [naming(dataset="ocw_randomized")]
    with print_style():
        figure = draw_connections(comparable(records), width=100.0)
    assert {line.get_label() for axes in figure.axes for line in axes.lines} == {"Ours"}
    assert len(figure.axes) == 3


def test_a_model_in_a_folder_is_called_by_its_last_part():
    assert title_of(naming(title="/models/chat/tiny-7b/")) == "tiny-7b"
    assert title_of(naming(title="org/tiny-7b")) == "org/tiny-7b"


def test_the_newest_record_of_a_kind_is_drawn():
    older, newer = naming(created="2025-01-01", rouge1=[1.0]), naming(rouge1=[2.0])
    assert comparable([newer, older]) == [newer]


def test_what_cannot_be_compared_is_one_line():
    with pytest.raises(UserError, match="no record of 'fourfold llm task=2'"):
        comparable([made()])
    with pytest.raises(UserError, match=r"several sets of walls, ocw \(494 walls\) and bundled"):
        comparable([naming(), naming(n_examples=0, dataset="bundled")])


@pytest.mark.slow
def test_the_command_draws_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_language_record(tmp_path / "runs", naming(), [[]], [[]])
    assert main(["plot", "connections", "runs"]) == 0
    assert capsys.readouterr().out == "connections.png\n"
    assert (tmp_path / "connections.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", "connections", "runs", "--out", "a.pdf"]) == 0
    assert main(["plot", "connections", "nowhere"]) == 2
