"""``--from``: a language model's run repeated from its record alone."""

import json
import re

import pytest
from chat_server import said, serve
from wall_documents import ocw_document, ocw_wall, write

from fourfold.experiments.cli import main
from fourfold.experiments.runs.language_model.record import REPLIES
from fourfold.experiments.runs.language_model.titles import find_language_records
from fourfold.experiments.runs.store import write_checksums


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server():
    with serve(lambda *_: said("a1, a2, a3, a4")) as running:
        yield running


@pytest.fixture
def record(tmp_path, server, capsys):
    """A run of three walls with two examples, its paths as they are from here."""
    (tmp_path / "ocw").mkdir()
    for split, numbers in (("train", range(4)), ("test", range(4, 7))):
        walls = [ocw_wall(f"w{number}", f"{number}") for number in numbers]
        write(tmp_path / "ocw" / f"{split}.json", ocw_document(*walls))
    (tmp_path / "own.jinja").write_text("{{ examples | length }} Clues: {{ clues | join(', ') }}")
    words = ["dataset=ocw", "dataset.path=ocw", "examples=2", "prompt=own.jinja", "out=kept"]
    assert main(["llm", *words, f"model.base_url={server.url}", "model.name=m"]) == 0
    capsys.readouterr()
    ((folder, made),) = find_language_records([tmp_path / "kept"]).records
    assert made.config["prompt"] == str(tmp_path / "own.jinja")
    assert made.config["dataset"]["path"] == str(tmp_path / "ocw")
    return folder


def test_a_run_is_repeated_from_anywhere_with_its_kept_replies_or_anew(
    record, server, tmp_path, capsys, monkeypatch
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["llm", "--from", str(record)]) == 0
    assert len(server.bodies) == 3
    printed = capsys.readouterr().out
    assert "replies: equal in all 3 replies (3 of them kept, which are not asked for again" in printed
    assert printed.endswith("metrics: equal\nThe run came out equal.\n")
    assert main(["run", "--from", str(record), "cache=false", "out=again"]) == 0
    assert len(server.bodies) == 6
    printed = capsys.readouterr().out
    assert printed.startswith("replies: equal in all 3 replies\n")
    assert f"record: again/{record.name}\n" in printed
    again = json.loads((tmp_path / "elsewhere" / "again" / record.name / REPLIES).read_text())
    assert again == json.loads((record / REPLIES).read_text())
    assert main(["llm", "--from", str(record), "out=again"]) == 2
    assert "holds a record" in capsys.readouterr().err


def test_a_model_that_answers_otherwise_is_told(record, server, tmp_path, capsys):
    path = record / "language_model.json"
    with serve(lambda *_: said("4a1, 4a2, 4a3, 4a4")) as other:
        path.write_text(path.read_text().replace(server.url, other.url))
        write_checksums(record)
        assert main(["llm", "--from", str(record)]) == 1
    printed = capsys.readouterr().out
    assert "replies: other in 3 of 3 replies\n" in printed
    assert "metrics: " in printed
    assert "correct_groups by up to 1" in printed
    assert "The run came out otherwise, with the same versions: " in printed


def test_walls_may_have_moved(record, tmp_path, capsys):
    (tmp_path / "ocw").rename(tmp_path / "moved")
    assert main(["llm", "--from", str(record)]) == 2
    assert main(["llm", "--from", str(record), "--walls", "moved"]) == 0
    write(tmp_path / "moved" / "test.json", ocw_document(ocw_wall("w9", "9")))
    capsys.readouterr()
    assert main(["llm", "--from", str(record), "--walls", "moved"]) == 2
    assert "are not those of the record (their fingerprint is " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said_of_it"),
    [
        ("own.jinja", "prompt=.*own.jinja is not that of the record"),
        ("ocw/train.json", "the solved walls that would stand in the prompt are not those of the record"),
        ("replies.json", "is damaged"),
        ("record", "is damaged .language_model.json is missing"),
    ],
)
def test_nothing_is_asked_where_the_questions_would_be_others(
    record, server, tmp_path, capsys, change, said_of_it
):
    if change == "own.jinja":
        (tmp_path / change).write_text("{{ clues | join(', ') }}")
    elif change == "ocw/train.json":
        write(tmp_path / change, ocw_document(*(ocw_wall(f"v{number}", f"{number}") for number in range(4))))
    elif change == "replies.json":
        (record / REPLIES).write_text("[[{")
    else:
        (record / "language_model.json").unlink()
    assert main(["llm", "--from", str(record)]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert re.search(said_of_it, printed.err)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        (["examples=3"], "--from repeats a run as it was"),
        (["--dry-run"], "leave out --dry-run"),
    ],
)
def test_a_repetition_has_no_other_settings(record, capsys, words, said_of_it):
    assert main(["llm", "--from", str(record), *words]) == 2
    assert said_of_it in capsys.readouterr().err
