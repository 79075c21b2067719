"""The MacGyver files: every format gives the same values, and what is wrong is one line that says where."""

import json
import re
from collections import Counter

import pytest
from macgyver_files import (
    ANSWERS,
    HUMAN_SOLUTIONS,
    PROBLEMS,
    released_folder,
    write_benchmark,
    write_release,
    write_table,
)

from fourfold.errors import UserError
from fourfold.experiments.macgyver.problem import Answer, Category, HumanSolution, Problem
from fourfold.experiments.macgyver.readers import (
    read_answers,
    read_human_solutions,
    read_problems,
    read_release,
)

NEEDED = {".xlsx": "openpyxl", ".parquet": "pyarrow"}


def usable(ending):
    if ending in NEEDED:
        pytest.importorskip(NEEDED[ending], reason="the extra macgyver is not installed")


@pytest.mark.parametrize("ending", [".xlsx", ".json", ".jsonl", ".parquet", ".csv"])
def test_every_format_gives_the_same_values(tmp_path, ending):
    usable(ending)
    release = read_release(write_release(tmp_path, ending))
    assert release.problems[0] == Problem(
        7, PROBLEMS[0]["Problem"], True, True, "Step 1: wind the rubber band around the shoe.", "efficient"
    )
    assert release.problems[1].unconventional is False
    assert "café" in release.problems[1].text
    assert (release.problems[2].solvable, release.problems[2].unconventional) == (False, None)
    assert release.human_solutions[1] == HumanSolution(
        9, PROBLEMS[2]["Problem"], False, "The sea is too big."
    )
    assert len(release.answers) == len(ANSWERS)
    assert release.answers[1] == Answer(7, "Prolific", Category.D, "banana")
    assert [answer.category for answer in release.answers].count(None) == 1
    assert release.solvable() == {7: True, 8: True, 9: False}


def test_columns_are_found_by_other_spellings_and_true_is_yes(tmp_path):
    row = {"id": 7, "PROBLEM": "a", "solvable": True, "unconventional": False, "solution": "b", "label": None}
    (problem,) = read_problems(write_table(tmp_path / "p.jsonl", [row]))
    assert problem == Problem(7, "a", True, False, "b", "none")


def test_blank_rows_and_further_columns_are_passed_over(tmp_path):
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    blank = dict.fromkeys(PROBLEMS[0])
    rows = [{**row, None: "a note"} for row in (PROBLEMS[0], PROBLEMS[1])]
    path = write_table(tmp_path / "p.xlsx", [rows[0], {**blank, None: None}, rows[1]])
    assert [problem.id for problem in read_problems(path)] == [7, 8]


@pytest.mark.parametrize("ending", [".xlsx", ".json", ".jsonl", ".parquet", ".csv"])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ID": "x"}, r'field ID: got "x", expected an ID as a whole number'),
        ({"ID": "8"}, r"field ID: got the ID 8 again, as in (row|line) [23], expected"),
        ({"Problem": " "}, r"field Problem: got the blank text|field Problem: got null"),
        ({"Problem": None}, r"field Problem: got null, expected a problem as text"),
        ({"Solvable?": "Maybe"}, r'field Solvable\?: got "Maybe", expected yes or no'),
        ({"Solvable?": "Yes"}, r'Unconventional\?: got "N/A", expected unconventional or conventional'),
        ({"Unconventional?": "conventional"}, r'got "conventional", expected N/A'),
        ({"Label": "efficient"}, r'field Label: got "efficient", expected correct_right_reason'),
    ],
)
def test_a_fault_is_one_line_with_file_row_and_field(tmp_path, ending, change, told):
    usable(ending)
    path = write_table(tmp_path / f"p{ending}", [*PROBLEMS[:2], PROBLEMS[2] | change])
    with pytest.raises(UserError, match=told) as raised:
        read_problems(path)
    assert "\n" not in str(raised.value)
    numbered = {".jsonl": "line 3", ".json": "row 3", ".parquet": "row 3"}.get(ending, "row 4")
    assert str(raised.value).startswith(f"{path}, {numbered}, field ")


@pytest.mark.parametrize("ending", [".xlsx", ".json", ".jsonl", ".parquet", ".csv"])
def test_a_missing_column_is_named(tmp_path, ending):
    usable(ending)
    rows = [{key: value for key, value in row.items() if key != "Solution"} for row in HUMAN_SOLUTIONS]
    with pytest.raises(
        UserError, match=r'got the columns "ID", "Problem", "Solvable\?", expected "Solution"'
    ):
        read_human_solutions(write_table(tmp_path / f"h{ending}", rows))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ID": "seven"}, r'problem seven: got "seven", expected an ID'),
        ({"annotation": "good"}, r'problem 7, answer 1, field annotation: got "good", expected correct_eff'),
        ({"solution": None}, r"problem 7, answer 1, field solution: got no such key"),
        ({"model": ""}, r"problem 7, answer 1, field model: got the blank text"),
    ],
)
def test_a_fault_in_the_answers_names_the_problem(tmp_path, change, told):
    path = write_benchmark(tmp_path / "b.json", [ANSWERS[0] | change])
    with pytest.raises(UserError, match=re.escape(str(path)) + ", " + told):
        read_answers(path)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("b.xlsx", b"not a workbook", "cannot be read as an Excel workbook"),
        ("b.parquet", b"not parquet", "cannot be read as a Parquet file"),
        ("b.csv", b"ID,model\n\xff\xfe", "cannot be read as a CSV file in UTF-8"),
        ("b.csv", b"", "got an empty file"),
        ("b.csv", b"ID,model,annotation,solution\n1,2,3,4,5\n", "line 2: got 5 values, expected 4"),
        (
            "b.csv",
            b"ID,model,annotation,solution\n1,2,",
            "line 2: got 3 values, expected 4; fetch the file again",
        ),
        ("b.csv", b"ID,id,model,annotation,solution\n", 'got the column "id" twice'),
        ("b.jsonl", b'{"ID": 1\n', r"line 1: got a file that breaks off|line 1: got a fault"),
        ("b.jsonl", b"[1]\n", "line 1: got a list of 1, expected an object"),
        ("b.jsonl", b"", "got no answers"),
        ("b.json", b"[]", "got no answers, expected at least one"),
        ("b.json", b"3", "expected an object with a list of answers for each ID"),
        ("p.json", b"[3]", r"field \[0\]: got the number 3, expected an object"),
        ("b.json", b"{}", "got no answers"),
        ("b.txt", b"", r"ends in '\.txt', expected \.xlsx, \.json, \.jsonl, \.parquet or \.csv"),
    ],
)
def test_a_file_that_is_no_table_is_one_line(tmp_path, name, content, told):
    usable(name[1:])
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=told) as raised:
        read_answers(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_without_the_files_says_what_to_fetch(tmp_path):
    with pytest.raises(UserError, match="got no problem_solution_pair there, expected it as"):
        read_release(tmp_path)
    with pytest.raises(UserError, match="got no such folder"):
        read_release(tmp_path / "nowhere")
    with pytest.raises(UserError, match="got a file"):
        read_release(write_table(tmp_path / "p.jsonl", PROBLEMS))
    write_release(tmp_path)
    write_table(tmp_path / "benchmark_results.csv", ANSWERS)
    with pytest.raises(UserError, match=r"holds benchmark_results\.jsonl and benchmark_results\.csv"):
        read_release(tmp_path)


def test_answers_to_problems_that_are_not_there_are_an_error(tmp_path):
    write_release(tmp_path, benchmark_results=[ANSWERS[0] | {"ID": "70"}])
    with pytest.raises(
        UserError, match=r"benchmark_results\.jsonl: got the ID 70, expected one that problem_"
    ):
        read_release(tmp_path)


def test_a_parser_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("fourfold.experiments.macgyver.rows.find_spec", lambda name: None)
    path = tmp_path / "p.xlsx"
    path.write_bytes(b"")
    with pytest.raises(UserError, match=r"needs openpyxl: pip install 'fourfold\[macgyver\]'"):
        read_problems(path)


@pytest.mark.slow
def test_the_released_files_are_read_whole():
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    folder = released_folder()
    release = read_release(folder)
    assert (len(release.problems), len(release.human_solutions), len(release.answers)) == (1683, 519, 4771)
    assert sum(answer.category is None for answer in release.answers) == 1
    raw = json.loads((folder / "benchmark_results.json").read_text(encoding="utf-8"))
    counted = Counter(one.get("annotation") for answers in raw.values() for one in answers)
    assert Counter(a.category.value if a.category else None for a in release.answers) == counted
