"""Sweeps of language models against servers on loopback: what is asked, kept, failed and left out."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter

import pytest
from chat_server import Answer, refused, said, serve
from python_processes import PACKAGE
from wall_documents import ocw_document, ocw_wall, write

from fourfold.conf.llm_schema import LanguageRunConfig
from fourfold.conf.sweep import read_sweep
from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.runs.language_model.runs import LanguageRuns
from fourfold.experiments.runs.language_model.titles import find_language_records
from fourfold.experiments.runs.sweep import Tally, do_sweep
from fourfold.experiments.runs.sweep_plan import plan_sweep
from fourfold.experiments.tasks import prepare
from fourfold.experiments.terminal.progress import ProgressBars

N_WALLS = 3
KEY = "sk-a-key-that-nobody-may-see-0123456789"


@pytest.fixture(autouse=True)
def _key(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def words(tmp_path):
    """What all sweeps here have in common: three walls, and others to draw examples from."""
    folder = tmp_path / "ocw"
    folder.mkdir()
    for split, numbers in (("train", range(12)), ("test", range(14, 14 + N_WALLS))):
        walls = [ocw_wall(f"w{number}", f"{number}") for number in numbers]
        write(folder / f"{split}.json", ocw_document(*walls))
    return ["dataset=ocw", "dataset.path=ocw", "bertscore=none", "model.concurrency=1"]


def answers(body, headers=None):
    return said("a1, a2, a3, a4\nb1, b2, b3, b4")


def plan(*words):
    return plan_sweep(LanguageRuns(), read_sweep(words, LanguageRunConfig), ProgressBars(shown=False))


def go(*words):
    sweep, tally = read_sweep(words, LanguageRunConfig), Tally()
    bars = ProgressBars(shown=False)
    do_sweep(sweep, plan_sweep(LanguageRuns(), sweep, bars), bars, tally)
    return tally


def records(tmp_path):
    return [record for _, record in find_language_records([tmp_path / "runs"]).records]


@pytest.mark.slow
def test_every_combination_keeps_a_record_and_is_not_asked_again(words, tmp_path, capsys):
    with serve(answers) as server:
        at = [*words, f"model.base_url={server.url}", "model.name=m"]
        first = go(*at, "task=1,2", "examples=0,3")
        assert (first.total, len(first.done), first.failed) == (4, 4, [])
        assert len(server.bodies) == 4 * N_WALLS
        again = go(*at, "task=1", "examples=0,3,5")
        assert (again.total, again.before, len(again.done)) == (3, 2, 3)
        assert len(server.bodies) == 5 * N_WALLS
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("[1/4] task=1 examples=0: done in ")
    found = sorted((record.task, len(record.examples)) for record in records(tmp_path))
    assert found == [(1, 0), (1, 3), (1, 5), (2, 0), (2, 3)]
    assert not [path for path in (tmp_path / "runs").iterdir() if path.name.startswith(".")]
    for record in records(tmp_path):
        assert record.config["dataset"]["path"] == str(tmp_path / "ocw")


@pytest.mark.slow
def test_a_killed_sweep_goes_on_and_asks_nothing_twice(words, tmp_path):
    """Two tasks with two numbers of examples, killed at the second wall of the second run."""
    hang_at, lock, answered = N_WALLS + 2, threading.Lock(), Counter()
    reached = threading.Event()

    def answer(body, headers):
        with lock:
            if len(server.bodies) == hang_at:
                reached.set()
                return Answer(hang=True)
            answered[json.dumps(body, sort_keys=True)] += 1
        return answers(body)

    with serve(answer) as server:
        arguments = ["sweep", "llm", *words, f"model.base_url={server.url}", "model.name=m"]
        arguments += ["task=1,2", "examples=0,1"]
        code = "import sys; from fourfold.experiments.cli import main; sys.exit(main(sys.argv[1:]))"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert reached.wait(120)
        finally:
            process.kill()
            process.communicate()
        assert len(records(tmp_path)) == 1
        assert main(arguments) == 0
    assert len(records(tmp_path)) == 4
    assert len(answered) == 4 * N_WALLS
    assert set(answered.values()) == {1}
    assert not [path for path in (tmp_path / "runs").iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_a_model_that_fails_is_asked_once_and_stops_no_other(words, tmp_path, capsys):
    with serve(
        lambda body, _: refused(404, "no such model") if body["model"] == "bad" else answers(body)
    ) as s:
        arguments = [*words, f"model.base_url={s.url}", "model.name=bad,good", "task=1,2", "examples=0,1"]
        assert main(["sweep", "llm", *arguments]) == 1
        asked = Counter(body["model"] for body in s.bodies)
    assert asked == {"bad": 1, "good": 4 * N_WALLS}
    printed = capsys.readouterr()
    assert printed.out.startswith("4 runs done, 4 of them now\n")
    assert f"tokens: 84 read, 36 written\nrecords: {tmp_path / 'runs'}\n" in printed.out
    told = printed.err.partition("failed: 4 of 8 runs\n")[2]
    assert (
        "model.name=bad task=1 examples=0: 3 of 3 requests failed: the endpoint answered 404: no such" in told
    )
    assert "nothing was asked after another run's failure: the endpoint answered 404: no such model" in told
    assert told.count("model.name=bad") == 4
    assert told.endswith("The same command tries these again.\n")


@pytest.mark.slow
def test_what_fails_for_one_run_alone_is_tried_for_the_others(words):
    def answer(body, headers):
        return refused(400, "too long") if "Connection" in str(body["messages"]) else answers(body)

    with serve(answer) as server:
        tally = go(*words, f"model.base_url={server.url}", "model.name=m", "examples=1,0,3")
    assert [label for label, _ in tally.done] == ["examples=0"]
    assert [label for label, _ in tally.failed] == ["examples=1", "examples=3"]
    assert all("answered 400: too long" in reason for _, reason in tally.failed)


@pytest.mark.slow
def test_runs_of_one_model_are_one_job_which_makes_it_once(words, monkeypatch):
    made, make = [], prepare.make_model

    def counted(config, retries=None):
        made.append(config.name)
        return make(config, retries)

    monkeypatch.setattr(prepare, "make_model", counted)
    with serve(answers) as server:
        more = [f"model.base_url={server.url}", "model.name=a,b", "model.max_tokens=9,10"]
        found = plan(*words, *more)
        assert [[run.config.model.name for run in job] for job in found.jobs] == [["a"] * 2, ["b"] * 2]
        made.clear()
        go(*words, *more)
    assert Counter(made) == {"a": 2, "b": 2}  # each for the plan, and for the job


@pytest.mark.slow
def test_runs_that_need_an_encoder_compose_it_within_a_job(words):
    with serve(answers) as server:
        tally = go(*words, f"model.base_url={server.url}", "model.name=m", "limit=1", "hints=0,1")
    assert [label for label, _ in tally.done] == ["hints=0", "hints=1"]
    assert not tally.failed
    assert "Proposal 1" in server.bodies[1]["messages"][-1]["content"]


@pytest.mark.slow
def test_beside_task_1_task_2_is_done_without_what_it_has_no_use_for(words, tmp_path):
    at = [*words, "model.base_url=http://localhost:9/v1", "model.name=m"]
    found = plan(*at, "task=1,2", "seeds=2,3", "vote=pairs", "hints=2")
    assert [run.label for run in found.runs] == ["task=1 seeds=2", "task=1 seeds=3", "task=2"]
    weights = plan(*at, "vote=none,groups", "encoder_weight=1", "seeds=2")
    assert [run.label for run in weights.runs] == ["vote=none", "vote=groups"]
    assert [run.config.encoder_weight for run in weights.runs] == [0, 1]
    alone = plan(*at, "seeds=1,2", "vote=none,pairs")  # one reply alone has no vote
    assert [run.label for run in alone.runs] == [
        "seeds=1 vote=none",
        "seeds=2 vote=none",
        "seeds=2 vote=pairs",
    ]
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said_of_it"),
    [
        (["task=1,3"], "^task=3 is not known"),
        (["task=2", "seeds=1,2"], "^seeds=2 does not apply to task=2"),
        (["examples=0,99"], "^examples=99 is too many"),
        (["examples=0,x"], "^examples=x: expected a whole number"),
        (["vote=none,pairs"], "^vote=pairs needs several replies"),
        (["prompt=OWN"], "own.jinja fails on a wall"),
        (["limit=1,2", "prompt=none.jinja"], "^limit=1: prompt=.*none.jinja cannot be read"),
        (["hints=0,2", "encoder=no_such"], "^hints=2: .*no_such is not known"),
        (["hints=0,2", "encoder=missing"], "^hints=2: .*missing"),
        (["out=/dev/null/runs"], "cannot be a folder"),
        (["task=1,2", "bertscore=paper"], "^task=2: .*roberta-large.*or choose bertscore=minilm"),
        (["model.name=a,b", "model.base_url=null"], "^model.name=a: no key for https://api.openai.com"),
        (
            ["model.base_url=http://h/v1,http://me:secret@h/v1"],
            r"^model.base_url=\[hidden\]: model.base_url ho",
        ),
        (
            ["model.key_variable=A_B,sk-secret"],
            r"^model.key_variable=\[hidden\]: model.key_variable is not the name",
        ),
    ],
)
def test_what_is_wrong_anywhere_is_found_before_anything_is_asked(
    words, more, said_of_it, tmp_path, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "own.jinja").write_text("{{ clues[99].x }}", encoding="utf-8")
    more = [word.replace("OWN", str(tmp_path / "own.jinja")) for word in more]
    with serve(answers) as server:
        with pytest.raises(UserError, match=said_of_it) as caught:
            go(*words, "model.name=m", f"model.base_url={server.url}", *more)
        assert server.bodies == []
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_dry_run_counts_each_request_once_and_asks_nothing(words, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    prices = ["model.price_in=1000000", "model.price_out=0"]
    with serve(answers) as server:
        at = [*words, f"model.base_url={server.url}", "model.name=m", "seeds=1,2"]
        assert main(["sweep", "llm", *at, "--dry-run", *prices]) == 0
        assert server.bodies == []
        lines = capsys.readouterr().out.splitlines()
        read = [int(line.partition(" requests, ")[2].partition(" ")[0]) for line in lines[:2]]
        assert lines[0] == (
            f"seeds=1: 3 requests, {read[0]} tokens to read, at most 432 to write, cost at most {read[0]}"
        )
        assert lines[1] == (
            f"seeds=2: 3 requests, {read[1]} tokens to read, at most 432 to write, cost at most {read[1]}, "
            "3 replies are kept by then"
        )
        assert lines[2].startswith(f"2 runs to do, 6 requests: {sum(read):,} tokens to read (estimated at ")
        assert f"at most 864 to write; cost at most {sum(read)}" in lines[2]
        assert main(["sweep", "llm", *at[:-1], "seeds=2"]) == 0
        capsys.readouterr()
        assert main(["sweep", "llm", *at, "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "seeds=1: nothing to ask, 3 replies are kept by then",
        "1 of 2 runs are done already",
    ]
    assert main(["sweep", "llm", "--dry-run"]) == 2


def test_the_key_is_in_no_record_reply_or_output(words, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "cache"))

    def repeat(body, headers):
        text = json.dumps(headers)
        return refused(400, text) if body["model"] == "bad" else said(text)

    with serve(repeat) as server:
        at = [f"model.base_url={server.url}", "model.name=good,bad"]
        assert main(["sweep", "llm", *words, *at]) == 1
    assert KEY in server.headers[0]["Authorization"]
    printed = capsys.readouterr()
    assert "[key]" in printed.err
    assert KEY not in printed.err + printed.out
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > N_WALLS
    for path in files:
        assert KEY.encode() not in path.read_bytes()
