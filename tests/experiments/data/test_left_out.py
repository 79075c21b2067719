"""Walls that cannot be used, through the commands: every result says how many walls it is on."""

import json

import pytest

from fourfold.experiments.cli import main
from fourfold.experiments.data import dataset


@pytest.fixture
def some_broken(walls_file, tmp_path, monkeypatch, encoder):
    """A file of ``walls_file``'s three walls, of which the second has fifteen clues."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dataset, "_said", set())
    document = json.loads(walls_file.read_text(encoding="utf-8"))
    document["dataset"][1]["words"].pop()
    walls_file.write_text(json.dumps(document), encoding="utf-8")
    return [wall["wall_id"] for wall in document["dataset"]]


def test_every_result_says_how_many_walls_it_is_on(some_broken, walls_file, capsys, tmp_path):
    at = [f"dataset.path={walls_file}", "dataset=ocw"]
    assert main(["run", *at, "seeds=2"]) == 0
    printed = capsys.readouterr()
    assert "ocw: 2 walls (1 left out), 2 runs" in printed.out
    assert "left out 1 of 3 walls" in printed.err
    assert f"  {some_broken[1]}: field words: got 15 clues, expected 16" in printed.err
    assert printed.err.count("left out") == 1
    (folder,) = (tmp_path / "runs").iterdir()
    entry = json.loads((folder / "record.json").read_text(encoding="utf-8"))["dataset"]
    assert (entry["n_walls"], entry["n_groups"]) == (2, 8)
    assert entry["left_out"] == [{"wall": some_broken[1], "reason": "field words: got 15 clues, expected 16"}]
    assert main(["runs"]) == 0
    assert "(2, 1 left out)" in capsys.readouterr().out
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["dataset"]["left_out"] == entry["left_out"]
    assert main(["herrings", str(folder)]) == 0
    assert "ocw: 2 walls (1 left out), 2 runs" in capsys.readouterr().out
    assert main(["export", str(folder)]) == 0
    for file in (folder / "predictions").iterdir():
        predictions = json.loads(file.read_text(encoding="utf-8"))
        assert [each["wall_id"] for each in predictions] == [some_broken[0], some_broken[2]]
    capsys.readouterr()
    assert main(["play", *at, "guesses=5"]) == 0
    printed = capsys.readouterr().out
    assert "ocw (1 left out): " in printed
    assert "of 2" in printed


def test_strict_refuses_them(some_broken, walls_file, capsys, tmp_path):
    words = ["run", "dataset=ocw", f"dataset.path={walls_file}", "dataset.strict=true"]
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.err == (
        f"fourfold: {walls_file}, wall {some_broken[1]}, field words: got 15 clues, expected 16;"
        " add what is missing\n"
    )
    assert not (tmp_path / "runs").exists()


def test_a_long_list_is_cut_short_on_the_screen(capsys, tmp_path, monkeypatch):
    from wall_documents import ocw_document, ocw_wall, write

    from fourfold.conf.schema import DatasetConfig

    monkeypatch.setattr(dataset, "_said", set())
    broken = [ocw_wall(f"b{number}") | {"words": []} for number in range(25)]
    path = write(tmp_path / "many.json", ocw_document(ocw_wall("w1"), *broken))
    for _ in range(2):
        walls = dataset.load_walls(DatasetConfig(path=str(path)))
    assert [len(walls), len(walls.left_out)] == [1, 25]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 12
    assert "left out 25 of 26 walls" in said[0]
    assert said[-1] == "  and 15 more, which the record lists"
