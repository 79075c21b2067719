"""``fourfold macgyver tools``."""

import json

import pytest
from macgyver_files import PROBLEMS, write_release

from fourfold.experiments.cli import main


@pytest.fixture
def folder(tmp_path):
    return str(write_release(tmp_path))


def test_the_command_prints_counts_and_differences(folder, capsys):
    assert main(["macgyver", "tools", "--data", folder, "--top", "3", "--least", "1"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("7 distinct tools (paper: more than 3,800), 7 in all, 7 of them in one problem")
    lines = [line.split() for line in text.splitlines()]
    assert ["ruler", "1", "14.29", "0.4", "+13.89"] in lines
    assert ["ruler", "1", "0.75", "0.88", "−0.12"] in lines


def test_labels_are_scored(folder, tmp_path, capsys):
    labels = tmp_path / "labels.txt"
    labels.write_text("7: rubber band; banana; chair\n", encoding="utf-8")
    words = ["macgyver", "tools", "--data", folder, "--labels", str(labels)]
    assert main(words) == 0
    assert "Against 3 tools written down by hand, 3 were found: precision 66.7%" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["labelled"]["recall"] == pytest.approx(2 / 3)
    assert content["by_problem"]["9"] == ["spoon"]
    assert {"tool": "spoon", "problems": 1, "percent": pytest.approx(100 / 7), "paper": 0.4} in content[
        "tools"
    ]


def test_a_file_of_labels_that_is_not_there_is_one_line(folder, capsys):
    assert main(["macgyver", "tools", "--data", folder, "--labels", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith("fourfold: nowhere cannot be read (No such file")


def test_labels_of_a_problem_that_is_not_there_are_one_line(folder, tmp_path, capsys):
    (tmp_path / "labels.txt").write_text("7: banana\n70: banana\n", encoding="utf-8")
    assert main(["macgyver", "tools", "--data", folder, "--labels", str(tmp_path / "labels.txt")]) == 2
    assert "labels.txt: got the ID 70, expected one of a problem in" in capsys.readouterr().err


def test_spellings_count_apart_where_asked(tmp_path, capsys):
    lists = ("a pen, a cup, and a hat", "pens, cups, and a hat", "a pen, cups, and a hat")
    rows = [row | {"Problem": f"You have {listed}."} for row, listed in zip(PROBLEMS, lists, strict=True)]
    folder = str(write_release(tmp_path, problem_solution_pair=rows))
    assert main(["macgyver", "tools", "--data", folder]) == 0
    told = (
        "3 distinct tools (paper: more than 3,800), 9 in all, 0 of them in one problem; 5 with all spellings"
    )
    assert capsys.readouterr().out.startswith(told)
    assert main(["macgyver", "tools", "--data", folder, "--apart", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distinct"] == 5
