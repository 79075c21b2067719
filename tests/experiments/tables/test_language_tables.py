"""The paper's tables of language models beside records."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from language_records import made

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.runs.language_model import record as records
from fourfold.experiments.runs.language_model.titles import find_language_records
from fourfold.experiments.tables.language_table_data import language_json
from fourfold.experiments.tables.language_tables import language_sheet
from fourfold.experiments.tables.paper.language_models import LANGUAGE_TABLES


def lines(sheet):
    return {
        (block.section, line.head.strip()): [cell.text for cell in line.cells]
        for block in sheet.blocks
        for line in block.lines
    }


def sheet_of(number, *given, **options):
    return language_sheet(number, [(None, each) for each in given], **options)


def test_ours_stand_below_the_papers():
    found = lines(sheet_of(4, made(), made(n_examples=0), made(title="Another")))
    assert found["GPT-4 (paper)", "5 examples"] == ["72.9", "43.4", "29.1", "32.8", "7", "269"]
    assert found["Ours (ours)", "3 examples, 494 walls"] == ["50.0", "50.0", "50.0", "50.0", "247", "988"]
    assert ("Ours (ours)", "0 examples, 494 walls") in found
    assert ("Another (ours)", "3 examples, 494 walls") in found
    assert found["People", "by the paper"][-2:] == ["285", "1405"]


def test_of_one_model_and_number_of_examples_the_newest_is_shown_or_all():
    older, newer = made(created="2025-01-01", wd=[10.0]), made(wd=[20.0])
    assert lines(sheet_of(4, older, newer))["Ours (ours)", "3 examples, 494 walls"][0] == "20.0"
    sheet = sheet_of(4, older, newer, every=True)
    (block,) = [each for each in sheet.blocks if each.section == "Ours (ours)"]
    assert [line.cells[0].text for line in block.lines] == ["20.0", "10.0"]


def test_of_one_model_the_run_nearest_to_the_papers_is_its_row_and_the_others_are_listed():
    full = made("a" * 16, created="2025-01-01", wd=[10.0])
    trial = made("b" * 16, created="2026-03-01", n_walls=2, wd=[20.0])
    structured = asked_otherwise(made("c" * 16, created="2026-02-01", wd=[30.0]), structured=True)
    warmer = asked_otherwise(made("d" * 16, created="2026-02-02", wd=[40.0]), temperature=0.7, max_tokens=500)
    orders = made("e" * 16, created="2026-02-03", wd=[50.0, 70.0])
    given = [warmer, trial, orders, structured, full]
    for order in (given, given[::-1]):
        sheet = sheet_of(4, *order)
        assert lines(sheet)["Ours (ours)", "3 examples, 494 walls"][0] == "10.0"
        caption = " ".join(sheet.caption)
        assert "Ours, 3 examples, 494 walls, model.structured=true (cccccccccccccccc)" in caption
        assert "model.max_tokens=500, model.temperature=0.7 (dddddddddddddddd)" in caption
        assert "Ours, 3 examples, 2 walls (bbbbbbbbbbbbbbbb)" in caption
        assert "Warning" not in caption  # all of what is shown is on the paper's walls
    heads = [head for section, head in lines(sheet_of(4, *given, every=True)) if section == "Ours (ours)"]
    assert heads[0] == "3 examples, 494 walls"
    assert heads[-1] == "3 examples, 2 walls"
    assert "Not shown" not in " ".join(sheet_of(4, *given, every=True).caption)
    # What is nearest depends on what there is.
    sheet = sheet_of(4, trial, structured)
    assert lines(sheet)["Ours (ours)", "3 examples, 494 walls, model.structured=true"][0] == "30.0"
    document = json.loads(language_json(4, [(Path("x") / each.name, each) for each in given]))
    (ours,) = [row for row in document["rows"] if row["source"] == "ours"]
    assert (ours["record"], ours["n_walls"], ours["unlike_paper"]) == (f"x/{'a' * 16}", 494, None)
    assert {row["n_walls"] for row in document["left_out"]} == {494, 2}
    assert len(document["left_out"]) == 4


def asked_otherwise(record, **model):
    return replace(record, config=record.config | {"model": record.config["model"] | model})


def test_table_5_says_the_walls_of_each_data_set():
    sheet = sheet_of(5, made(), made("1" * 16, dataset="ocw_wordnet", n_walls=20))
    assert ("Ours (ours)", "3 examples, 494/–/20 walls") in lines(sheet)


def test_other_tasks_and_data_sets_are_left_out_unless_they_are_named():
    given = made(task=2), made(dataset="ocw_wordnet"), made(dataset="bundled", n_walls=30)
    assert not any("ours" in section for section, _ in lines(sheet_of(4, *given)))
    sheet = sheet_of(4, *given, dataset="bundled")
    assert lines(sheet)["Ours (ours)", "3 examples, 30 walls"][-2:] == ["823.3", "823.3"]
    assert lines(sheet)["GPT-4 (paper)", "5 examples"][-2:] == ["1.4", "13.6"]
    assert "Warning: ours are on 30 walls of bundled" in " ".join(sheet.caption)


def test_several_orders_show_their_spread():
    found = lines(sheet_of(4, made(wd=[40.0, 60.0], solved_walls=[1.0, 3.0])))
    assert found["Ours (ours)", "3 examples, 494 walls"][0] == "50.0±10.0"
    assert found["Ours (ours)", "3 examples, 494 walls"][4] == "2.0±1.0"


def test_table_5_sets_the_three_side_by_side():
    sheet = sheet_of(5, made(), made(dataset="ocw_wordnet", solved_walls=[400.0]))
    assert lines(sheet)["GPT-4 (paper)", "0 examples"] == ["6", "239", "59", "595", "471", "1926"]
    assert lines(sheet)["Ours (ours)", "3 examples, 494 walls"] == ["247", "988", "–", "–", "400", "988"]
    with pytest.raises(UserError, match="does not apply to table 5"):
        sheet_of(5, dataset="ocw")


def test_the_published_rows_are_whole():
    for table in LANGUAGE_TABLES.values():
        assert [examples for _, examples in table.rows] == [0, 1, 3, 5, 10] * 2
        for row in table.rows.values():
            assert row["correct_groups"] >= 4 * row["solved_walls"]
            assert row["correct_groups"] <= table.n_groups


def test_records_are_read_from_folders_and_damaged_ones_named(tmp_path, capsys):
    out = tmp_path / "runs"
    record = made()
    assert records.write_language_record(out, record, [[]], [[]])
    assert not records.write_language_record(out, replace(record, task=2), [[]], [[]])
    (out / "damaged").mkdir()
    (out / "damaged" / records.RECORD).write_text("{")
    (out / "other").mkdir()
    found = find_language_records([out, out / record.name])
    assert [each for _, each in found.records] == [record]
    assert len(found.damaged) == 1
    with pytest.raises(UserError, match="is not a folder of records"):
        find_language_records([tmp_path / "none"])
    assert main(["table", "4", str(out)]) == 0
    shown = capsys.readouterr()
    assert "Ours (ours)" in shown.out
    assert "left out: the record" in shown.err
    for style, part in (
        ("markdown", "| 3 examples, 494 walls |"),
        ("latex", r"\quad 3 examples, 494 walls &"),
    ):
        assert main(["table", "4", str(out), "--format", style]) == 0
        assert part in capsys.readouterr().out
    assert main(["table", "4", str(out), "--out", str(tmp_path / "table.tex")]) == 0
    assert r"\begin{table}" in (tmp_path / "table.tex").read_text()
    assert main(["table", "10", str(out)]) == 0
    assert "no record of 'fourfold llm task=1' on its walls" in capsys.readouterr().err


def test_the_numbers_are_also_csv_and_json(tmp_path, capsys):
    out = tmp_path / "runs"
    first, second = made(wd=[40.0, 60.0]), made("1" * 16, dataset="ocw_wordnet", solved_walls=[400.0])
    for record in (first, second):
        records.write_language_record(out, record, [[]], [[]])
    assert main(["table", "4", str(out), "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    (ours,) = [row for row in rows if row["source"] == "ours"]
    assert (ours["model"], ours["examples"], ours["n_runs"]) == ("Ours", "3", "2")
    assert (ours["wd"], ours["wd_std"], ours["solved_walls_share"]) == ("50.0", "10.0", "0.5")
    assert ours["record"] == str(out / first.name)
    (gpt,) = [row for row in rows if (row["model"], row["examples"]) == ("GPT-4", "5")]
    assert (gpt["source"], gpt["wd"], gpt["wd_std"], gpt["solved_walls"]) == ("paper", "72.9", "", "7.0")
    people = [row for row in rows if row["model"] == "People"]
    assert [row["solved_walls"] for row in people] == ["285", "285"]
    assert main(["table", "5", str(out), "--out", str(tmp_path / "table.json")]) == 0
    document = json.loads((tmp_path / "table.json").read_text())
    ours = [row for row in document["rows"] if row["source"] == "ours"]
    assert [(row["dataset"], row["metrics"]["solved_walls"]["mean"]) for row in ours] == [
        ("ocw", 247.0),
        ("ocw_wordnet", 400.0),
    ]
    assert set(ours[0]["metrics"]) == {"solved_walls", "correct_groups"}
    assert len([row for row in document["rows"] if row["source"] == "paper"]) == 30
    assert main(["table", "5", "--dataset", "ocw", "--format", "json"]) == 2


@pytest.mark.parametrize("number", [4, 5, 9, 10])
def test_a_table_says_on_how_many_walls_the_papers_models_are(number):
    assert "494 walls" in " ".join(sheet_of(number, made()).caption)
