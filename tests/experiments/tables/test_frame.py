"""Records of all kinds as one frame, and as CSV."""

import csv
import io

import numpy as np
import pytest
from language_records import made
from made_records import made_labels, made_record

from fourfold.experiments.runs.encoder.files import write_record
from fourfold.experiments.runs.language_model.record import write_language_record
from fourfold.experiments.tables.frame import csv_of, read_frame


@pytest.fixture
def runs(tmp_path):
    write_record(tmp_path, made_record(), made_labels(), np.zeros((2, 2)))
    write_language_record(tmp_path, made(title="=1+1"), [[]], [[]])
    return tmp_path


def test_a_row_a_record_with_what_each_has(runs):
    frame = read_frame(runs)
    assert len(frame) == 2
    assert frame.columns.is_unique
    encoder = frame[frame["kind"] == "encoder"].iloc[0]
    record = made_record()
    assert encoder["record"] == record.name
    assert encoder["walls"] == record.dataset.n_walls
    assert (encoder["wd"], encoder["wd_std"]) == (record.metrics["wd"].mean, record.metrics["wd"].std)
    assert encoder["seconds.encode"] == record.timings["encode"]
    assert encoder["model.name"] == record.config["model"]["name"]
    assert encoder["solver.n_init"] == record.config["solver"]["n_init"]
    assert encoder["version.python"] == record.versions["python"]
    language = frame[frame["kind"] == "language_model"].iloc[0]
    assert language["usage.read"] == 1
    assert language["wd"] == 50
    assert np.isnan(frame["solver.n_init"].astype(float)[frame["kind"] == "language_model"]).all()


def test_a_row_a_seed(runs):
    frame = read_frame(runs, per_seed=True)
    seeds = frame[frame["kind"] == "encoder"]
    assert seeds["seed"].tolist() == [0, 1]
    assert seeds["wd"].tolist() == made_record().metrics["wd"].per_seed
    assert "wd_std" not in frame


def test_csv_has_no_formula_and_reads_back(runs):
    rows = list(csv.DictReader(io.StringIO(csv_of(read_frame(runs)))))
    titles = {row["kind"]: row["title"] for row in rows}
    assert titles["language_model"].startswith("'=1+1")
    (encoder,) = [row for row in rows if row["kind"] == "encoder"]
    assert float(encoder["wd"]) == made_record().metrics["wd"].mean
    assert encoder["usage.read"] == ""


def test_damaged_records_are_left_out(runs):
    (runs / made_record().name / "record.json").write_text("{")
    assert read_frame(runs)["kind"].tolist() == ["language_model"]


def test_no_records_are_an_empty_frame(tmp_path):
    assert read_frame(tmp_path).empty
