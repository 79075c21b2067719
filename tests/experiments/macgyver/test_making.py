"""Making problems with a language model: lists read, and the whole path against a server."""

import json
import re
import threading
import time
from pathlib import Path

import pytest
from chat_server import refused, said, serve
from hypothesis import given, settings
from hypothesis import strategies as st
from python_processes import start_python

from fourfold.experiments.cli import main
from fourfold.experiments.llm.parsing.lists import read_list
from fourfold.experiments.macgyver.making import Draft, MakingPlan, open_batches, tool_changes
from fourfold.experiments.macgyver.problem_texts import read_texts
from fourfold.experiments.macgyver.prompting import making_prompts, tags

pytest.importorskip("jinja2")
pytest.importorskip("openai")

ABC = {1: "a rope", 2: "b tape", 3: "c knot"}
LISTS = {
    "dots": "1. a rope\n2. b tape\n3. c knot",
    "brackets": "1) a rope\n2) b tape\n3) c knot",
    "both brackets": "(1) a rope\n(2) b tape\n(3) c knot",
    "bold numbers": "**1.** a rope\n**2.** b tape\n**3.** c knot",
    "bold problems": "**Problem 1**\na rope\n\n**Problem 2**\nb tape\n\n**Problem 3**\nc knot",
    "bold problems with colons": "**Problem 1:** a rope\n**Problem 2:** b tape\n**Problem 3:** c knot",
    "headings": "### Problem 1\na rope\n\n### Problem 2\nb tape\n\n### Problem 3\nc knot",
    "headings with words": "Sure!\n\n1. a rope\n\n2. b tape\n\n3. c knot\n\nLet me know if you want more.",
    "with rules": "1. a rope\n\n---\n\n2. b tape\n\n---\n\n3. c knot",
    "labels": "1. **Problem:** a rope\n2. Problem: b tape\n3. Problem: c knot",
    "bold entries": "1. **a rope**\n2. **b tape**\n3. **c knot**",
    "wrapped": "1. a\n   rope\n2. b\n   tape\n3. c\n   knot",
    "steps within": "Problem 1: a rope\nProblem 2: b tape\nProblem 3: c knot",
    "json": '["a rope", "b tape", "c knot"]',
    "json in a fence": '```json\n["a rope", "b tape", "c knot"]\n```',
    "json objects": '[{"id": 1, "problem": "a rope"}, {"id": 2, "problem": "b tape"}, '
    '{"id": 3, "problem": "c knot"}]',
    "json of an object": '{"problems": [{"text": "a rope"}, {"text": "b tape"}, {"text": "c knot"}]}',
    "json by number": '{"1": "a rope", "2": "b tape", "3": "c knot"}',
    "json by problem": '{"Problem 1": "a rope", "Problem 2": "b tape", "Problem 3": "c knot"}',
    "json with numbers within": '["1. a rope", "2. b tape", "3. c knot"]',
    "json lines": '{"problem": "a rope"}\n{"problem": "b tape"}\n{"problem": "c knot"}',
    "bullets": "- a rope\n- b tape\n- c knot",
    "paragraphs": "a rope\n\nb tape\n\nc knot",
    "numbers that go on": "16. a rope\n17. b tape\n18. c knot",
    "thoughts before": "<think>1. no\n2. no\n3. no</think>1. a rope\n2. b tape\n3. c knot",
    "windows": "1. a rope\r\n2. b tape\r\n3. c knot\r\n",
    "dashes": "1 - a rope\n2 – b tape\n3 — c knot",
    "hashes": "#1 a rope\n#2 b tape\n#3 c knot",
    "questions": "Q1. a rope\nQ2. b tape\nQ3. c knot",
    "escaped": "1\\. a rope\n2\\. b tape\n3\\. c knot",
    "wide digits": "１．a rope\n２．b tape\n３．c knot",
    "keys": "1\ufe0f\u20e3 a rope\n2\ufe0f\u20e3 b tape\n3\ufe0f\u20e3 c knot",
    "ones alone": "1. a rope\n1. b tape\n1. c knot",
    "letters": "a) a rope\nb) b tape\nc) c knot",
    "roman": "I. a rope\nII. b tape\nIII. c knot",
    "words": "Problem One: a rope\nProblem Two: b tape\nProblem Three: c knot",
    "one line": "Here they are: 1. a rope 2. b tape 3. c knot",
    "a table": "| # | Problem |\n|---|---|\n| 1 | a rope |\n| 2 | b tape |\n| 3 | c knot |",
    "tags": '<problem id="1">a rope</problem>\n<problem id="2">b tape</problem>\n'
    '<problem id="3">c knot</problem>',
    "tags of answers": "<solution>a rope</solution><solution>b tape</solution><solution>c knot</solution>",
    "tags behind numbers": "1. <solution>a rope</solution>\n2. <solution>b tape</solution>\n"
    "3. <solution>c knot</solution>",
    "tags around all": "<answer>\n1. a rope\n2. b tape\n3. c knot\n</answer>",
    "html": "<ol><li>a rope</li><li>b tape</li><li>c knot</li></ol>",
    "json with a comma too many": '["a rope", "b tape", "c knot",]',
    "json of numbered objects": '[{"1": "a rope"}, {"2": "b tape"}, {"3": "c knot"}]',
    "a farewell at once": "1. a rope\n2. b tape\n3. c knot\nLet me know if you want 5 more!",
    "a draft before": "Draft:\n1. x\n2. y\n3. z\n\nFinal:\n1. a rope\n2. b tape\n3. c knot",
}


@pytest.mark.parametrize("form", LISTS)
def test_lists_of_every_form(form):
    assert read_list(LISTS[form], 3) == ABC


@pytest.mark.parametrize(
    ("reply", "wanted", "expected"),
    [
        ("", 3, {}),
        ("I cannot help with that.", 3, {}),
        ("1. a\n2. b", 3, {1: "a", 2: "b"}),
        ("1. a\n3. c", 3, {1: "a", 3: "c"}),
        ("1. a\n   1. first\n   2. then\n2. b", 2, {1: "a 1. first 2. then", 2: "b"}),
        ("Problem 1\n1. first\n2. then\nProblem 2\n1. first", 2, {1: "1. first 2. then", 2: "1. first"}),
        ("1. A board of\n2.5 metres\n2. b", 2, {1: "A board of 2.5 metres", 2: "b"}),
        ("1. A board of\n100. Or so.\n2. b", 2, {1: "A board of 100. Or so.", 2: "b"}),
        ('1. a ["rope"]\n2. b ["cup", "fork"]\n3. c', 3, {1: 'a ["rope"]', 2: 'b ["cup", "fork"]', 3: "c"}),
        ("1. only", 1, {1: "only"}),
        # A line within an entry that begins like one is none: 5 to 20 is further than there are entries.
        (
            "\n".join(f"{n}. a{n}\n20. or so" for n in range(1, 16)),
            15,
            {n: f"a{n} 20. or so" for n in range(1, 16)},
        ),
        ("1. a\n2. b\n3. too many", 2, {1: "a", 2: "b", 3: "too many"}),
        ("I. a\nII. b", 3, {}),
        ("1. a 2. b", 3, {}),
        ("- a\n- b", 3, {}),
        ("1. a\n2.\n3. c", 3, {1: "a", 3: "c"}),
        ("**1. The Jar**\nA b.\n\n**2. The Tin**\n\nC d.\n", 2, {1: "A b.", 2: "C d."}),
        ("### 1. The Jar\nA b.\n### 2. The Tin\nC d.", 2, {1: "A b.", 2: "C d."}),
        ("**1. The Jar:** A b.\n**2. The Tin** C d.", 2, {1: "The Jar: A b.", 2: "The Tin: C d."}),
        ("**1. A b.**\n**2. C d.**", 2, {1: "A b.", 2: "C d."}),
        ("1. think\n2. write\nProblems: 1. a 2. b 3. c", 3, {1: "a", 2: "b", 3: "c"}),
        ("1. think\n2. write Problems: 1. a 2. b 3. c", 3, {1: "a", 2: "b", 3: "c"}),
    ],
)
def test_lists_that_are_short_nested_or_none(reply, wanted, expected):
    assert read_list(reply, wanted) == expected


FORMS = ["{n}. {t}", "{n}) {t}", "({n}) {t}", "**Problem {n}:** {t}", "**{n}.** {t}", "{n}: {t}"]
TEXT = st.lists(
    st.sampled_from(["rope", "2.5", "é", "tape,", "Why?", "(red)", "10", "a-b"]), min_size=2, max_size=6
)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    entries=st.lists(TEXT.map(lambda words: "You " + " ".join(words)), min_size=2, max_size=16),
    form=st.sampled_from(FORMS),
    between=st.sampled_from(["\n", "\n\n", "\n\n---\n\n"]),
    around=st.booleans(),
)  # fmt: skip
def test_what_is_written_as_a_list_is_read_back(entries, form, between, around):
    text = between.join(form.format(n=number, t=entry) for number, entry in enumerate(entries, 1))
    if around:
        text = f"Here are {len(entries)} problems:\n\n{text}\n\nI hope these help!"
    assert read_list(text, len(entries)) == dict(enumerate(entries, 1))


def test_tags_are_table_6s_and_every_tag_comes_before_any_comes_again():
    known = tags()
    assert len(known) == 52
    plan = MakingPlan(making_prompts(), known, 110)
    batches = open_batches(plan)
    assert sorted(batch.tag for batch in batches[:52]) == sorted(known)
    assert sorted(batch.tag for batch in batches[52:104]) == sorted(known)
    assert [batch.tag for batch in batches[:52]] != [batch.tag for batch in batches[52:104]]
    fewer = open_batches(MakingPlan(plan.prompts, known, 7))
    assert [batch.tag for batch in fewer] == [batch.tag for batch in batches[:7]]


def test_what_the_last_step_does_to_tools():
    def changes(after):
        before = "Reach it. You have a rope, a fork, a cup. How?"
        return tool_changes(Draft(1, 1, "t", {"constraints": before, "distractors": after}))

    mixed = changes("Reach it. You have a pen, a cup, a rope, a book, a fork. How?")
    assert mixed == {"tools_added": 2, "shuffled": True}
    assert changes("Reach it. You have a rope, a fork, a cup, a pen, a book. How?")["shuffled"] is False
    assert changes("Reach it. You have a rope, a fork, a cup. How?") == {"tools_added": 0, "shuffled": False}
    assert changes("Reach it. You have a cup, a fork, a rope. How?") == {"tools_added": 0, "shuffled": True}
    assert changes("Reach it somehow.") == {"tools_added": None, "shuffled": None}
    assert tool_changes(Draft(1, 1, "t", {"problems": "x"})) == {"tools_added": None, "shuffled": None}


def words(server, *more):
    return ["macgyver", "make", "--out", "made", f"model.base_url={server.url}", "model.name=m", *more]


def lines(name):
    return [json.loads(line) for line in (Path("made") / name).read_text(encoding="utf-8").splitlines()]


def numbered(texts):
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def scripted_model(body):
    """Answers each step of three problems a batch as it should be."""
    question = body["messages"][0]["content"]
    tag = re.search(r"belong to: (.*)\.\n", question)
    if tag is not None:
        return numbered(f"{tag[1]} problem {n}: you have a rope, a fork, a cup. How?" for n in "abc")
    found = re.findall(r"^\d+\. (?:Problem: )?(.*)$", question, re.MULTILINE)
    if "most obvious solution in one" in question:
        return numbered(f"solve {text[:20]}" for text in found)
    if "Solution: " in question:
        return numbered(text.replace("a fork", "a bent fork") for text in found)
    more = "a pen, a cup, a hat, a rope, a sock, a book, a bent fork, a key"
    return numbered(text.replace("a rope, a bent fork, a cup", more) for text in found)


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "cache"))


def test_the_whole_path_and_its_provenance(capsys):
    with serve(lambda body, _: said(scripted_model(body))) as server:
        assert main(words(server, "--size", "3", "--batches", "2")) == 0
        printed = capsys.readouterr().out
        assert len(server.bodies) == 8
        assert main(words(server, "--size", "3", "--batches", "2", "--json")) == 0
        assert len(server.bodies) == 8
        summary = json.loads(capsys.readouterr().out)
        assert main(words(server, "--size", "3", "--batches", "3")) == 0  # one more batch
        assert len(server.bodies) == 12
    assert "6 problems, 6 of them changed by all steps" in printed
    assert "6 have 5 more and 6 have them in another order" in printed
    assert (summary["asked"], summary["kept"], summary["notes"]) == (0, 8, [])
    assert summary["unchanged"] == {"constraints": 0, "distractors": 0}
    assert (summary["through_all_steps"], summary["duplicates"]) == (6, 0)
    assert "unchanged" not in printed
    assert "repeat" not in printed
    names = ["1_problems.jsonl", "2_solutions.jsonl", "3_constraints.jsonl", "4_distractors.jsonl"]
    assert sorted(path.name for path in Path("made").iterdir()) == [*names, "making.json", "problems.jsonl"]
    assert [len(lines(name)) for name in names] == [9, 9, 9, 9]
    row = lines("problems.jsonl")[4]
    assert (row["id"], row["batch"], row["place"], row["note"]) == ("2-2", 2, 2, None)
    assert row["problem"].startswith(f"{row['tag']} problem b: you have a pen, a cup")
    assert row["steps"]["solutions"]["text"].startswith("solve ")
    assert "a bent fork" in row["steps"]["constraints"]["text"]
    assert all(re.fullmatch("[0-9a-f]{64}", step["key"]) for step in row["steps"].values())
    assert len({step["prompt"] for step in row["steps"].values()}) == 4
    assert row["served"] == {"models": {"scripted": 4}}
    assert "the server names the model scripted" in printed
    assert (row["tools_added"], row["shuffled"], row["model"]) == (5, True, f"m at {server.url}")
    problems = read_texts(Path("made/problems.jsonl"))
    assert [one.text for one in problems] == [each["problem"] for each in lines("problems.jsonl")]


def test_a_short_list_is_asked_for_again_and_then_kept_with_a_note(capsys):
    def answer(body, _):
        text = scripted_model(body)
        step_one = "belong to" in body["messages"][0]["content"]
        if step_one and len(body["messages"]) == 1:
            text = text.rpartition("\n")[0]  # two of three, the first time
        if "add 5 objects" in body["messages"][0]["content"]:
            text = re.sub(r"^2\..*\n", "", text, flags=re.MULTILINE)  # number 2 is never there
        return said(text)

    with serve(answer) as server:
        assert main(words(server, "--size", "3")) == 0
        assert len(server.bodies) == 2 + 1 + 1 + 3
        again = server.bodies[1]["messages"]
    assert [turn["role"] for turn in again] == ["user", "assistant", "user"]
    assert again[2]["content"].startswith(
        "Your list has 2 of the 3 entries that I need; I do not find number 3"
    )
    rows = lines("problems.jsonl")
    assert [row["note"] for row in rows] == [None, "not in the list of distractors after 3 tries", None]
    assert "a bent fork" in rows[1]["problem"]
    assert set(rows[1]["steps"]) == {"problems", "solutions", "constraints"}
    assert rows[0]["steps"]["problems"]["tries"] == 2
    assert "batch 1: distractors: 2 of 3 after 3 tries" in capsys.readouterr().out


def test_problems_that_repeat_and_that_no_step_changes_are_counted(capsys):
    """The first batch's problems are one and the same; the second's first stays as it is."""
    same = "You have a rope, a fork, a cup. How?"

    def answer(body, _):
        question = body["messages"][0]["content"]
        text = scripted_model(body)
        if "belong to" in question and "a fork" in text and not seen:
            seen.append(True)
            return said(numbered([same, f"  {same.upper()} ", same]))
        if same in question:
            return said(numbered([same] * 3))
        if "Solution: " in question:
            return said(text.replace("a bent fork", "a fork", 1))
        return said(text)

    seen: list[bool] = []
    with serve(answer) as server:
        more = ["--size", "3", "--batches", "2", "model.concurrency=1"]
        assert main(words(server, *more)) == 0
        printed = capsys.readouterr().out
        assert main(words(server, *more, "--json")) == 0
    summary = json.loads(capsys.readouterr().out)
    assert "6 problems, 2 of them changed by all steps" in printed
    assert '4 came out of the step of constraints as they were ("unchanged" in the file)' in printed
    assert "4 came out of the step of distractors as they were" in printed
    assert "2 repeat an earlier problem word for word" in printed
    assert (summary["through_all_steps"], summary["duplicates"]) == (2, 2)
    assert summary["unchanged"] == {"constraints": 4, "distractors": 4}
    rows = lines("problems.jsonl")
    assert [row["duplicate_of"] for row in rows] == [None, "1-1", "1-1", None, None, None]
    both = ["constraints", "distractors"]
    assert [row["unchanged"] for row in rows] == [both] * 4 + [[], []]


def test_a_batch_of_fewer_problems_goes_on_without_the_others(capsys):
    def answer(body, _):
        text = scripted_model(body)
        return said(text.rpartition("\n")[0] if "belong to" in body["messages"][0]["content"] else text)

    with serve(answer) as server:
        assert main(words(server, "--size", "3", "--tries", "2")) == 0
    assert len(server.bodies) == 2 + 3
    assert len(lines("problems.jsonl")) == 2
    assert "batch 1: problems: 2 of 3 after 2 tries" in capsys.readouterr().out


def test_the_last_entry_of_a_reply_that_was_cut_off_does_not_count():
    def answer(body, _):
        n_turns = len(body["messages"])
        cut = "belong to" in body["messages"][0]["content"] and n_turns == 1
        return said(scripted_model(body), "length" if cut else "stop")

    with serve(answer) as server:
        assert main(words(server, "--size", "3")) == 0
    assert len(server.bodies) == 5
    assert lines("1_problems.jsonl")[0]["tries"] == 2


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_asks_nothing_twice():
    sent, lock, slow = [], threading.Lock(), threading.Event()

    def answer(body, _):
        with lock:
            place = len(sent)
            sent.append(json.dumps(body["messages"]))
        if place == 6 and not slow.is_set():
            slow.wait(20)
        return said(scripted_model(body))

    with serve(answer) as server:
        arguments = words(server, "--size", "3", "--batches", "2", "model.concurrency=1")
        process = start_python(f"from fourfold.experiments.cli import main\nmain({arguments!r})")
        for _ in range(3000):
            if len(sent) == 7 or process.poll() is not None:
                break
            time.sleep(0.01)
        process.kill()
        process.communicate()
        slow.set()
        assert len(sent) == 7
        assert len(lines("3_constraints.jsonl")) == 6
        assert not Path("made/problems.jsonl").exists()
        assert main(arguments) == 0
    # What was under way when it was killed has no reply yet: that one alone is sent again.
    assert len(sent) == 8 + 1
    assert len(set(sent)) == 8
    assert len(lines("problems.jsonl")) == 6


def test_failures_name_batches_and_what_came_is_kept(capsys):
    mended = threading.Event()

    def answer(body, _):
        step = "most obvious solution in one" in body["messages"][0]["content"]
        return said(scripted_model(body)) if mended.is_set() or not step else refused(400, "no more")

    with serve(answer) as server:
        assert main(words(server, "--size", "3")) == 2
        assert (
            "1 of 1 requests failed: the endpoint answered 400: no more (batch 1)" in capsys.readouterr().err
        )
        mended.set()
        assert main(words(server, "--size", "3")) == 0
        assert len(server.bodies) == 5


def test_replies_without_lists_are_told(capsys):
    with serve(lambda *_: said("I cannot do that.")) as server:
        assert main(words(server)) == 2
        assert len(server.bodies) == 3
    assert "no list of problems was found in any reply after 3 tries" in capsys.readouterr().err


def test_a_dry_run_makes_nothing(capsys):
    with serve(lambda *_: said("x")) as server:
        assert main(words(server, "--batches", "4", "--dry-run")) == 0
        assert server.bodies == []
    out = capsys.readouterr().out
    assert "Write 15 everyday problems" in out
    assert "4 requests and at most 44 that follow on their replies" in out
    assert "(only 12 requests follow if every list is complete at once)" in out
    assert not Path("made").exists()


def test_templates_and_tags_of_ones_own(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/problems.jinja").write_text("{{ number }} about {{ tags[0] }}", "utf-8")
    (tmp_path / "tags.txt").write_text("the moon\n", "utf-8")
    with serve(lambda *_: said("1. a\n2. b")) as server:
        own = ["--prompts", "own", "--tags", "tags.txt", "--size", "2"]
        assert main(words(server, *own)) == 0
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "2 about the moon"}]


def test_batches_of_one_question_are_samples_of_their_own(tmp_path, capsys):
    """A template without tags, and tags that come again: no batch is a copy of another's reply."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/problems.jinja").write_text("{{ number }} about the moon", "utf-8")
    numbers = iter(range(100))
    with serve(lambda *_: said(f"1. a {next(numbers)}\n2. b")) as server:
        more = ["--prompts", "own", "--size", "2", "--batches", "3", "model.concurrency=1"]
        assert main(words(server, *more)) == 0
        assert len(server.bodies) == 12
        assert main(words(server, *more)) == 0
        assert len(server.bodies) == 12
        assert main(words(server, *more, "model.temperature=0", "--out", "other")) == 2
    assert "model.temperature=0 gives the same answer each time" in capsys.readouterr().err
    first = lines("1_problems.jsonl")
    assert [row["text"] for row in first] == ["a 0", "b", "a 1", "b", "a 2", "b"]
    assert len({row["key"] for row in first}) == 3
    assert {row["tag"] for row in lines("problems.jsonl")} == {None}
    held = json.loads(Path("made/making.json").read_text("utf-8"))["prompts"]
    assert held["problems"]["text"] == "{{ number }} about the moon"
    assert set(held["solutions"]) == {"sha256"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--tags", "full/x", "--prompts", "static"], "problems.jinja does not show them: write {{ tags }}"),
        (["--batches", "0"], "got '0', expected a whole number of at least 1"),
        (["--batches", "60", "model.temperature=0"], "ask for no more batches than tags"),
        (["--tags", "none.txt"], "--tags none.txt cannot be read"),
        (["--prompts", "none"], "--prompts none is not a folder"),
        (["--prompts", "empty"], "--prompts empty holds no template"),
        (["--prompts", "strange"], "--prompts strange holds problem.jinja: expected some of problems.jinja"),
        (["--prompts", "same"], "same/constraints.jinja does not use problems"),
        (["--out", "full"], "--out full holds other files already"),
        (["--out", "file"], "--out file is a file: name a folder"),
        (["--out", "broken"], "making.json cannot be read: choose another --out, or replace what was made"),
        (["model.tmperature=1"], "did you mean model.temperature=?"),
        (["qqq=1"], "'fourfold macgyver make --help' lists what can be set"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_asked(tmp_path, capsys, more, told):
    for name in ("empty", "strange", "same", "full", "broken", "static"):
        (tmp_path / name).mkdir()
    (tmp_path / "strange/problem.jinja").write_text("x", "utf-8")
    (tmp_path / "static/problems.jinja").write_text("x", "utf-8")
    (tmp_path / "same/constraints.jinja").write_text("{{ solutions[0] }}", "utf-8")
    (tmp_path / "full/x").write_text("x", "utf-8")
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "broken/making.json").write_text("{", "utf-8")
    (tmp_path / "broken/problems.jsonl").touch()
    with serve(lambda *_: said("x")) as server:
        assert main(words(server, *more)) == 2
        assert server.bodies == []
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_a_folder_holds_problems_of_one_kind(capsys):
    with serve(lambda body, _: said(scripted_model(body))) as server:
        assert main(words(server, "--size", "3")) == 0
        assert main(words(server, "--size", "2", "--seed", "1", "model.temperature=1")) == 2
        told = "made otherwise (model.temperature=0.7, not 1.0, --size 3, not 2, --seed 0, not 1)"
        assert told in capsys.readouterr().err
        assert len(server.bodies) == 4
        Path("started").mkdir()
        Path("started/making.json").write_text("{}", "utf-8")  # stopped before its first step was through
        assert main(words(server, "--size", "3", "--out", "started")) == 0


def test_what_was_made_is_not_replaced_unasked(capsys):
    numbers = iter(range(1000))

    def answer(body, _):
        return said(scripted_model(body).replace("problem", f"problem {next(numbers)}"))

    with serve(answer) as server:
        more = ["--size", "3", "model.concurrency=1"]
        assert main(words(server, *more, "--batches", "3")) == 0
        before = Path("made/problems.jsonl").read_bytes()
        assert len(server.bodies) == 12
        for other, told in (
            (
                ["--batches", "2"],
                "made holds 3 batches, and --batches 2 would leave some out: ask for at least",
            ),
            (
                ["--batches", "3", "cache=false"],
                "the replies are not kept that the problems in made were made of",
            ),
            (
                ["--batches", "3", "cache=elsewhere"],
                "so that all would be asked anew: name the cache= of before",
            ),
        ):
            assert main(words(server, *more, *other)) == 2
            assert told in capsys.readouterr().err
        assert Path("made/problems.jsonl").read_bytes() == before
        Path("made/making.json").write_text("{", "utf-8")
        assert main(words(server, *more)) == 2
        assert "making.json cannot be read: choose another --out, or replace" in capsys.readouterr().err
        assert len(server.bodies) == 12
        with serve(lambda *_: refused(400, "no more")) as broken:
            assert main(words(broken, *more, "--force")) == 2
        assert "requests failed: the endpoint answered 400" in capsys.readouterr().err
        assert Path("made/problems.jsonl").read_bytes() == before
        Path("made/3_constraints.jsonl").write_text("{", "utf-8")
        assert main(words(server, *more, "--force", "cache=false")) == 0
        assert len(server.bodies) == 16
    assert len(lines("problems.jsonl")) == 3
    assert Path("made/problems.jsonl").read_bytes() != before


def test_a_list_that_stays_incomplete_costs_what_the_dry_run_says(capsys):
    with serve(lambda *_: said("1. a\n2. b\n")) as server:
        assert main(words(server, "--size", "3", "--tries", "2", "--dry-run", "--json")) == 0
        most = json.loads(capsys.readouterr().out)
        assert (most["requests"], most["later"], most["written"]) == (1, 7, 8 * 4096)
        assert most["prompt"][0]["content"].startswith("Write 3 everyday problems")
        assert main(words(server, "--size", "3", "--tries", "2")) == 0
        assert 2 < len(server.bodies) <= 8
