"""``fourfold llm`` as a user types it, against a server on loopback."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from chat_server import Answer, said, serve
from python_processes import PACKAGE
from tiny_models import make_chat

from fourfold.experiments.cli import main
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.llm.reply_store import stored_replies

KEY = "sk-a-key-that-nobody-may-see-0123456789"
WALLS = bundled_walls().walls


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)


def knows_half(body, headers):
    """Groups of which two are right, each with its connection."""
    clues = body["messages"][-1]["content"].rpartition("Clues:")[2]
    wall = next(wall for wall in WALLS if all(clue in clues for clue in wall.clues))
    groups = [list(group.clues) for group in wall.groups]
    groups[0][0], groups[1][0] = groups[1][0], groups[0][0]
    return said("\n".join(", ".join(group) for group in groups))


@pytest.mark.slow
def test_a_run_prints_its_table_and_a_second_one_asks_nothing(capsys, tmp_path):
    with serve(knows_half) as server:
        words = ["llm", f"model.base_url={server.url}", "model.name=half", "limit=3", "model.title=Half"]
        assert main(words) == 0
        first = capsys.readouterr()
        assert main(words) == 0
        second = capsys.readouterr()
    assert len(server.bodies) == 3
    assert "Task 1 (grouping), bundled: 3 walls, 0 examples, 1 order" in first.out
    assert "Half" in first.out
    assert "misformatted groups 0.0%; groups with a clue that is not on the wall 0.0%" in first.out
    assert "tokens: 21 read, 9 written\n" in first.out
    assert "this run is already done" in second.err
    assert second.out == first.out
    assert first.err == ""


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(capsys, tmp_path):
    with serve(knows_half) as server:
        words = ["llm", f"model.base_url={server.url}", "model.name=half", "limit=3"]
        prices = ["model.price_in=1000000", "model.price_out=0"]
        assert main([*words, "--dry-run", *prices]) == 0
        shown = capsys.readouterr().out
        assert server.bodies == []
        assert "[system]\nYou are a contestant" in shown
        assert "[user]\nClues: " in shown
        assert "[and 2 more like it]" in shown
        assert "(estimated at 4 letters a token), at most 432 to write; cost at most " in shown
        tokens = int(shown.partition("3 requests: ")[2].partition(" ")[0])
        assert f"cost at most {tokens}\n" in shown
        assert main(words) == 0
        capsys.readouterr()
        assert main([*words, "--dry-run"]) == 0
        assert "3 replies are kept already" in capsys.readouterr().out


def test_tokens_are_counted_by_a_tokenizer_that_is_to_hand(capsys, tmp_path):
    folder = make_chat(tmp_path / "chat")
    assert main(["llm", "model.name=x", f"model.tokenizer={folder}", "limit=1", "--dry-run"]) == 0
    behind = capsys.readouterr().out
    assert main(["llm", f"model.name={folder}", "limit=1", "--dry-run"]) == 0
    here = capsys.readouterr().out
    assert "(counted by the model's tokenizer)" in behind
    assert behind == here


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        ([], "a language model is needed: add model.name=MODEL"),
        (["model.nam=x"], "model.nam= is not a setting: did you mean model.name=?"),
        (["examplse=3"], "examplse= is not a setting: did you mean examples=?"),
        (["no_such_thing=3"], "no_such_thing= is not a setting: 'fourfold llm --help' lists what can be set"),
        (["model=minilm"], "a language model is named by model.name="),
        (["model.name=x", "task=3"], "task=3 is not known"),
        (["model.name=x", "examples=-1"], "examples=-1 is too small"),
        (["model.name=x", "examples=x"], "examples=x: expected a whole number"),
        (["model.name=x", "examples=0,3"], "start them with 'fourfold sweep llm examples=0,3'"),
        (["model.name=x", "examples=2"], "needs training walls"),
        (["model.name=x", "seeds=0"], "seeds=0 is too small"),
        (["model.name=x", "task=2", "seeds=4"], "seeds=4 does not apply to task=2"),
        (["model.name=x", "model.timeout=0"], "model.timeout=0 is not a time"),
        (["model.name=x", "model.temperature=-1"], "model.temperature=-1 is too small"),
        (["model.name=x", "model.max_tokens=99999999999999999999"], "max_tokens=99999999999999999999 is too"),
        (["model.name=x", "encoder=glove"], "encoder=glove does nothing without hints or a weight"),
        (
            ["model.name=x", "vote=pairs", "seeds=2", "encoder=glove"],
            "encoder=glove does nothing without hints",
        ),
        (["model.name=x", "model.api_key=sk-1"], "into the environment variable that model.key_variable="),
        (["model.name=x", "model.extra=[1]"], "model.extra=[1] is not a JSON object"),
        (["model.name=x", 'model.extra={"api_key": "sk-1"}'], "model.extra holds api_key, which would be"),
        (["model.name=x", 'model.extra={"a": [{"X-Api-Key": "sk-1"}]}'], "model.extra holds X-Api-Key"),
        (["model.name=x", 'model.extra={"extra_headers": {}}'], "model.extra holds extra_headers"),
        (["model.name=x", "model.extra=token: sk-1"], "fourfold: model.extra is not a JSON object"),
        (["model.name=x", 'model.extra={"stream": true}'], "model.extra holds stream, which has a setting"),
        (["model.name=x", "model.base_url=here"], "model.base_url=here is not an address"),
        (["model.name=x", "model.backend=transformers", "model.base_url=http://h"], "leave one of them out"),
        (["model.name=x", "dataset=ocw"], "dataset=ocw needs its file or folder"),
        (["model.name=x", "prompt=none.jinja"], "prompt=none.jinja cannot be read"),
        (["model.name=x", "prefix_space=false"], "prefix_space=false is for task=2"),
        (["model.name=x", "task=2", "bertscore=minilm", "prefix_space=false"], "prefix_space=false is for"),
        (["model.name=x", "bertscore=yes"], "bertscore=yes is not known"),
        (["model.name=x", "--no-such"], "unrecognized arguments: --no-such"),
    ],
)
def test_what_the_user_can_mend_is_one_line(capsys, words, said_of_it):
    assert main(["llm", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert said_of_it in shown.err


def test_the_key_is_in_no_output_even_of_debug(capsys, tmp_path):
    def repeat(body, headers):
        return Answer(400, json.dumps(headers).encode(), {"Content-Type": "application/json"})

    with serve(repeat) as server:
        words = ["llm", f"model.base_url={server.url}", "model.name=x", "limit=2", "--debug"]
        assert main(words) == 2
    shown = capsys.readouterr()
    assert "Traceback" in shown.err
    assert "[key]" in shown.err
    assert KEY not in shown.err + shown.out
    assert main(["llm", "model.name=x", f"model.key_variable={KEY}", "--debug"]) == 2
    shown = capsys.readouterr()
    assert KEY not in shown.err + shown.out


@pytest.mark.slow
def test_ctrl_c_ends_a_run_at_once_and_keeps_what_came(tmp_path):
    def one_then_none(body, headers):
        return knows_half(body, headers) if len(server.bodies) == 1 else Answer(hang=True)

    with serve(one_then_none) as server:
        words = ["llm", f"model.base_url={server.url}", "model.name=half", "limit=4", "model.concurrency=2"]
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import sys; from fourfold.experiments.cli import main; sys.exit(main({words}))",
            ],
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "FOURFOLD_CACHE": str(tmp_path / "cache")},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            deadline = time.monotonic() + 60
            while len(server.bodies) < 3 and time.monotonic() < deadline:
                time.sleep(0.05)
            started = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, shown = process.communicate(timeout=30)
        finally:
            process.kill()
        assert time.monotonic() - started < 10
    assert process.returncode == 130
    assert shown.startswith("fourfold: stopped")
    assert stored_replies(tmp_path / "cache").n_replies == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("words", "needed"),
    [(["llm"], "clues"), (["llm", "task=2"], "groups"), (["play", "player=llm"], "clues")],
)
def test_a_template_that_shows_no_wall_is_refused_before_any_work(capsys, tmp_path, words, needed):
    (tmp_path / "own.jinja").write_text("Solve it! {{ examples|length }}", encoding="utf-8")
    assert main([*words, "model.name=x", f"prompt={tmp_path / 'own.jinja'}"]) == 2
    assert f"does not show the wall: write {needed} into it" in capsys.readouterr().err
