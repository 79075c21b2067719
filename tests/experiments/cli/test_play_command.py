"""``fourfold play`` as a user types it."""

import json

import pytest
from chat_server import said, serve
from letter_walls import walls_document

from fourfold.experiments.cli import main
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.runs.game import record as records

WALLS = bundled_walls().walls


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.chdir(tmp_path)


def in_order(body, headers):
    """The groups of the wall one after the other."""
    clues = next(each["content"] for each in body["messages"] if each["role"] == "user")
    wall = next(wall for wall in WALLS if all(clue in clues for clue in wall.clues))
    turn = sum(each["role"] == "assistant" for each in body["messages"])
    return said(", ".join(wall.groups[turn].clues))


def test_an_encoder_plays_and_a_second_call_plays_nothing(capsys, walls_file, encoder):
    words = ["play", "dataset=ocw", f"dataset.path={walls_file}", "guesses=5"]
    assert main(words) == 0
    first = capsys.readouterr()
    assert main(words) == 0
    second = capsys.readouterr()
    assert len(encoder.calls) == 1
    assert "ocw: 3 lives after 2 groups " in first.out
    assert "ended solved 3, without lives 0, without guesses 0; wrong guesses 0, void ones 0" in first.out
    assert "these games are already played" in second.err
    assert second.out == first.out


@pytest.mark.slow
def test_a_language_model_plays_and_both_stand_in_one_table(capsys, tmp_path, walls_file, encoder):
    assert main(["play", "dataset=ocw", f"dataset.path={walls_file}", "lives=1", "free_groups=0"]) == 0
    with serve(in_order) as server:
        words = ["player=llm", f"model.base_url={server.url}", "model.name=knows", "limit=2"]
        assert main(["play", *words, "--json"]) == 0
    capsys.readouterr()
    assert main(["play", "--records", "runs", "--json"]) == 0
    entries = {entry["player"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert entries["language_model"]["solved"] == [0, 0, *[2] * 18]
    assert entries["encoder"]["rules"]["lives"] == 1
    assert main(["play", "--records", "runs"]) == 0
    text = capsys.readouterr().out
    assert "knows: walls solved" in text
    assert "ocw: 1 life " in text
    assert "bundled: 3 lives after 2 groups" in text
    assert main(["runs", "runs"]) == 0
    assert capsys.readouterr().out.startswith("runs: 2 records of games. Walls solved")
    (folder,) = [path for path in (tmp_path / "runs").iterdir() if path.name != entries["encoder"]["name"]]
    (folder / records.RECORD).write_text("{")
    assert main(["play", "--records", "runs"]) == 0
    assert "left out: the record" in capsys.readouterr().err


@pytest.mark.slow
def test_whoever_plays_a_folder_of_splits_plays_its_test_walls(capsys, tmp_path, encoder):
    folder = tmp_path / "splits"
    folder.mkdir()
    for n_walls, split in enumerate(["train", "test", "validation"], start=1):
        (folder / f"{split}.json").write_text(json.dumps(walls_document(n_walls)), encoding="utf-8")
    assert main(["play", "dataset=ocw", f"dataset.path={folder}"]) == 0
    with serve(lambda *_: said("a guess")) as server:
        words = ["player=llm", f"model.base_url={server.url}", "model.name=guesses", "guesses=2"]
        assert main(["play", "dataset=ocw", f"dataset.path={folder}", *words]) == 0
    assert capsys.readouterr().out.count("ocw test: 3 lives") == 2
    main(["play", "--records", "runs", "--json"])
    found = [entry["dataset"] for entry in json.loads(capsys.readouterr().out)]
    assert [(entry["split"], entry["n_walls"]) for entry in found] == [("test", 2)] * 2


@pytest.mark.slow
def test_a_dry_run_shows_the_question(capsys):
    assert main(["play", "player=llm", "model.name=x", "limit=2", "guesses=7", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "Until you have found 2 groups, wrong guesses cost nothing. After that you have 3 lives" in shown
    assert "[2 walls; 3 to 7 requests each, at most 14" in shown
    assert "Proposal" not in shown
    words = ["play", "player=llm", "model.name=x", "hints=2", "encoder=minilm"]
    assert main([*words, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "the 2 groupings that it finds best" in shown
    assert shown.count("\nProposal ") == 2


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        (["player=human"], "player=human is not known: expected encoder or llm"),
        (["lives=0"], "lives=0 is too small"),
        (["lives=x"], "lives=x: expected a whole number"),
        (["livse=3"], "livse= is not a setting: did you mean lives=?"),
        (["guesses=1821"], "guesses=1821 is too large: expected at most 1,820"),
        (["free_groups=5"], "free_groups=5 is too large: expected at most 4"),
        (["limit=0"], "limit=0 is too small"),
        (["dataset=ocw", "dataset.path=none.json"], "none.json"),
        (["hints=3"], "hints=3 is for the game of a language model: add player=llm"),
        (["player=llm", "model.name=x", "hints=-1"], "hints=-1 is too small"),
        (["player=llm", "model.name=x", "hints=1", "encoder=none"], "none is not known"),
        (["player=llm", "model.name=x", "vote=pairs"], "vote=pairs does not apply to a game"),
        (["player=llm", "model.name=x", "samples=2"], "samples=2 does not apply to a game"),
        (["order=-1"], "order=-1 is too small"),
        (["one_away=perhaps"], "one_away=perhaps: expected true or false"),
        (["seeds=3"], "seeds=3 does not apply to a game"),
        (["solver=exact"], "solver=exact does not apply to a game"),
        (["model.base_url=http://h"], "model.base_url= is not a setting"),
        (["model=nosuch"], "model=nosuch is not known"),
        (["three"], "'three' is not a setting"),
        (["player=llm"], "a language model is needed"),
        (["player=llm", "model=minilm"], "a language model is named by model.name="),
        (
            ["player=llm", "model.name=a,b"],
            "model.name=a,b is several values, and each makes a run: play them one by one",
        ),
        (["--dry-run"], "add player=llm"),
        (["--records", "none"], "none is not a folder of records"),
        (["lives=2", "--records", "."], "leave out settings"),
    ],
)
def test_what_the_user_can_mend_is_one_line(capsys, words, said_of_it):
    assert main(["play", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert said_of_it in shown.err


def test_what_is_not_as_by_default_is_in_the_title(capsys, walls_file, contextual):
    words = ["dataset=ocw", f"dataset.path={walls_file}", "embedding=contextual", "features=similarity"]
    assert main(["play", *words, "order=2", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["title"], found["order"]) == ("MiniLM, contextual, similarity", 2)
    assert found["solved"][-1] == 3


def test_in_context_the_order_that_is_played_is_the_only_one_that_is_encoded(capsys, walls_file, contextual):
    words = ["dataset=ocw", f"dataset.path={walls_file}", "embedding=contextual", "order=7"]
    assert main(["play", *words]) == 0
    assert sum(map(len, contextual.calls)) == 3


def test_games_are_played_again_from_their_record(capsys, tmp_path, walls_file, encoder):
    assert main(["play", "dataset=ocw", f"dataset.path={walls_file}", "lives=1", "limit=2", "order=3"]) == 0
    (folder,) = (tmp_path / "runs").iterdir()
    capsys.readouterr()
    assert main(["run", "--from", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "games: the same guesses on 2 of 2 walls",
        "The games came out equal.",
    ]
    assert len(list((tmp_path / "runs").iterdir())) == 1  # nothing was written
    games = json.loads((folder / records.GAMES).read_text())
    games[1]["guesses"][0]["clues"].reverse()
    (folder / records.GAMES).write_text(json.dumps(games))
    (folder / "files.sha256").unlink()
    moved = tmp_path / "moved.json"
    walls_file.rename(moved)
    assert main(["run", "--from", str(folder), "--walls", str(moved), "out=again"]) == 1
    assert "the same guesses on 1 of 2 walls" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "again").iterdir()] == [folder.name]
    moved.write_text(json.dumps(walls_document(2) | {"dataset": walls_document(3)["dataset"][1:]}))
    assert main(["run", "--from", str(folder), "--walls", str(moved)]) == 2
    assert "are not those of the record" in capsys.readouterr().err


@pytest.mark.slow
def test_a_conversation_is_repeated_from_its_stored_replies(capsys, tmp_path):
    with serve(in_order) as server:
        words = ["player=llm", f"model.base_url={server.url}", "model.name=knows", "limit=2"]
        assert main(["play", *words]) == 0
        asked = len(server.bodies)
        (folder,) = (tmp_path / "runs").iterdir()
        assert main(["llm", "--from", str(folder)]) == 0
        assert len(server.bodies) == asked
        assert main(["run", "--from", str(folder), "cache=false"]) == 0
        assert len(server.bodies) == 2 * asked
    assert "the same guesses on 2 of 2 walls" in capsys.readouterr().out
