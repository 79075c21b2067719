"""Table 5 from the released labels, within what the paper's numbers allow."""

import json
from functools import cache

import pytest
from macgyver_files import ANSWERS, released_folder, write_release

from fourfold.experiments.cli import main
from fourfold.experiments.macgyver import paper
from fourfold.experiments.macgyver.readers import read_release
from fourfold.experiments.macgyver.table5 import MODELS, table_5, to_json


@cache
def released():
    return table_5(read_release(released_folder()), seeds=200)


def rows(found):
    return {row.name: row for row in found}


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["random", "pooled"])
@pytest.mark.parametrize("name", MODELS)
def test_every_single_effort_cell_of_the_models_is_within_2_5_points(reading, name):
    row = rows(getattr(released(), reading))[name]
    assert row.paper == paper.SINGLE_EFFORT[name]
    assert max(map(abs, row.differences)) <= 2.5
    assert abs(row.correct - row.paper_correct) <= 2.5


def test_half_of_the_models_cells_are_the_papers_when_every_label_counts_once():
    exact = [
        round(share, 1) == theirs
        for row in released().pooled
        if row.name in MODELS
        for share, theirs in zip(row.shares, row.paper, strict=True)
    ]
    assert sum(exact) == 18


def test_peoples_best_answers_are_the_papers():
    row = rows(released().best)["human"]
    assert [round(share, 1) for share in row.shares] == list(row.paper)


def test_most_answers_are_the_papers_where_ties_are_left_out():
    found = released().majority
    assert found["gpt4"].decided == pytest.approx(73.3, abs=0.3)
    assert found["human"].decided == pytest.approx(79.3, abs=0.3)
    assert "at most 0.2 points from the paper, against 9.8 with ties as wrong" in " ".join(released().notes)


def test_gpt4_finds_unsolvable_problems_with_some_instructions_alone():
    found = {row.name: row.shares[2] for row in released().instructions}
    assert list(found) == ["solutions_gpt4", "gpt4-prompt-2", "gpt4-prompt-3", "gpt4-prompt-4"]
    assert found.pop("solutions_gpt4") < 2
    assert min(found.values()) > 9
    assert "1.3% with the first, 9.6 to 11.8% with the others" in " ".join(released().notes)


def test_what_the_release_does_not_give_is_said():
    notes = " ".join(released().notes)
    assert "18 of the models' 36 cells are the paper's to the last digit" in notes
    assert "fewer F than the paper" in notes
    assert "the paper's kappa of 0.71 is over three annotators' labels, which are not released" in notes
    assert released().repeats.n_answers == 322
    assert released().repeats.kappa == pytest.approx(0.188, abs=0.001)


def test_a_note_on_cells_is_only_where_it_is_so(tmp_path):
    table = table_5(read_release(write_release(tmp_path)), seeds=5)
    assert "last digit" not in " ".join(table.notes)
    assert [row.name for row in table.random] == ["gpt35", "gpt4", "human"]
    assert table.majority["human"].half == 75.0
    assert table.answered["human"] == (2, 2, 1, 1, 1)


def test_without_any_majority_there_is_nothing_to_set_beside_the_papers(tmp_path, capsys):
    answers = [one for one in ANSWERS if not (one["model"] == "Prolific" and one["ID"] == "9")]
    folder = write_release(tmp_path, benchmark_results=answers)
    assert to_json(table_5(read_release(folder), 3))["majority"]["human"]["difference"] is None
    assert main(["macgyver", "table5", "--data", str(folder), "--seeds", "3"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["Human", "–", "79.3", "100.0", "0.0", "50.0", "100.0"] in lines


def test_aggregation_leaves_one_label_an_answer(tmp_path):
    release = read_release(write_release(tmp_path))
    (plain, *_), (whole, *_) = table_5(release, 3).pooled, table_5(release, 3, aggregate=True).pooled
    assert (plain.n_labels, whole.n_labels) == (3, 2)
    assert whole.shares == (0, 0, 0, 0, 50, 50)


def test_the_command_prints_every_reading(tmp_path, capsys):
    folder = str(write_release(tmp_path))
    assert main(["macgyver", "table5", "--data", folder, "--seeds", "20"]) == 0
    text = capsys.readouterr().out
    for title in ("Single effort: a label drawn", "every label counted once", "Average", "Best", "Figure 10"):
        assert title in text
    lines = [line.split() for line in text.splitlines()]
    assert ["paper", "13.8", "15.4", "11.4", "40.6", "10.2", "11.4", "37.8"] in lines
    assert ["Human", "100.0", "79.3", "+20.7", "50.0", "50.0", "75.0", "100.0"] in lines
    assert ["GPT-4", "100.0", "73.3", "+26.7", "50.0", "50.0", "75.0", "100.0"] in lines
    assert ["gpt4-prompt-2", "2", "2", "0.0", "50.0", "50.0", "100.0", "0.0", "0.0", "0.0"] in lines
    assert main(["macgyver", "table5", "--data", folder, "--seeds", "20", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content == json.loads(json.dumps(to_json(table_5(read_release(tmp_path), 20))))
    assert content["best"][1]["percent"] == {"A": 50, "B": 0, "C": 50, "D": 0, "E": 0, "F": 0}
    assert content["majority"]["gpt4"]["paper"] == 73.3
    assert content["majority"]["gpt4"]["right_without_ties"] == 100
    assert content["majority"]["gpt4"]["right_and_half_of_the_ties"] == 75
    assert content["majority"]["human"]["difference"] == pytest.approx(100 - 79.3)
    assert [row["name"] for row in content["gpt4_by_instruction"]] == ["solutions_gpt4", "gpt4-prompt-2"]


def test_one_seed_has_no_spread_and_there_are_not_too_many(tmp_path, capsys):
    folder = str(write_release(tmp_path))
    assert main(["macgyver", "table5", "--data", folder, "--seeds", "1"]) == 0
    printed = capsys.readouterr().out
    assert "a label drawn for each problem, one draw (%)" in printed
    assert "±" not in printed
    assert main(["macgyver", "table5", "--data", folder, "--seeds", "1000000000"]) == 2
    assert "got '1000000000', expected at most 100,000" in capsys.readouterr().err


def test_summaries_are_of_the_totals_too():
    (row,) = [row for row in released().best if row.name == "gpt4"]
    (note,) = [note for note in released().notes if note.startswith("GPT-4 and people, best")]
    others = [abs(each.correct - each.paper_correct) for each in released().best]
    assert f"correct in total: at most {max(others):.1f}" in note
    assert row.paper_correct is not None


@pytest.mark.parametrize("seeds", ["0", "-1", "many", "1.5"])
def test_seeds_that_are_no_number_are_one_line(capsys, seeds):
    assert main(["macgyver", "table5", "--data", ".", f"--seeds={seeds}"]) == 2
    assert f"got '{seeds}', expected a whole number of at least 1" in capsys.readouterr().err
