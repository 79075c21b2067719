"""``fourfold macgyver dedupe``: files in, two files out, whole or not at all."""

import json

import numpy as np
import pytest
from macgyver_files import PROBLEMS, write_release, write_table

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.macgyver import problem_map as problem_vectors
from fourfold.experiments.macgyver.problem_texts import read_texts


class LetterEncoder:
    """Counts of letters."""

    name = "letters"

    def encode(self, texts, progress=None):
        rows = [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyzé"] for text in texts]
        return np.array(rows, np.float32)

    def describe(self):
        return {}


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    monkeypatch.setattr(problem_vectors, "text_encoder", lambda model, device, cache: LetterEncoder())


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.txt"
    path.write_text("abab\n\nxyz\nbaba\ncafé\n", encoding="utf-8")
    return path


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_is_kept_and_what_is_dropped(new, tmp_path, capsys):
    old = write_table(tmp_path / "old.jsonl", [{"text": "zyx"}, {"text": "q"}])
    assert main(["macgyver", "dedupe", str(new), "--against", str(old)]) == 0
    assert (tmp_path / "new.kept.txt").read_text(encoding="utf-8") == "abab\ncafé\n"
    assert lines(tmp_path / "new.dropped.jsonl") == [
        {
            "problem": "xyz", "row": 3, "similarity": 1.0,
            "neighbour": "zyx", "neighbour_file": str(old), "neighbour_row": 1,
        },
        {
            "problem": "baba", "row": 4, "similarity": 1.0,
            "neighbour": "abab", "neighbour_file": str(new), "neighbour_row": 1,
        },
    ]  # fmt: skip
    told = capsys.readouterr().out.splitlines()
    assert told == [
        f"{tmp_path / 'new.kept.txt'}: 2 of 4 problems kept",
        f"{tmp_path / 'new.dropped.jsonl'}: 2 dropped",
    ]


def test_rows_of_a_table_stay_as_they_are(tmp_path, capsys):
    rows = [
        {"id": 7, "question": "abc", "more": [1.5, None, "é"]},
        {"id": 8, "question": "cba", "more": True},
    ]
    path = write_table(tmp_path / "new.jsonl", rows)
    out, dropped = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    words = ["macgyver", "dedupe", str(path), "--out", str(out), "--dropped", str(dropped), "--json"]
    assert main(words) == 0
    assert lines(out) == rows[:1]
    content = json.loads(capsys.readouterr().out)
    assert (content["new"], content["kept"], content["dropped"], content["existing"]) == (2, 1, 1, 0)
    assert (content["search"], content["estimated_share_found"], content["model"]) == (
        "exact",
        1.0,
        "letters",
    )
    assert main(words) == 2
    assert f"{out} is there already" in capsys.readouterr().err
    assert main([*words, "--force", "--threshold", "1"]) == 0
    assert lines(out) == rows
    assert dropped.read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".csv"])
def test_tables_of_every_format_and_the_release(tmp_path, ending):
    pytest.importorskip({".xlsx": "openpyxl", ".parquet": "pyarrow"}.get(ending, "csv"))
    path = write_table(tmp_path / f"new{ending}", [*PROBLEMS, PROBLEMS[0] | {"Problem": "zzz"}])
    folder = write_release(tmp_path / "release")
    assert main(["macgyver", "dedupe", str(path), "--against", str(folder), "--threshold", "0.99"]) == 0
    (kept,) = lines(tmp_path / "new.kept.jsonl")
    assert kept["Problem"] == "zzz"
    assert str(kept["ID"]) == "7"
    assert [row["neighbour_row"] for row in lines(tmp_path / "new.dropped.jsonl")] == [1, 2, 3]


def test_nothing_is_left_where_a_file_cannot_be_written(new, tmp_path, capsys):
    words = ["macgyver", "dedupe", str(new), "--dropped", str(tmp_path / "no" / "where.jsonl")]
    assert main(words) == 2
    assert "is not a folder: make it first" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["new.txt"]


def test_a_folder_that_cannot_be_written_to_is_told_before_the_work(new, tmp_path, monkeypatch, capsys):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refused)
    monkeypatch.delattr(LetterEncoder, "encode")
    assert main(["macgyver", "dedupe", str(new)]) == 2
    assert f"{tmp_path / 'new.kept.txt'} cannot be written (Permission denied)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.txt"], "nowhere.txt cannot be read (No such file"),
        (["nowhere.jsonl"], "got no such file"),
        (["new.pdf"], "ends in '.pdf', expected .xlsx, .json, .jsonl, .parquet, .csv, .txt"),
        (["."], ". is a folder: name a file of new problems"),
        (["empty.txt"], "got no problems"),
        (["latin.txt"], "is not UTF-8 text (byte 0xe9 on line 1)"),
        (["two.jsonl"], 'got the columns "a", "b", expected one called problem or text: name that'),
        (["two.jsonl", "--field", "c"], 'got the columns "a", "b", expected --field c'),
        (["two.jsonl", "--field", "b"], "line 1, field b: got the blank text"),
        (["new.txt", "--threshold", "2"], "got '2', expected a cosine from -1 to 1"),
        (["new.txt", "--threshold", "nan"], "got 'nan', expected a cosine"),
        (["new.txt", "--out", "new.txt"], "new.txt is read as well"),
        (["new.txt", "--out", "x", "--dropped", "x"], "--out and --dropped are both x"),
        (["new.txt", "--against", "."], "got no problem_solution_pair there"),
        (["new.txt", "--field", "b"], "--field b is for tables, and new.txt has a problem a line"),
        (
            ["new.txt", "--out", "x.csv"],
            "--out x.csv ends in .csv, but lines of text are written: end it in .txt",
        ),
        (["two.jsonl", "--field", "a", "--out", "x.xlsx"], "but JSON lines are written: end it in .jsonl"),
        (["new.txt", "--dropped", "x.txt"], "--dropped x.txt ends in .txt, but JSON lines"),
        (["new.txt", "--search", "fast"], "invalid choice: 'fast'"),
    ],
)
def test_what_is_wrong_is_one_line(new, tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("\n \n", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes("caf\xe9".encode("latin-1"))
    write_table(tmp_path / "two.jsonl", [{"a": "x", "b": " "}])
    before = sorted(path.name for path in tmp_path.iterdir())
    assert main(["macgyver", "dedupe", *words]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_lines_of_a_text_file_are_stripped_and_numbered(new):
    assert [(one.text, one.place) for one in read_texts(new)] == [
        ("abab", 1),
        ("xyz", 3),
        ("baba", 4),
        ("café", 5),
    ]


def test_an_encoder_without_vectors_is_an_error(monkeypatch, capsys, new):
    monkeypatch.undo()
    assert main(["macgyver", "dedupe", str(new), "--model", "fused"]) == 2
    assert "model=fused needs its parts" in capsys.readouterr().err
    assert main(["macgyver", "dedupe", str(new), "--model", "minilmm"]) == 2
    assert "minilm" in capsys.readouterr().err
    monkeypatch.setattr(problem_vectors, "make_encoder", lambda config: object())
    with pytest.raises(UserError, match="--model minilm has no vectors of its own"):
        problem_vectors.text_encoder("minilm", "cpu", "false")


def test_texts_are_encoded_in_parts_and_each_once(monkeypatch):
    asked = []

    class Counting(LetterEncoder):
        def encode(self, texts, progress=None):
            asked.append(list(texts))
            progress(len(texts), len(texts))
            return super().encode(texts)

    monkeypatch.setattr(problem_vectors, "AT_ONCE", 2)
    told = []
    vectors = problem_vectors.encode_texts(Counting(), ["a", "b", "a", "c"], lambda *done: told.append(done))
    assert asked == [["a", "b"], ["c"]]
    assert told == [(2, 3), (3, 3), (3, 3)]
    np.testing.assert_array_equal(vectors, LetterEncoder().encode(["a", "b", "a", "c"]))
