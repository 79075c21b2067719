"""Whole runs against servers on loopback: a small model, one that knows the answers, and broken ones."""

import json
import shutil
import threading
from dataclasses import replace

import numpy as np
import pytest
from chat_server import Answer, refused, said, serve
from quick_endpoint import Waits
from wall_documents import ocw_document, ocw_wall

from fourfold.conf.llm_schema import LanguageModelConfig, LanguageRunConfig
from fourfold.conf.schema import DatasetConfig
from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.llm.parsing.groups import padded, read_groups
from fourfold.experiments.llm.retries import Retries
from fourfold.experiments.metrics import score_groups
from fourfold.experiments.metrics.bertscore import BertScore
from fourfold.experiments.runs.language_model import naming
from fourfold.experiments.runs.language_model import record as records
from fourfold.experiments.tables.language_results import footer
from fourfold.experiments.tasks.prepare import prepare_language_run
from fourfold.experiments.tasks.run import run_language_model
from fourfold.experiments.terminal.progress import ProgressBars

KEY = "sk-a-key-that-nobody-may-see-0123456789"
WALLS = bundled_walls().walls


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def config(tmp_path, server, **options):
    model = {"name": "tiny", "base_url": getattr(server, "url", server), "timeout": 5.0}
    model |= {key[6:]: options.pop(key) for key in list(options) if key.startswith("model_")}
    made = {
        "dataset": DatasetConfig(name="bundled", layout="bundled"),
        "limit": 6,
        "out": str(tmp_path / "runs"),
        "bertscore": "none",
    }
    return LanguageRunConfig(model=LanguageModelConfig(**model), **(made | options))


def run(settings):
    prepared = prepare_language_run(settings, Retries(attempts=2, wait=Waits()))
    return run_language_model(prepared, ProgressBars(shown=False))


def knows_all(body, headers=None):
    """The right answer of whatever task."""
    question = body["messages"][-1]["content"]
    for wall in WALLS:
        if "Clues:" in question and all(clue in question.rpartition("Clues:")[2] for clue in wall.clues):
            return said("\n".join(", ".join(group.clues) for group in wall.groups))
        if all(f"{', '.join(group.clues)}. Connection: ____" in question for group in wall.groups):
            return said("\n".join(f"{', '.join(g.clues)}. Connection: {g.connection}" for g in wall.groups))
    raise AssertionError(question)


def test_whoever_knows_all_solves_all(tmp_path):
    with serve(knows_all) as server:
        outcome = run(config(tmp_path, server, seeds=2, model_price_in=1.0, model_price_out=2.0))
    metrics = outcome.record.metrics
    assert metrics["solved_walls"].per_seed == [6.0, 6.0]
    assert (metrics["wd"].mean, metrics["ami"].mean, metrics["correct_groups"].std) == (0.0, 100.0, 0.0)
    assert outcome.record.usage == records.UsageEntry(84, 36, 84, 36, 0, pytest.approx(84e-6 + 72e-6))
    assert set(outcome.record.faults.values()) == {0.0}
    assert len(server.bodies) == 12
    clues = [body["messages"][-1]["content"] for body in server.bodies]
    assert len(set(clues)) == 12  # each run has its own order


@pytest.mark.slow
def test_whoever_knows_all_names_all_connections(tmp_path):
    with serve(knows_all) as server:
        record = run(config(tmp_path, server, task=2, bertscore="minilm")).record
    assert record.metrics["exact_match"].mean == 100.0
    assert record.metrics["rouge1"].mean == 100.0
    assert record.metrics["minilm_match"].mean == pytest.approx(100.0, abs=1e-3)
    assert "bertscore" not in record.metrics
    assert record.bertscore.startswith("packaged:all-MiniLM-L6-v2_L6_no-idf")


def test_a_bertscore_that_cannot_be_had_is_said_before_anything_is_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(naming, "BertScore", lambda **_: BertScore(str(tmp_path / "none")))
    with serve(knows_all) as server, pytest.raises(UserError, match="or choose bertscore=minilm"):
        run(config(tmp_path, server, task=2, bertscore="paper"))
    assert server.bodies == []


@pytest.mark.slow
@pytest.mark.parametrize("task", [1, 2])
def test_a_small_model_behind_a_real_server_and_on_this_machine_answer_alike(tmp_path, served, task):
    settings = {"task": task, "limit": 3, "model_max_tokens": 20, "model_name": str(served.folder)}
    behind = run(config(tmp_path, served.url, **settings, model_timeout=60.0))
    here = run(config(tmp_path, None, **settings, model_device="cpu", model_timeout=1.0))
    texts = [json.loads((each.folder / records.REPLIES).read_text()) for each in (behind, here)]
    assert texts[0] == texts[1]
    assert behind.record.name != here.record.name
    assert behind.record.metrics == here.record.metrics
    assert behind.record.faults == here.record.faults
    assert behind.record.usage.read == here.record.usage.read
    assert here.record.model["backend"] == "transformers"


def test_what_is_recorded_is_what_was_said(tmp_path):
    texts = iter(["Oak, Ash", "", None, '{"groups": [["a", "b"]]}', "\n".join("abcd"), "é — \ud83d"])

    with serve(lambda *_: said(next(texts, "end"), "length")) as server:
        outcome = run(config(tmp_path, server, model_concurrency=1))
    (replies,) = json.loads((outcome.folder / records.REPLIES).read_text(encoding="utf-8"))
    assert [each["text"] for each in replies] == [
        "Oak, Ash", "", "", '{"groups": [["a", "b"]]}', "a\nb\nc\nd", "é — ?",
    ]  # fmt: skip
    (file,) = (outcome.folder / records.PREDICTIONS).iterdir()
    predictions = json.loads(file.read_text(encoding="utf-8"))
    groups = [
        padded(read_groups(each["text"], wall.clues)) for each, wall in zip(replies, WALLS[:6], strict=True)
    ]
    assert [each["predicted_groups"] for each in predictions] == groups
    scores = score_groups(groups, [[group.clues for group in wall.groups] for wall in WALLS[:6]])
    for name, value in scores.per_seed().items():
        np.testing.assert_allclose(outcome.record.metrics[name].per_seed, value)
    assert outcome.record.faults["cut_short"] == 1.0
    assert records.read_language_record(outcome.folder) == outcome.record


def test_a_run_that_is_done_asks_nothing_and_needs_no_key(tmp_path, monkeypatch):
    with serve(knows_all) as server:
        first = run(config(tmp_path, server))
        asked = len(server.bodies)
        monkeypatch.delenv("OPENAI_API_KEY")
        second = run(config(tmp_path, server, model_concurrency=3, model_timeout=9.0, model_title="T"))
        assert len(server.bodies) == asked
    assert (first.fresh, second.fresh) == (True, False)
    assert second.record == first.record


@pytest.mark.slow
def test_another_question_is_another_record_and_replies_are_not_paid_for_twice(tmp_path):
    with serve(knows_all) as server:
        names = {run(config(tmp_path, server)).record.name}
        again = run(config(tmp_path, server, out=str(tmp_path / "elsewhere")))
        assert len(server.bodies) == 6
        assert (again.record.usage.read, again.record.usage.paid_read) == (42, 0)
        for other in (
            {"model_max_tokens": 99},
            {"model_temperature": 0.5},
            {"model_extra": '{"top_p": 0.5}'},
            {"seeds": 2},
            {"limit": 5},
            {"model_name": "other"},
            {"task": 2},
        ):
            names.add(run(config(tmp_path, server, **other)).record.name)
    assert len(names) == 8


TROUBLES = {
    "429": refused(429, "slow down"),
    "429 later": refused(429, "slow down", Retry_After="1"),
    "500": refused(500, "oops"),
    "half": Answer(body=b'{"choices": [{"mes'),
    "nothing": Answer(body=b""),
    "drop": Answer(drop=True),
    "hang": Answer(hang=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_run_with_troubles_names_them_keeps_what_came_and_goes_on(tmp_path, trouble):
    broken = {WALLS[1].clues[0], WALLS[4].clues[0]}
    lock, mended = threading.Lock(), []

    def answer(body, headers):
        with lock:
            asked = body["messages"][-1]["content"].rpartition("Clues:")[2]
            bad = not mended and any(clue in asked.replace("\n", ",").split(", ") for clue in broken)
        return TROUBLES[trouble] if bad else knows_all(body)

    with serve(answer) as server:
        settings = config(tmp_path, server, model_timeout=0.3)
        with pytest.raises(UserError) as caught:
            run(settings)
        said_of_it = str(caught.value)
        assert said_of_it.startswith("2 of 6 requests failed: ")
        assert f"walls {WALLS[1].wall_id}, {WALLS[4].wall_id}" in said_of_it
        assert "4 replies are kept: the same command asks for the others alone" in said_of_it
        named = {
            "429": "429: slow down", "429 later": "429: slow down", "500": "500: oops",
            "half": "not complete JSON", "nothing": "it sent nothing", "drop": "the connection broke",
            "hang": "no answer within 0.3 s",
        }  # fmt: skip
        assert named[trouble] in said_of_it
        assert not (tmp_path / "runs").exists()
        mended.append(True)
        before = len(server.bodies)
        record = run(settings).record
        assert len(server.bodies) - before == 2
    assert record.metrics["solved_walls"].mean == 6
    assert (record.usage.read, record.usage.paid_read) == (42, 14)


def test_troubles_that_pass_leave_no_trace(tmp_path):
    lock, seen = threading.Lock(), set()
    troubles = [*TROUBLES.values()]

    def answer(body, headers):
        with lock:
            question = body["messages"][-1]["content"]
            if question not in seen:
                seen.add(question)
                return troubles[len(seen) % len(troubles)]
        return knows_all(body)

    with serve(answer) as server:
        record = run(config(tmp_path, server, limit=14, model_timeout=0.3)).record
    assert record.metrics["solved_walls"].mean == 14


def test_without_a_cache_a_failed_run_says_nothing_of_kept_replies(tmp_path):
    with serve(lambda *_: refused(400, "no")) as server, pytest.raises(UserError) as caught:
        run(config(tmp_path, server, cache="false"))
    assert str(caught.value).startswith("6 of 6 requests failed: the endpoint answered 400: no (walls ")
    assert "and 3 more" in str(caught.value)
    assert "kept" not in str(caught.value)


def test_failures_of_one_kind_are_one_with_one_of_what_was_sent(tmp_path):
    def half(body, headers):
        return Answer(body=json.dumps(body).encode()[:-9])

    with serve(half) as server, pytest.raises(UserError) as caught:
        run(config(tmp_path, server))
    start = "6 of 6 requests failed: the endpoint's answer is not complete JSON; it sent '{\"model\""
    assert str(caught.value).startswith(start)
    assert str(caught.value).count("not complete JSON") == 1
    assert str(caught.value).endswith("and 3 more).")


def test_where_nobody_listens_the_cause_comes_first_and_once(tmp_path):
    with serve(knows_all) as server:
        pass
    with pytest.raises(UserError) as caught:
        run(config(tmp_path, server, model_concurrency=1))
    start = f"6 of 6 requests failed: no connection to {server.url} ("
    assert str(caught.value).startswith(start)
    assert str(caught.value).count("no connection") == 1
    assert str(caught.value).endswith("and 3 more; 5 of them not sent).")


@pytest.mark.parametrize(
    ("finish", "advice"),
    [
        ("stop", "more tokens do not mend that: have the server leave all in the text"),
        ("length", "it ran out of tokens: raise model.max_tokens="),
    ],
)
def test_thoughts_alone_get_the_advice_that_helps(tmp_path, finish, advice):
    thinking = json.loads(said(None, finish=finish).body)
    thinking["choices"][0]["message"]["reasoning_content"] = "Let me see."
    with serve(lambda *_: Answer(body=json.dumps(thinking).encode())) as server:
        outcome = run(config(tmp_path, server, limit=1))
    text = footer(outcome.record, outcome.folder)
    assert "replies of thoughts alone 100.0%" in text
    assert advice in text
    assert ("raise model.max_tokens" in text) == (finish == "length")


def test_a_model_that_thinks_and_does_not_answer_is_asked_again(tmp_path):
    thinking = json.loads(said(None).body)
    thinking["choices"][0]["message"]["reasoning_content"] = "Let me see."
    with serve(lambda *_: Answer(body=json.dumps(thinking).encode())) as server:
        outcome = run(config(tmp_path, server))
        assert len(server.bodies) == 12
        assert (outcome.record.usage.read, outcome.record.usage.paid_written) == (84, 36)
        shutil.rmtree(outcome.folder)
        run(config(tmp_path, server))
    assert len(server.bodies) == 24


def test_the_key_is_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "cache"))

    def repeat(body, headers):
        key = headers["Authorization"]
        return said(json.dumps(headers), key, model=key, system_fingerprint=key)

    with serve(repeat) as server:
        outcome = run(config(tmp_path, server))
    assert KEY in server.headers[0]["Authorization"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 5  # a record and the stored replies
    assert b"[key]" in (outcome.folder / records.REPLIES).read_bytes()
    for path in files:
        assert KEY.encode() not in path.read_bytes()
    assert KEY not in footer(outcome.record, outcome.folder)


@pytest.fixture
def splits(tmp_path):
    folder = tmp_path / "ocw"
    folder.mkdir()
    for split, numbers in (("train", range(12)), ("validation", range(12, 14)), ("test", range(14, 17))):
        walls = [ocw_wall(f"w{number}", f"{number}") for number in numbers]
        (folder / f"{split}.json").write_text(json.dumps(ocw_document(*walls)))
    return folder


def test_examples_come_from_the_training_walls_and_the_test_walls_are_asked(tmp_path, splits):
    dataset = DatasetConfig(name="ocw", layout="ocw", path=str(splits))
    with serve(lambda *_: said("")) as server:
        settings = config(tmp_path, server, dataset=dataset, examples=5, limit=None)
        record = run(settings).record
        run(replace(settings, example_seed=1))
    assert record.dataset.split == "test"
    assert (record.dataset.n_walls, len(record.examples)) == (3, 5)
    prompts = [body["messages"][-1]["content"] for body in server.bodies]
    shown = {prompt.partition("Clues:")[0] for prompt in prompts}
    assert len(shown) == 2  # the same for all walls, and others with another seed
    assert all(prompt.count("Connection:") == 20 for prompt in prompts)


def test_examples_that_are_asked_themselves_are_refused(tmp_path, splits):
    dataset = DatasetConfig(name="ocw", layout="ocw", path=str(splits), split="all")
    with pytest.raises(UserError, match="is also among the walls to be solved"):
        prepare_language_run(config(tmp_path, "http://localhost", dataset=dataset, examples=5, limit=None))
    single = DatasetConfig(name="ocw", layout="ocw", path=str(splits / "test.json"))
    with pytest.raises(UserError, match="needs training walls"):
        prepare_language_run(config(tmp_path, "http://localhost", dataset=single, examples=1))
    made = prepare_language_run(
        config(
            tmp_path, "http://localhost", dataset=single, examples=1, example_walls=str(splits / "train.json")
        )
    )
    assert len(made.examples) == 1


def test_a_prompt_of_ones_own_is_used_and_recorded(tmp_path):
    template = tmp_path / "own.jinja"
    template.write_text("Clues: {{ clues | join(', ') }}!")
    with serve(knows_all) as server:
        ours = run(config(tmp_path, server, prompt=str(template))).record
        theirs = run(config(tmp_path, server)).record
    assert server.bodies[0]["messages"][0]["role"] == "user"
    assert ours.name != theirs.name
    assert ours.prompt["source"] == f"prompt={template}"


def test_a_damaged_record_is_one_line(tmp_path):
    with serve(knows_all) as server:
        outcome = run(config(tmp_path, server))
        path = outcome.folder / records.RECORD
        whole = path.read_text()
        for damaged, said in (
            (whole[:-20], r"is damaged \("),
            ("[]", r"is damaged \("),
            (whole.replace('"schema": 1', '"schema": 9'), "is of a newer fourfold"),
            (whole.replace('"task"', '"t"'), r"is damaged \("),
        ):
            path.write_text(damaged)
            advice = "update fourfold, or choose" if "newer" in said else "delete that folder and run again$"
            with pytest.raises(UserError, match=rf"{said}.*: {advice}"):
                run(config(tmp_path, server))
        path.unlink()
        with pytest.raises(UserError, match=r"is damaged \(language_model.json is missing\)"):
            run(config(tmp_path, server))


def test_a_folder_that_cannot_be_is_said_before_anything_is_asked(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    with serve(knows_all) as server, pytest.raises(UserError, match="cannot be a folder"):
        run(config(tmp_path, server, out=str(place / "runs")))
    assert server.bodies == []


def withholds_one(body, headers=None):
    """A model that refuses the first wall and solves the others."""
    if WALLS[0].clues[0] not in body["messages"][-1]["content"]:
        return knows_all(body)
    refusal = json.loads(said(None).body)
    refusal["choices"][0]["message"]["refusal"] = "I would rather not."
    return Answer(body=json.dumps(refusal).encode())


def test_a_refusal_fails_the_run_and_is_neither_scored_nor_kept(tmp_path):
    with serve(withholds_one) as server:
        for _ in range(2):
            with pytest.raises(UserError, match=r'1 of 6 .*refused.*"I would rather not\."') as caught:
                run(config(tmp_path, server))
            assert "5 replies are kept" in str(caught.value)
            assert "model.withheld=empty" in str(caught.value)
        assert len(server.bodies) == 6 + 1
        outcome = run(config(tmp_path, server, model_withheld="empty"))
        assert len(server.bodies) == 6 + 2
    assert outcome.record.metrics["solved_walls"].mean == 5
    assert outcome.record.failures == {"refused": 1}
    assert outcome.record.faults["refused"] == pytest.approx(1 / 6)
    text = footer(outcome.record, outcome.folder)
    assert "answers that the model refused 16.7%" in text
    assert "attempts that failed: 1 refused" in text


def test_attempts_that_failed_are_counted_by_kind_in_the_record_of_their_run(tmp_path):
    answers = iter([refused(429), refused(500), refused(429)])

    with serve(lambda body, headers: next(answers, None) or knows_all(body)) as server:
        prepared = prepare_language_run(config(tmp_path, server), Retries(attempts=4, wait=Waits()))
        record = run_language_model(prepared, ProgressBars(shown=False)).record
    assert record.failures == {"busy": 2, "server error": 1}
    assert record.metrics["solved_walls"].mean == 6


def test_failures_of_several_kinds_are_counted_in_the_message(tmp_path):
    def by_wall(body, headers):
        question = body["messages"][-1]["content"]
        number = next(n for n, wall in enumerate(WALLS) if all(clue in question for clue in wall.clues))
        return refused(400, "too long") if number < 2 else refused(500) if number == 2 else knows_all(body)

    with (
        serve(by_wall) as server,
        pytest.raises(UserError, match=r"3 of 6 requests failed \(2 rejected, 1 server error\): "),
    ):
        run(config(tmp_path, server))


def test_a_record_says_which_models_answered(tmp_path):
    names = iter(["m-1", "m-1", "m-2"])

    def named(body, headers):
        return Answer(body=json.dumps(json.loads(knows_all(body).body) | {
            "model": next(names, "m-2"), "system_fingerprint": "fp"
        }).encode())  # fmt: skip

    with serve(named) as server:
        outcome = run(config(tmp_path, server))
    assert outcome.record.served == {"models": {"m-2": 4, "m-1": 2}, "fingerprints": {"fp": 6}}
    assert records.read_language_record(outcome.folder) == outcome.record
    text = footer(outcome.record, outcome.folder)
    assert "of several models, as the server names them: m-2 (4 replies), m-1 (2 replies)" in text
