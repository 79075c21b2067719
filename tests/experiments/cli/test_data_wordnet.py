"""``fourfold data wordnet``: files and folders in, easy walls out."""

import json
import re

import pytest
from small_wordnet import ENTITY, Made, write_wordnet
from wall_documents import nyt_puzzle, ocw_document, ocw_wall, write

from fourfold.experiments.cli import commands as extras
from fourfold.experiments.cli import main
from fourfold.experiments.data.readers import read_walls

nltk = pytest.importorskip("nltk", reason="the extra wordnet is not installed")


@pytest.fixture(autouse=True)
def _nltk_s_own_paths(monkeypatch, tmp_path):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk_data")])


@pytest.fixture
def wordnet(tmp_path):
    """A WordNet that has five names for each clue of a wall of ``ocw_wall``."""
    clues = [f"{letter}{n}" for letter in "abcd" for n in range(1, 5)]
    synsets = [Made("n", (clue, *(f"{clue}_{x}" for x in "pqrs")), f"what {clue} means", 0) for clue in clues]
    return write_wordnet(tmp_path / "dict", [ENTITY, *synsets])


@pytest.fixture
def walls(tmp_path):
    return write(tmp_path / "walls.json", ocw_document(*map(ocw_wall, ("w1", "w2"))))


def complaint(capsys, words):
    assert main(["data", "wordnet", *map(str, words)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("fourfold: ")
    assert printed.err.count("\n") == 1
    return printed.err


def test_a_file(walls, wordnet, tmp_path, capsys):
    outs = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for out, seed in zip(outs, ("42", "42", "7"), strict=True):
        words = ["data", "wordnet", str(walls), str(out), "--wordnet", str(wordnet), "--seed", seed]
        assert main(words) == 0
        assert capsys.readouterr() == (f"{out}: 2 walls, of synonyms\n", "")
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()
    document = json.loads(outs[0].read_text(encoding="utf-8"))
    assert document["season_to_walls_map"] == {"3": 2}
    notes = document["provenance"]
    assert (notes["command"], notes["seed"], notes["wordnet"]) == ("fourfold data wordnet", 42, "9.9")
    assert notes["source"] == {"file": "walls.json", "fingerprint": read_walls(walls).fingerprint}
    found = read_walls(outs[0], layout="ocw")
    assert [wall.wall_id for wall in found.walls] == ["easy_w1", "easy_w2"]
    assert found.human_performance() is None
    for wall in found.walls:
        for group in wall.groups:
            word, _, definition = group.connection.partition(": ")
            assert definition == f"what {word} means"
            assert set(group.clues) < {word, *(f"{word} {x}" for x in "pqrs")}


def test_a_set_made_of_a_made_set_says_so_of_both(tmp_path, wordnet):
    old = ocw_document(*(ocw_wall(f"w{number}") for number in range(2))) | {"provenance": {"made_by": "hand"}}
    path, out = write(tmp_path / "old.json", old), tmp_path / "new.json"
    assert main(["data", "wordnet", str(path), str(out), "--wordnet", str(wordnet)]) == 0
    notes = json.loads(out.read_text(encoding="utf-8"))["provenance"]
    assert notes["made_by"].startswith("fourfold ")
    assert notes["source"]["provenance"] == {"made_by": "hand"}


def test_all_splits_of_a_folder(wordnet, tmp_path, capsys):
    folder, out = tmp_path / "ocw", tmp_path / "easy"
    folder.mkdir()
    for name in ("train", "validation", "test"):
        write(folder / f"{name}.json", ocw_document(ocw_wall(name)))
    write(folder / "OCW.json", ocw_document(ocw_wall("all")))
    assert main(["data", "wordnet", str(folder), str(out), "--wordnet", str(wordnet)]) == 0
    assert [wall.wall_id for wall in read_walls(out).walls] == ["easy_train", "easy_validation", "easy_test"]
    assert capsys.readouterr().out.count("of synonyms") == 3
    assert sorted(path.name for path in out.iterdir()) == ["test.json", "train.json", "validation.json"]


def test_nltk_s_own_data(walls, tmp_path, capsys, wordnet):
    words = [walls, tmp_path / "a.json"]
    assert "python -m nltk.downloader wordnet" in complaint(capsys, words)
    (tmp_path / "nltk_data" / "corpora").mkdir(parents=True)
    wordnet.rename(tmp_path / "nltk_data" / "corpora" / "wordnet")
    assert main(["data", "wordnet", *map(str, words)]) == 0
    assert len(read_walls(tmp_path / "a.json")) == 2


def test_numbers_and_a_byte_order_mark(wordnet, tmp_path, capsys):
    text = json.dumps(ocw_document(ocw_wall())).replace('"a1"', "8.5")
    (tmp_path / "w.json").write_text(text, encoding="utf-8-sig")
    words = ["data", "wordnet", str(tmp_path / "w.json"), str(tmp_path / "o.json"), "--wordnet", str(wordnet)]
    assert main(words) == 0
    assert len(read_walls(tmp_path / "o.json")) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["IN", "OUT", "--seed", "-1"], "--seed -1 is too small"),
        (["IN", "OUT", "--wordnet", "/no/such"], "--wordnet /no/such: got no folder"),
        (["IN"], "required: OUT"),
        (["/no/such/file", "OUT"], "/no/such/file: got no such file"),
        (["IN", "IN"], "the walls that are read"),
        (["ARCHIVE", "OUT"], "archive.json: got an archive of Connections puzzles"),
        (["BROKEN", "OUT"], "broken.json, wall w1, field words: got 15 clues"),
    ],
)
def test_a_mistake_is_one_line(words, said, walls, wordnet, tmp_path, capsys):
    broken = ocw_wall()
    broken["words"].pop()
    names = {
        "IN": walls,
        "OUT": tmp_path / "out.json",
        "ARCHIVE": write(tmp_path / "archive.json", [nyt_puzzle()]),
        "BROKEN": write(tmp_path / "broken.json", ocw_document(broken)),
    }
    given = [names.get(word, word) for word in words]
    if "--wordnet" not in words:
        given += ["--wordnet", wordnet]
    assert re.search(said, complaint(capsys, given))
    assert not (tmp_path / "out.json").exists()


def test_a_wordnet_that_is_too_small_leaves_nothing(walls, tmp_path, capsys):
    small = write_wordnet(tmp_path / "small")
    out = tmp_path / "out.json"
    assert "walls.json: wall w1: got 1 group, expected 4" in complaint(
        capsys, [walls, out, "--wordnet", small]
    )
    assert not out.exists()


def test_groups_of_kinds_are_counted(walls, tmp_path, capsys):
    things = ("furniture", "bird", "fish", "tree")
    synsets = [ENTITY, *(Made("n", (thing,), thing, 0) for thing in things)]
    synsets += [
        Made("n", (f"{thing}{x}",), "x", place)
        for place, thing in enumerate(things, start=1)
        for x in "pqrst"
    ]
    folder = write_wordnet(tmp_path / "kinds", synsets)
    assert main(["data", "wordnet", str(walls), str(tmp_path / "o.json"), "--wordnet", str(folder)]) == 0
    assert "too few synonyms for 2 walls: 8 groups made of kinds of things" in capsys.readouterr().out


def test_without_nltk_the_extra_is_named(walls, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda module: None)
    said = complaint(capsys, [walls, tmp_path / "out.json"])
    assert "'fourfold data wordnet' needs nltk" in said
    assert "pip install 'fourfold[wordnet]'" in said
