"""``fourfold table``: the paper's rows beside the records of some folders."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from made_records import made_config, made_dataset, made_labels, made_record

from fourfold.conf.model_schema import TransformerConfig
from fourfold.experiments.cli import main
from fourfold.experiments.metrics import METRICS
from fourfold.experiments.runs.encoder.files import write_record
from fourfold.experiments.runs.envelope import MetricEntry

HUMAN = {"n_walls": 618, "solved_walls": 357, "correct_groups": 1759, "correct_connections": 1500}
TWO_RECORDS = 2


def write(out, name, row="glove", n_seeds=16, dataset=None, shift=0):
    dataset = {"n_walls": 618, "n_groups": 2472, "human": HUMAN} | (dataset or {})
    model = TransformerConfig("m", f"Model {row}", row, pooling="cls")
    config = made_config(model=model, seeds=n_seeds)
    values = {
        metric: MetricEntry([50 + shift + place / 3] * n_seeds, 50 + shift + place / 3, 0.0)
        for place, metric in enumerate(METRICS)
    }
    record = replace(
        made_record(name, n_seeds=n_seeds, config=config, dataset=made_dataset(**dataset)), metrics=values
    )
    write_record(out, record, made_labels(2, n_seeds), made_labels(2, n_seeds)[..., 0].astype(float))


@pytest.fixture
def runs(tmp_path):
    out = tmp_path / "runs"
    write(out, "0" * 16)
    write(out, "1" * 16, row=None)
    write(out, "2" * 16, n_seeds=2)
    return out


def printed(capsys, *words):
    assert main(["table", *map(str, words)]) == 0
    return capsys.readouterr()


def test_text(runs, capsys):
    text = printed(capsys, 3, runs).out
    assert text.startswith(
        "Table 3 of the Only Connect Wall paper: grouping (Task 1) with static embeddings\n"
    )
    assert re.search(r"^GloVe +84.9±0.4 +31.5±0.3 +14.4±0.3 +17.6±0.4 +0.0±0.0 +3.4±0.2$", text, re.MULTILINE)
    assert re.search(r"^  ours, 618 walls +50.0±0.0 +50.3±0.0", text, re.MULTILINE)
    assert re.search(r"^  difference +−87.3 ", text, re.MULTILINE)  # (50 - 84.9) / 0.4
    assert text.count("not run") == 10
    assert re.search(r"^Model None, 618 walls +50.0", text, re.MULTILINE)
    assert re.search(r"^by the paper.* 57.7 +71.1$", text, re.MULTILINE)
    assert re.search(r"^by the data, 618 walls.* 57.8 +71.2$", text, re.MULTILINE)
    flat = " ".join(text.split())
    assert "Warning: ours are on 618 walls of ocw, not on the paper's: counts are shown as shares" in flat
    assert "1 more record of these rows" in flat
    assert "1 more record" not in printed(capsys, 3, runs, "--all").out
    write(runs, "3" * 16, row=None, n_seeds=3)
    assert "Model None, 618 walls, 3 runs " in printed(capsys, 3, runs, "--all").out


def test_on_the_papers_walls_counts_are_counts_and_there_is_no_warning(tmp_path, capsys):
    write(tmp_path / "runs", "0" * 16, dataset={"n_walls": 494, "n_groups": 1976, "human": None})
    text = printed(capsys, 3, tmp_path / "runs").out
    assert re.search(r"^GloVe .* 0±0 +68±4$", text, re.MULTILINE)
    assert re.search(r"^  ours +50.0±0.0 .* 51.3±0.0 +51.7±0.0$", text, re.MULTILINE)
    assert re.search(r"^by the paper.* 285 +1405$", text, re.MULTILINE)
    assert "Warning" not in text
    assert "by the data" not in text


def test_the_best_of_ours_is_bold_on_the_same_walls_only(tmp_path, capsys):
    runs = tmp_path / "runs"
    write(runs, "0" * 16)
    write(runs, "1" * 16, row="bert_base", shift=1)
    text = printed(capsys, 3, runs, "--format", "markdown").out
    assert "| ours, 618 walls | 51.0±0.0 | **51.3±0.0** |" in text
    assert "| ours, 618 walls | **50.0±0.0** | 50.3±0.0 |" in text
    write(runs, "2" * 16, row="glove", shift=2, dataset={"fingerprint": "e" * 64})
    write(runs, "3" * 16, row="bert_large", shift=2, dataset={"fingerprint": "e" * 64})
    text = printed(capsys, 3, runs, "--format", "markdown").out
    assert not [line for line in text.splitlines() if line.startswith("| ours") and "**" in line]
    assert [line for line in text.splitlines() if line.startswith("| E5 base") and "**" in line]
    assert "Bold: the best of the paper's." in text


def test_json_and_csv_have_every_digit(runs, capsys):
    document = json.loads(printed(capsys, 3, runs, "--format", "json").out)
    glove = document["rows"][0]
    assert glove["paper"]["wd"] == {"mean": 84.9, "std": 0.4}
    assert glove["ours"][0]["metrics"]["fms"]["mean"] == 50 + 1 / 3
    assert glove["ours"][0]["metrics"]["solved_walls"]["share"] == (50 + 4 / 3) / 618
    assert glove["ours"][0]["record"] == str(runs / ("0" * 16))
    assert document["rows"][1]["ours"] == []
    assert document["people"][1] == {
        "source": "data", "solved_walls": 357, "correct_groups": 1759, "n_walls": 618,
    }  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(printed(capsys, 3, runs, "--format", "csv", "--all").out)))
    ours = [line for line in lines if line["source"] == "ours"]
    assert len(ours) == TWO_RECORDS + 1
    assert float(ours[0]["fms"]) == 50 + 1 / 3
    assert float(ours[0]["wd_difference"]) == pytest.approx(-34.9 / 0.4)
    assert {line["n_runs"] for line in ours} == {"16", "2"}
    assert ours[-1]["wd_difference"] == ""


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.md", "**Table 3"),
        ("a.TEX", "% needs \\usepackage{booktabs}"),
        ("a.csv", "table,section"),
        ("a.json", "{\n"),
        ("a.txt", "Table 3"),
        ("a", "Table 3"),
    ],
)
def test_the_files_ending_chooses_the_format(runs, tmp_path, capsys, name, start):
    out = tmp_path / name
    assert printed(capsys, 3, runs, "--out", out).out == f"{out}\n"
    text = out.read_text(encoding="utf-8")
    assert text.startswith(start)
    assert text.endswith("\n")
    assert "\x1b" not in text
    assert main(["table", "3", str(runs), "--out", str(out)]) == 2
    assert "is there already: choose another --out, or replace it with --force" in capsys.readouterr().err
    printed(capsys, 3, runs, "--out", out, "--format", "json", "--force")
    assert json.loads(out.read_text(encoding="utf-8"))["table"] == 3


def test_a_folder_may_be_a_record_and_no_record_counts_twice(runs, capsys):
    document = json.loads(printed(capsys, 3, runs / ("0" * 16), runs, runs, "--format", "json", "--all").out)
    assert [len(row["ours"]) for row in document["rows"]] == [2] + [0] * 10 + [1]


def test_a_damaged_record_is_left_out_and_named(runs, capsys):
    (runs / ("1" * 16) / "record.json").write_text("{", encoding="utf-8")
    result = printed(capsys, 3, runs)
    assert "Model None" not in result.out
    assert result.err.startswith("fourfold: left out: the record ")
    assert "1" * 16 in result.err


def test_without_a_record_the_paper_is_shown_and_it_is_said_what_there_is(
    runs, tmp_path, capsys, monkeypatch
):
    result = printed(capsys, 7, runs)
    assert result.out.count("not run") == 11
    assert "Bold: the best of the paper's." in " ".join(result.out.split())
    assert "no record with embedding=static and dataset=ocw_randomized, but some on ocw: " in result.err
    assert "not run" in printed(capsys, 7, runs, "--dataset", "ocw").out
    assert "no record with embedding=contextual and dataset=ocw\n" in printed(capsys, 6, runs).err
    monkeypatch.chdir(tmp_path / "runs")
    assert "there is no folder runs" in printed(capsys, 3).err
    monkeypatch.chdir(tmp_path)
    assert "Model None" in printed(capsys, 3).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["2"], "got '2', expected table 3, 4, 5, 6, 7, 8, 9 or 10"),
        (["three"], "got 'three', expected table"),
        (["²"], "got '²', expected table"),
        ([], "the following arguments are required: N: "),
        (["3", ""], "argument DIR: got an empty text, expected a path"),
        (["3", "--out", " "], "argument --out: got an empty text, expected a path"),
        (["3", "no/such/folder"], "no/such/folder is not a folder of records"),
        (["3", "--format", "pdf"], "invalid choice: 'pdf'"),
        (["3", "--out", "no/such/file.md"], "no/such is not a folder"),
        (["3", "--out", "."], "is a folder: name a file in it"),
    ],
)
def test_what_cannot_be_done_is_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["table", *words]) == 2
    result = capsys.readouterr()
    assert said in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""
    assert not list(tmp_path.iterdir())
