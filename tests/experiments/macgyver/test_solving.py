"""Solving problems with a language model: readers of replies, and the whole path against a server."""

import json
import threading
import time
from pathlib import Path

import pytest
import yaml
from chat_server import Answer, refused, said, serve
from macgyver_files import released_folder, write_release
from python_processes import start_python

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.llm.chat import Reply
from fourfold.experiments.llm.parsing.verdicts import Solvability, answer_of, read_solvability
from fourfold.experiments.macgyver.prompting import instructions, lines_of, task_prompt
from fourfold.experiments.macgyver.readers import read_release

pytest.importorskip("jinja2")
pytest.importorskip("openai")

REPLIES = yaml.safe_load(Path(__file__).with_name("solvability_replies.yaml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "cache"))


PROBLEM = (
    "In the kitchen of a snowed-in hut there is a jar whose lid is stuck. You have a rope, tape, a comb, a "
    "mat, a coin, a plank, a box, a cup, a stone and a snowboard. How can you get at what is in the jar?"
)


@pytest.mark.parametrize(("expected", "reply"), REPLIES)
def test_what_a_reply_says_of_its_problem(expected, reply):
    assert read_solvability(reply, PROBLEM).value == expected


GIBBERISH = [
    "asdf qwer zxcv uiop",
    "1. lorem ipsum dolor sit amet\n2. consectetur adipiscing elit",
    "Step 1: x\nStep 2: y",
    "the the the the the the the the the the",
    "comb comb comb comb comb comb comb comb comb comb",
    "Step 1: comb. Step 2: comb. Step 3: comb. Step 4: comb. Step 5: comb. Step 6: comb.",
    "Colorless green ideas sleep furiously.",
    "The capital of France is Paris. Its river is the Seine.",
    "def main():\n    return 0",
    '{"steps": ["asdf qwer", "zxcv"]}',
    "ÅÄÖ %% 12 ## ÿÿ þþ",
    PROBLEM,
    f"Sure! {PROBLEM}",
    f"{PROBLEM}\n\n{instructions()[0]} Number the steps (Step 1, Step 2 and so on), name the tools of each, "
    "and stay below 100 words.",
    task_prompt("vanilla").messages(problem=PROBLEM, instruction=instructions()[0])[0].content,
]


@pytest.mark.parametrize("reply", GIBBERISH)
def test_what_is_no_plan_and_no_verdict_is_unread(reply):
    (asked,) = task_prompt("vanilla").messages(problem=PROBLEM, instruction=instructions()[0])
    assert read_solvability(reply, PROBLEM, asked.content) is Solvability.UNREAD
    for more, expected in (
        ("Use the comb to pry the lid.", "solvable"),
        ("Verdict: unsolvable", "unsolvable"),
    ):
        assert read_solvability(f"{reply}\n{more}", PROBLEM, asked.content).value == expected


@pytest.mark.slow
def test_released_answers_are_read_as_their_labels_say():
    """A solution that is labelled A, B, D or E says solvable; C says unsolvable."""
    pytest.importorskip("openpyxl")
    release = read_release(released_folder())
    solvable, texts = release.solvable(), release.texts()
    right = {"solvable": [0, 0], "unsolvable": [0, 0]}
    unread = []
    for answer in release.answers:
        if answer.category is None or answer.category.name == "F":
            continue
        if not solvable[answer.problem_id] and answer.category.name != "C":
            continue
        expected = "unsolvable" if answer.category.name == "C" else "solvable"
        said = read_solvability(answer.solution, texts[answer.problem_id])
        if said is Solvability.UNREAD:
            unread.append(answer)
        right[expected][0] += said.value == expected
        right[expected][1] += 1
    # Most are people's answers to other problems than their own; a few name no tool.
    assert len(unread) < 25
    right["solvable"][1] -= len(unread)
    assert right["solvable"][0] / right["solvable"][1] > 0.99
    assert right["unsolvable"][0] / right["unsolvable"][1] > 0.9


def words(server, *more):
    given = ["--problems", "problems.txt", f"model.base_url={server.url}", "model.name=m"]
    return ["macgyver", "solve", *given, *more]


def lines(path="answers.jsonl"):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def problems(tmp_path):
    (tmp_path / "problems.txt").write_text("Open the tin.\nBoil the sea.\nReach the café.\n", "utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("problems")
def test_several_answers_by_several_instructions(capsys):
    def answer(body, headers):
        question = body["messages"][-1]["content"]
        return said("Verdict: unsolvable\nToo big." if "sea" in question else "Verdict: solvable\nStep 1: é.")

    with serve(answer) as server:
        assert main(words(server, "--answers", "5")) == 0
        assert len(server.bodies) == 15
        assert {body["temperature"] for body in server.bodies} == {0.7}
        assert {body["top_p"] for body in server.bodies} == {0.95}
        assert not any("seed" in body for body in server.bodies)
        first = capsys.readouterr().out
        assert main(words(server, "--answers", "5", "--force", "--json")) == 0
        assert len(server.bodies) == 15
    assert "answers.jsonl: 15 answers to 3 problems: 10 solvable, 5 unsolvable" in first
    assert "15 replies; tokens: 105 read, 45 written" in first
    summary = json.loads(capsys.readouterr().out)
    assert (summary["asked"], summary["kept"], summary["unsettled"]) == (0, 15, 0)
    rows = lines()
    assert [row["id"] for row in rows[::5]] == ["1", "2", "3"]
    assert [row["instruction"] for row in rows[:4]] == list(instructions())
    assert rows[4]["instruction"] == rows[0]["instruction"]
    assert len({row["keys"][0] for row in rows}) == 15
    assert rows[0]["model"] == f"m at {server.url}"
    assert set(rows[0]["prompts"]) == {"vanilla"}


@pytest.mark.usefixtures("problems")
def test_a_reason_stands_that_a_reflection_finds_sound():
    def answer(body, headers):
        if len(body["messages"]) == 1:
            return said("Verdict: unsolvable\nThe rope is too short.")
        return said("Step 1: holds\nVerdict: unsolvable\nChange: none needed")

    with serve(answer) as server:
        assert main(words(server, "--strategy", "reflection", "--limit", "1")) == 0
    (row,) = lines()
    assert row["answer"] == "Verdict: unsolvable\nThe rope is too short."
    assert (row["solvability"], row["settled"], row["rounds"]) == ("unsolvable", True, 1)


@pytest.mark.usefixtures("problems")
def test_answers_to_one_question_are_samples_of_their_own(tmp_path):
    """Without the instruction in the template, and for a problem that comes twice."""
    (tmp_path / "own.jinja").write_text("{{ problem }} Solve it.", "utf-8")
    (tmp_path / "problems.txt").write_text("Open the tin.\nBoil the sea.\nOpen the tin.\n", "utf-8")
    numbers = iter(range(100))
    more = ["--prompt", "own.jinja", "--answers", "2", "model.concurrency=1", "model.seed=5"]
    with serve(lambda *_: said(f"Step 1: {next(numbers)}")) as server:
        assert main(words(server, *more)) == 0
        assert [body["seed"] for body in server.bodies] == [5, 6, 5, 6, 7, 8]
        assert main(words(server, *more, "--force")) == 0
        assert len(server.bodies) == 6
        assert main(words(server, "--force", "model.temperature=0")) == 0
        assert len(server.bodies) == 6 + 2
    rows = lines()
    assert rows[0]["answer"] == rows[2]["answer"]  # at temperature 0 one question has one answer
    assert set(rows[0]["prompts"]["vanilla"]) == {"sha256"}


@pytest.mark.usefixtures("problems")
def test_a_template_that_does_not_show_the_instruction(tmp_path, capsys):
    (tmp_path / "own.jinja").write_text("{{ problem }} Solve it.", "utf-8")
    (tmp_path / "mine.txt").write_text("Go.\n", "utf-8")
    with serve(lambda *_: said("Step 1: x")) as server:
        own = ["--prompt", "own.jinja"]
        assert main(words(server, *own, "--instructions", "mine.txt")) == 2
        assert "own.jinja does not show them: write {{ instruction }} into it" in capsys.readouterr().err
        assert main(words(server, *own, "--answers", "2", "model.temperature=0")) == 2
        assert "each time that the question is the same: ask for one answer" in capsys.readouterr().err
        assert server.bodies == []
        assert main(words(server, *own)) == 0
    assert {row["instruction"] for row in lines()} == {None}
    assert lines()[0]["prompts"]["vanilla"]["text"] == "{{ problem }} Solve it."


@pytest.mark.usefixtures("problems")
def test_reflection_goes_on_until_nothing_is_to_be_changed():
    def answer(body, headers):
        turns = body["messages"]
        problem, n_reflections = turns[0]["content"], len(turns) // 2
        if n_reflections == 0:
            return said("Verdict: solvable\nStep 1: first.")
        if "tin" in problem:
            return said("Verdict: solvable\nChange: none needed")
        if "sea" in problem:
            return said("Verdict: unsolvable\nChange: none needed") if n_reflections == 2 else said(
                "Verdict: solvable\nChange: needed\nNew answer:\nStep 1: second."
            )  # fmt: skip
        return said(f"Change: needed\nNew answer:\nStep 1: café number {n_reflections}.")

    with serve(answer) as server:
        assert main(words(server, "--strategy", "reflection", "--rounds", "3")) == 0
        assert len(server.bodies) == 3 + 3 + 2 + 1
        last = max(server.bodies, key=lambda body: len(body["messages"]))["messages"]
    rows = lines()
    assert [row["rounds"] for row in rows] == [1, 2, 3]
    assert [row["settled"] for row in rows] == [True, True, False]
    assert [row["changes"] for row in rows] == [0, 2, 3]
    assert [row["solvability"] for row in rows] == ["solvable", "unsolvable", "solvable"]
    assert rows[0]["answer"] == "Verdict: solvable\nStep 1: first."
    assert rows[1]["answer"].startswith("Verdict: unsolvable")
    assert rows[2]["answer"] == "Step 1: café number 3."
    assert [turn["role"] for turn in last] == ["user", "assistant"] * 3 + ["user"]
    assert last[5]["content"] == "Step 1: café number 2."
    assert set(rows[0]["prompts"]) == {"vanilla", "reflection"}


@pytest.mark.usefixtures("problems")
def test_an_answer_beside_no_needed_change_does_not_stand(capsys):
    def answer(body, _):
        if len(body["messages"]) == 1:
            return said("Verdict: solvable\nStep 1: first.")
        if "tin" in body["messages"][0]["content"]:  # the same answer again contradicts nothing
            return said("Change: no needed\nNew answer:\nVerdict: solvable\nStep 1: first.")
        return said("Step 1: holds\nVerdict: solvable\nChange: no needed\nNew answer:\nStep 1: second.")

    with serve(answer) as server:
        assert main(words(server, "--strategy", "reflection")) == 0
        assert len(server.bodies) == 3 + 3
        printed = capsys.readouterr().out
        assert main(words(server, "--strategy", "reflection", "--force", "--json")) == 0
    summary = json.loads(capsys.readouterr().out)
    assert "reflection changed 0 of them\n2 reflections said that no change is needed and gave" in printed
    assert (summary["changed"], summary["contradictions"]) == (0, 2)
    assert {row["answer"] for row in lines()} == {"Verdict: solvable\nStep 1: first."}
    assert [row["contradictions"] for row in lines()] == [0, 1, 1]
    assert [(row["settled"], row["changes"]) for row in lines()] == [(True, 0)] * 3


@pytest.mark.parametrize(
    ("text", "finish", "answer"),
    [
        ("Okay, let me see. The tin is solvable with the comb, wait, no.", "length", ""),
        ("<think>The tin is solvable", "length", ""),
        ("Verdict: solvable\nStep 1: Maybe the comb. Perhaps the mat. Maybe", "length", None),
        ("**Verdict: unsolvable**\nLet me explain. Maybe, perhaps, hmm", "length", None),
        ("Step 1: Use the comb. Step 2: Pu", "length", None),
        ("Okay, let me see. The tin is solvable with the comb.", "stop", None),
    ],
)
def test_thoughts_that_ran_out_of_tokens_are_no_answer(text, finish, answer):
    assert answer_of(Reply(text, finish)).strip() == (text if answer is None else answer)


@pytest.mark.usefixtures("problems")
def test_a_reflection_of_thoughts_alone_settles_nothing(capsys):
    def answer(body, _):
        if len(body["messages"]) == 1:
            return said("Verdict: solvable\nStep 1: Open it.")
        if len(body["messages"]) == 3:
            return said("Okay, let me check. Is it unsolvable? Maybe.", "length")
        return said("Change: none needed")

    with serve(answer) as server:
        assert main(words(server, "--strategy", "reflection", "--limit", "1")) == 0
    (row,) = lines()
    assert (row["rounds"], row["settled"], row["solvability"]) == (2, True, "solvable")
    assert row["answer"] == "Verdict: solvable\nStep 1: Open it."


@pytest.mark.usefixtures("problems")
def test_replies_of_thoughts_alone_and_who_answered_are_said(capsys):
    def answer(body, _):
        question = body["messages"][-1]["content"]
        if "tin" not in question:
            return said("Verdict: solvable\nStep 1: Wade.", model="other", system_fingerprint="fp_1")
        found = json.loads(said(None, finish="length").body)
        found["choices"][0]["message"]["reasoning_content"] = "The tin is solvable, I think."
        return Answer(body=json.dumps(found).encode(), headers={"Content-Type": "application/json"})

    with serve(answer) as server:
        assert main(words(server)) == 0
        printed = capsys.readouterr().out
        assert main(words(server, "--force", "--json")) == 0
    summary = json.loads(capsys.readouterr().out)
    assert "3 problems: 2 solvable, 1 unread" in printed
    assert (
        "1 reply is thoughts alone, without an answer\nthe model was still thinking when it ran out"
        in printed
    )
    assert "these replies are of several models, as the server names them: other (2 replies)" in printed
    assert (summary["thoughts_alone"], summary["cut_short"]) == (1, 1)
    assert summary["served"]["models"] == {"other": 2, "scripted": 1}
    first, second, _ = lines()
    assert (first["answer"], first["cut_short"]) == ("", True)
    assert second["served"] == {"models": {"other": 1}, "fingerprints": {"fp_1": 1}}


@pytest.mark.usefixtures("problems")
def test_divergent_asks_for_what_tools_afford_and_files_replace_the_prompts(tmp_path):
    (tmp_path / "own.jinja").write_text("{{ problem }} / {{ instruction }}", "utf-8")
    (tmp_path / "own.txt").write_text("# mine\n\nBe brief.\n", "utf-8")
    with serve(lambda *_: said("Step 1: x")) as server:
        assert main(words(server, "--strategy", "divergent", "--limit", "1")) == 0
        assert "affords" in server.bodies[0]["messages"][-1]["content"]
        own = ["--prompt", "own.jinja", "--instructions", "own.txt", "--out", "b.jsonl", "--limit", "1"]
        assert main(words(server, *own)) == 0
        assert server.bodies[1]["messages"] == [{"role": "user", "content": "Open the tin. / Be brief."}]


@pytest.mark.slow
@pytest.mark.usefixtures("problems")
def test_a_run_that_is_killed_goes_on_and_asks_nothing_twice():
    sent, lock, slow = [], threading.Lock(), threading.Event()

    def answer(body, headers):
        with lock:
            place = len(sent)
            sent.append(json.dumps(body["messages"]))
        if place == 4 and not slow.is_set():
            slow.wait(20)
        turns = len(body["messages"])
        return said("Change: none needed" if turns > 3 else "Change: needed\nNew answer:\nStep 1: x.")

    with serve(answer) as server:
        arguments = words(server, "--strategy", "reflection", "model.concurrency=1")
        process = start_python(f"from fourfold.experiments.cli import main\nmain({arguments!r})")
        for _ in range(3000):
            if len(sent) == 5 or process.poll() is not None:
                break
            time.sleep(0.01)
        process.kill()
        process.communicate()
        slow.set()
        assert len(sent) == 5
        assert not Path("answers.jsonl").exists()
        assert main(arguments) == 0
    # What was under way when it was killed has no reply yet: that one alone is sent again.
    assert len(sent) == 9 + 1
    assert len(set(sent)) == 9
    assert [row["rounds"] for row in lines()] == [2, 2, 2]


@pytest.mark.usefixtures("problems")
def test_failures_name_problems_and_what_came_is_kept(capsys):
    broken = threading.Event()

    def answer(body, headers):
        if "sea" in body["messages"][0]["content"] and not broken.is_set():
            return refused(400, "too big")
        return said("Step 1: x")

    with serve(answer) as server:
        assert main(words(server)) == 2
        error = capsys.readouterr().err
        assert "1 of 3 requests failed: the endpoint answered 400: too big (problem 2)" in error
        assert "2 replies are kept" in error
        assert not Path("answers.jsonl").exists()
        broken.set()
        assert main(words(server)) == 0
        assert len(server.bodies) == 4


@pytest.mark.usefixtures("problems")
def test_a_dry_run_asks_nothing_and_counts_reflections(capsys):
    with serve(lambda *_: said("x")) as server:
        more = ["--dry-run", "--strategy", "reflection", "model.price_in=1", "model.price_out=2"]
        assert main(words(server, *more)) == 0
        assert server.bodies == []
    out = capsys.readouterr().out
    assert "[user]\nOpen the tin." in out
    assert "[and 2 more like it]" in out
    assert "3 requests and at most 12 that follow on their replies: about" in out
    assert f"at most {15 * 1024:,} to write; cost at most about" in out


@pytest.mark.usefixtures("problems")
def test_a_dry_run_as_json_and_whom_a_run_asks(capsys):
    with serve(lambda *_: said("Step 1: x")) as server:
        assert main(words(server, "--dry-run", "--json", "model.price_in=1", "model.price_out=2")) == 0
        most = json.loads(capsys.readouterr().out)
        assert (most["requests"], most["later"], most["kept"], most["written"]) == (3, 0, 0, 3 * 1024)
        assert most["cost"] == pytest.approx((most["read"] + 2 * most["written"]) / 1e6)
        assert server.bodies == []
        assert main(words(server, "model.timeout=7", "--limit", "1")) == 0
    printed = capsys.readouterr()
    assert f"asking m at {server.url}; a request without an answer is given up after 7 s" in printed.err
    assert "1 reply; tokens: 7 read" in printed.out


def test_the_released_problems_keep_their_ids(tmp_path):
    write_release(tmp_path / "data")
    with serve(lambda *_: said("Step 1: x")) as server:
        found = words(server)
        found[found.index("problems.txt")] = "data"
        assert main(found) == 0
    assert [row["id"] for row in lines()] == ["7", "8", "9"]


@pytest.mark.usefixtures("problems")
@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--problems", "nowhere.txt"], "nowhere.txt cannot be read"),
        (["--problems", "."], "got no problem_solution_pair there"),
        (["--strategy", "guess"], "invalid choice: 'guess'"),
        (["--answers", "0"], "got '0', expected a whole number of at least 1"),
        (["--rounds", "2"], "--rounds and --reflection-prompt are for --strategy reflection"),
        (["--answers", "5", "model.temperature=0"], "model.temperature=0 gives the same answer each time"),
        (["--prompt", "nowhere.jinja"], "--prompt nowhere.jinja cannot be read"),
        (["--prompt", "bad.jinja"], "uses problm, which this task has not: expected problem, instruction"),
        (
            ["--prompt", "same.jinja"],
            "same.jinja does not use problem, so that every question would be the same",
        ),
        (["--instructions", "empty.txt"], "--instructions empty.txt is empty"),
        (["--instructions", "latin.txt"], "is not UTF-8 text"),
        (["--out", "there.jsonl"], "there.jsonl is there already"),
        (["--out", "problems.txt", "--force"], "problems.txt is read as well: choose another --out"),
        (["--problems", "data", "--out", "data/benchmark_results.jsonl", "--force"], "is read as well"),
        (["--prompt", "bad.jinja", "--out", "bad.jinja", "--force"], "bad.jinja is read as well"),
        (["--field", "text"], "--field text is for tables, and problems.txt has a problem a line"),
        (["--out", "answers.csv"], "--out answers.csv ends in .csv, but JSON lines are written"),
        (["--out", "no/where.jsonl"], "is not a folder: make it first"),
        (["model.nam=x"], "did you mean model.name=?"),
        (["model.structured=true"], "does not apply here"),
        (["model=minilm"], "a language model is named by model.name="),
        (["task=2"], "task= is not a setting"),
        (["cache="], "cache= is empty"),
        (["--field", "text", "--problems", "data"], "--field is for a file of problems"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_asked(tmp_path, capsys, more, told):
    (tmp_path / "bad.jinja").write_text("{{ problm }}", "utf-8")
    (tmp_path / "same.jinja").write_text("{{ instruction }}", "utf-8")
    (tmp_path / "there.jsonl").touch()
    (tmp_path / "empty.txt").write_text("\n# no\n", "utf-8")
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    write_release(tmp_path / "data")
    with serve(lambda *_: said("x")) as server:
        assert main(words(server, *more)) == 2
        assert server.bodies == []
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not (tmp_path / "answers.jsonl").exists()


def test_a_model_is_needed(tmp_path, capsys):
    (tmp_path / "problems.txt").write_text("x\n", "utf-8")
    assert main(["macgyver", "solve", "--problems", "problems.txt"]) == 2
    assert "a language model is needed: add model.name=MODEL" in capsys.readouterr().err


def test_packaged_templates_are_sound_and_lines_are_read_once(tmp_path):
    assert len(instructions()) == 4
    for task in ("vanilla", "divergent"):
        (message,) = task_prompt(task).messages(problem="{{ a }} & <b>", instruction="Go.")
        assert message.content.startswith("{{ a }} & <b>\n")
        assert "Go. Number the steps" in message.content
    path = tmp_path / "x.txt"
    path.write_text("a  b\na b\nc", "utf-8")
    assert lines_of("none", path, "--x", "a line") == ("a b", "c")
    with pytest.raises(UserError, match="--x nowhere cannot be read"):
        lines_of("none", Path("nowhere"), "--x", "a line")


@pytest.mark.usefixtures("problems")
def test_a_record_is_listed_compared_and_repeated(capsys, tmp_path):
    with serve(lambda body, headers: said("Verdict: unsolvable")) as server:
        assert main(words(server, "--answers", "2", "--records", "runs")) == 0
        asked = len(server.bodies)
        (folder,) = (tmp_path / "runs").iterdir()
        assert capsys.readouterr().out.splitlines()[-1] == f"record: {folder.relative_to(tmp_path)}"
        assert (folder / "answers.jsonl").read_text() == (tmp_path / "answers.jsonl").read_text()
        assert main(["run", "--from", str(folder)]) == 0
        n = len(lines())
        assert capsys.readouterr().out.splitlines() == [
            f"answers: {n} of {n} answers the same, {n} read as before",
            "The answers came out equal.",
        ]
        assert len(server.bodies) == asked
        assert main(words(server, "--strategy", "divergent", "--records", "runs", "--force")) == 0
        capsys.readouterr()
        assert main(["runs", "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)
        assert {(each["kind"], each["title"], each["metrics"]["unsolvable"]["mean"]) for each in listed} == {
            ("macgyver", "m, vanilla", 100.0),
            ("macgyver", "m, divergent", 100.0),
        }
        assert main(["runs", "strategy=divergent", "--csv"]) == 0
        assert capsys.readouterr().out.count("\n") == 2
        assert main(["runs"]) == 0
        assert "2 records of MacGyver's problems" in capsys.readouterr().out
        assert main(["runs", "--compare", *sorted(each["name"] for each in listed)]) == 0
        assert "strategy: " in capsys.readouterr().out
        Path("problems.txt").write_text("Another problem.\n")
        assert main(["run", "--from", str(folder)]) == 2
        assert "are not those of the record" in capsys.readouterr().err
        assert main(words(server, "--records", "answers.jsonl/runs", "--force")) == 2
        assert "answers.jsonl is a file" in capsys.readouterr().err
