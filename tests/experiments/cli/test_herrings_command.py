"""``fourfold herrings`` on a run of the three walls of letters, which an encoder of digits gets all wrong."""

import json
import re

import numpy as np
import pytest
from letter_walls import DigitEncoder, walls_document

from fourfold.experiments.cli import main
from fourfold.experiments.pipeline import run as run_module


@pytest.fixture
def record(walls_file, tmp_path, monkeypatch, capsys):
    """A record of a model that puts clues of one digit together, not of one letter."""
    monkeypatch.setattr(run_module, "make_encoder", lambda *_: DigitEncoder())
    words = ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2"]
    assert main(["run", *words]) == 0
    capsys.readouterr()
    (folder,) = (tmp_path / "runs").iterdir()
    return folder


def printed(capsys, *words):
    assert main(["herrings", *map(str, words)]) == 0
    return capsys.readouterr().out


def complaint(capsys, *words):
    assert main(["herrings", *map(str, words)]) == 2
    result = capsys.readouterr()
    assert result.out == ""
    assert result.err.count("\n") == 1
    return result.err


def test_the_data_set(record, capsys):
    text = printed(capsys, record)
    assert text.startswith("MiniLM on ocw: 3 walls, 2 runs\n")
    # Four digits at the corners of a simplex: the true groups have one clue of each.
    assert re.search(r"^margin +1\.25 on average .*, 0 on 0 of 3 walls$", text, flags=re.MULTILINE)
    assert "astray     100.0% of the clues" in text
    assert "(80.0% by chance)" in text
    assert "misplaced  75.0% of the clues over all runs" in text
    assert "people     found 66.7% of 12 groups" in text
    assert "margin of a wall                    none: too few walls" in text
    assert re.search(r"^  1\.25  0 of 4        75%  wall-0  \S+ → All \S, near ", text, flags=re.MULTILINE)
    assert "(1 of 3 walls)" in printed(capsys, record, "--top", 1)
    assert printed(capsys, record, "--top", 0) == text


@pytest.mark.slow
def test_a_record_goes_by_the_beginning_of_its_name_too(record, capsys, monkeypatch):
    monkeypatch.chdir(record.parents[1])
    assert (
        printed(capsys, record.name[:8])
        == printed(capsys, f"runs/{record.name[:8]}")
        == printed(capsys, record)
    )
    assert main(["run", "--from", record.name[:8]]) == 0
    assert "equal, bit for bit" in capsys.readouterr().out


def test_one_wall(record, capsys):
    text = printed(capsys, record, "--wall", "wall-1")
    assert text.startswith("wall wall-1\n\nmargin 1.25: the true groups cost 12, the model's best ")
    assert "All a (found by people)" in text
    assert "All a (missed by people)" in printed(capsys, record, "--wall", "wall-0")
    row = re.search(r"^  w1b2 +−0.25 +75% +(.*?)  ", text, flags=re.MULTILINE)
    assert set(row[1].split(", ")) == {"w1a2", "w1c2", "w1d2"}
    assert text.splitlines()[-5] == "the model's best groups"


def test_json(record, capsys):
    document = json.loads(printed(capsys, record, "--json"))
    assert [wall["margin"] for wall in document["walls"]] == pytest.approx([1.25] * 3)
    assert document["misplaced"] == 0.75
    one = json.loads(printed(capsys, record, "--json", "--wall", "wall-2"))
    assert one == next(wall for wall in document["walls"] if wall["wall_id"] == "wall-2")


def test_a_narrow_terminal_costs_no_word(record, capsys, monkeypatch):
    monkeypatch.setattr("fourfold.experiments.cli.table_output.FILE_WIDTH", 50)
    text = printed(capsys, record, "--wall", "wall-1")
    for clue in ("w1b2", "w1d4", "w1c3"):
        assert text.count(clue) > 1


def test_what_cannot_be_shown_is_one_line(record, capsys, walls_file, tmp_path):
    assert "has no wall 'wall-9': name one of its 3 walls, as in --wall wall-" in complaint(
        capsys, record, "--wall", "wall-9"
    )
    assert "is not a folder" in complaint(capsys, tmp_path / "none")
    assert "expected a whole number" in complaint(capsys, record, "--top", "-1")
    assert "required: record" in complaint(capsys)
    walls_file.rename(tmp_path / "moved.json")
    assert "are not at" in complaint(capsys, record)
    assert "wall-0" in printed(capsys, record, "--walls", tmp_path / "moved.json")
    (tmp_path / "other.json").write_text(json.dumps(walls_document(2)), encoding="utf-8")
    assert "are not those of the record" in complaint(capsys, record, "--walls", tmp_path / "other.json")


def test_a_record_without_measures_or_with_damaged_ones(record, capsys):
    path = record / "herrings.npz"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "is damaged (herrings.npz is not as it was written)" in complaint(capsys, record)
    (record / "files.sha256").unlink()  # as in a record of before there were any
    assert "is damaged (herrings.npz: " in complaint(capsys, record)
    with np.load(record / "labels.npz") as arrays:
        np.savez(path, **dict(arrays))
    assert "is damaged (herrings.npz: no array cost_true)" in complaint(capsys, record)
    path.unlink()
    assert "has no herrings.npz, since an older fourfold made it: delete that folder" in complaint(
        capsys, record
    )
