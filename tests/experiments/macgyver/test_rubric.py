"""A language model as the judge of answers: categories read from replies, and the path against a server."""

import json
import threading
from pathlib import Path

import pytest
from chat_server import refused, said, serve
from macgyver_files import write_release

from fourfold.experiments.cli import main
from fourfold.experiments.llm.parsing.judgements import read_category
from fourfold.experiments.llm.parsing.rubric_words import Rubric
from fourfold.experiments.macgyver.evaluation import Pairs, pairs, sampled
from fourfold.experiments.macgyver.problem import Category
from fourfold.experiments.macgyver.prompting import task_prompt
from fourfold.experiments.macgyver.readers import read_release
from fourfold.experiments.macgyver.rubric import agreement

pytest.importorskip("jinja2")
pytest.importorskip("openai")
pytest.importorskip("sacrebleu")


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("It works.\nCategory: A", "A"),
        ("It works. Category: B.", "B"),
        ("**Category:** C", "C"),
        ("**Category: D**", "D"),
        ("Category: **E**", "E"),
        ("category f", "F"),
        ("Category: b\n", "B"),
        ("The category is D.", "D"),
        ("Category: A at first sight.\nOn reflection the rope is too short.\nCategory: E", "E"),
        ("D", "D"),
        ("(B)", "B"),
        ("B: less efficient", "B"),
        ('{"category": "C", "reason": "no"}', "C"),
        ('{"label": "wrong_partial_correct"}', "D"),
        ("The label is wrong_fail_solvability_status.", "F"),
        ("Verdict: F", "F"),
        ("<think>Category: A</think>Category: B", "B"),
        ("Category: (D) partly wrong", "D"),
        ("Category: a rope is too short", None),
        ("A rope is too short.", None),
        ("Category: G", None),
        ("Final answer: (F)", "F"),
        ("Category：E", "E"),
        ("Category → F", "F"),
        ("Category: $\\boxed{C}$", "C"),
        ("\\boxed{B}", "B"),
        ("Category `A`", "A"),
        ("Category: 'E'", "E"),
        ("Category: Option E", "E"),
        ("The correct category would be D.", "D"),
        ("I'd label it D.", "D"),
        ("classified as B", "B"),
        ("Not category F.\nThe answer works. I pick A.", "A"),
        ("Category: A\n\nNote: I might also consider category B.", "A"),
        ("Verdict: A reasonable solution.\nCategory: B", "B"),
        ("Category: A because it works", "A"),
        ('{"reason": "a step fails", "final_category": "Category E"}', "E"),
        ("Category: A or B", None),
        ("Category: D & E", None),
        ("Category: [A-F]", None),
        ("Category: A to F", None),
        ("Category: A - it works at once.", "A"),
        ("It would not be category C.", None),
        ('{"category": "A/B"}', None),
        ("Judgement: A plausible plan, but one step fails.", None),
        ("I cannot judge that.", None),
        ("", None),
    ],
)
def test_categories_of_every_form(reply, letter):
    found = read_category(reply)
    assert (None if found is None else found.name) == letter


JUDGE = task_prompt("judge").text
SAID = {  # what the packaged template says of each category
    "A": "the problem is solvable, and the answer solves it efficiently",
    "B": "the problem is solvable, and the answer solves it, but with needless or roundabout steps",
    "C": "the problem is unsolvable, and the answer says so for the right reason",
    "D": "the answer is wrong in part, such as one step that does not work",
    "E": "the answer is wrong mostly or altogether",
    "F": "the answer is wrong about whether the problem can be solved",
}
LIST = "\n".join(f"{letter}: {words}" for letter, words in SAID.items())
DRESSED = [
    "Category: {words}",
    "Category: {capital}.",
    'Category: "{capital}."',
    "**Category:** {capital}",
    "**Category: {capital}**",
    "Category: {letter}: {words}",
    "Category: {letter} ({words})",
    "Category: {number}. {capital}",
    "Category {number}: {capital}",
    "Category:\n{capital}",
    "The rope is there.\n\n{capital}.",
    "{capital}",
    "{number}. {capital}.",
    '"{letter}: {words}"',
    "The rope holds. The category is: {words}.",
    "Then choose one category: {capital}",
    '{{"category": "{capital}"}}',
    '{{"reason": "x", "category": "{letter}: {words}"}}',
    "Then choose one category:\n{list}\n\nCategory: {capital}",
    "{list}\n\nCategory: {letter}",
    "{list}\nCategory: {letter}",
    "{list}\n{letter}",
]


@pytest.mark.parametrize("letter", SAID)
def test_the_rubrics_own_words_name_a_category_in_every_form(letter):
    rubric, words = Rubric.of(JUDGE), SAID[letter]
    for form in DRESSED:
        reply = form.format(
            letter=letter,
            words=words,
            capital=words[0].upper() + words[1:],
            number="ABCDEF".index(letter) + 1,
            list=LIST,
        )
        found = read_category(reply, rubric)
        assert found is Category[letter], reply


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Category: The answer is wrong in part, because step 2 fails.", "D"),
        ("Category: The problem is solvable, and the answer solves it, but with needless steps.", "B"),
        ("Category: The answer is wrong altogether.", "E"),
        (
            "Category: the answer is wrong in part.\nNo, all.\nCategory: the answer is wrong altogether",
            "E",
        ),
        # What several categories begin with, or another clause than the rubric's, is none of them.
        ("Category: The problem is solvable, and the answer solves it.", None),
        ("Category: The problem is unsolvable.", None),
        ("Category: The answer is wrong.", None),
        ("Category: The problem is unsolvable, and the answer says that it is solvable.", None),
        (f"Category: A: {SAID['E']}", None),
        (f"B: {SAID['D']}", None),
        (f'{{"category": "A: {SAID["E"]}"}}', None),
        # Copies of the list.
        (LIST, None),
        (LIST.replace("\n", "; "), None),
        (f"Then choose one category:\n{LIST}", None),
        (f"Category: {LIST}", None),
        ("\n".join(f"Category {letter}: {words}" for letter, words in SAID.items()), None),
        ("\n".join(f"- **{words}**" for words in SAID.values()), None),
        ("\n".join(f"{number}. {words}" for number, words in enumerate(SAID.values(), 1)), None),
        ("\n\n".join(f"{letter}: {words}" for letter, words in list(SAID.items())[3:5]), None),
        (JUDGE, None),
        (JUDGE + "\nCategory: D", "D"),
        ("\n".join(SAID), None),
        ("\n".join(category.value for category in Category), None),
        (", ".join(category.value for category in Category), None),
        (json.dumps(SAID, indent=1), None),
    ],
)
def test_parts_and_copies_of_the_rubric(reply, letter):
    found = read_category(reply, Rubric.of(JUDGE))
    assert (None if found is None else found.name) == letter


def test_the_words_are_those_of_the_template_that_was_asked():
    own = "Grade it.\n" + "\n".join(f"{letter}. grade number {letter * 2} here" for letter in SAID)
    assert read_category("Category: grade number DD here", Rubric.of(own)) is Category.D
    assert read_category("Category: grade number DD here", Rubric.of(JUDGE)) is None
    assert not Rubric.of("A: the answer works\nF: it does not").words
    assert read_category(f"Category: {SAID['A']}") is None


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "cache"))
    return write_release(tmp_path / "release")


def words(server, *more):
    model = [f"model.base_url={server.url}", "model.name=m"]
    return [
        "macgyver",
        "evaluate",
        "--data",
        "release",
        "--measures",
        "judge",
        "--draws",
        "10",
        *model,
        *more,
    ]


def knows(body, _):
    answer = body["messages"][-1]["content"].partition("Answer: ")[2].partition("\n")[0]
    letters = {"band": "A", "banana": "D", "ruler": "B", "peel": "B", "no": "C", "sip": "F"}
    return said(f"Because.\nCategory: {letters[answer]}")


@pytest.mark.usefixtures("folder")
def test_the_judge_is_correlated_and_asked_once(capsys):
    with serve(knows) as server:
        assert main(words(server, "--out", "scores.jsonl")) == 0
        # Ten labels of eight answers, two of which two models gave: the same question to the same problem.
        assert len(server.bodies) == 6
        assert server.bodies[0]["temperature"] == 0
        assert [turn["role"] for turn in server.bodies[0]["messages"]] == ["system", "user"]
        printed = capsys.readouterr().out
        assert main(words(server, "--json")) == 0
        assert len(server.bodies) == 6
    assert f"Judge (m at {server.url})" in printed
    assert "The judge and people choose the same category for 90.0% of 10 answers" in printed
    assert "The paper does not say" not in printed
    content = json.loads(capsys.readouterr().out)
    assert content["rows"][0]["paper"] is None
    assert 0.8 < content["rows"][0]["score"]["r"] < 1
    rows = [json.loads(line) for line in Path("scores.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["judge"] for row in rows[:3]] == [1.0, 0.5, 0.75]
    assert [row["judge_category"] for row in rows[:3]] == ["A", "D", "B"]
    assert rows[1]["judge_reply"] == "Because.\nCategory: D"
    assert rows[1]["judge_model"] == f"m at {server.url}"
    assert rows[1]["judge_served"] == {"models": {"scripted": 1}}
    assert len(rows[1]["judge_key"]) == len(rows[1]["judge_prompt"]["sha256"]) == 64


@pytest.mark.usefixtures("folder")
def test_a_judge_that_was_stopped_goes_on(capsys):
    mended = threading.Event()

    def answer(body, headers):
        held = "Answer: sip" in body["messages"][-1]["content"] and not mended.is_set()
        return refused(400, "no more") if held else knows(body, headers)

    with serve(answer) as server:
        assert main(words(server)) == 2
        assert "1 of 6 requests failed" in capsys.readouterr().err
        mended.set()
        assert main(words(server)) == 0
        assert len(server.bodies) == 7


@pytest.mark.usefixtures("folder")
def test_replies_without_a_category_are_told(capsys):
    with serve(lambda *_: said("Hm.")) as server:
        assert main(words(server)) == 0
    assert "No category is named by 10 replies of the judge." in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_a_dry_run_shows_the_rubric(capsys):
    with serve(knows) as server:
        assert main(words(server, "--dry-run", "--sample", "4")) == 0
        assert server.bodies == []
    out = capsys.readouterr().out
    assert "F: the answer is wrong about whether the problem can be solved" in out
    assert "A known solution, for comparison" in out
    assert "at most" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--measures", "bleu2"], "is for a judge: add --measures judge"),
        (["model.nam=x"], "did you mean model.name=?"),
        (["--prompt", "none.jinja"], "--prompt none.jinja cannot be read"),
        (["--sample", "0"], "got '0', expected a whole number of at least 1"),
    ],
)
def test_what_is_wrong_is_one_line(capsys, more, told):
    with serve(knows) as server:
        assert main(words(server, *more)) == 2
        assert server.bodies == []
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_agreement_and_samples(folder):
    kept = pairs(read_release(folder), "sound").kept
    right = agreement(kept, [pair.category for pair in kept])
    assert (right.n, right.unread, right.same, right.same_side, right.kappa) == (10, 0, 1.0, 1.0, 1.0)
    nothing = agreement(kept, [None] * 10)
    assert (nothing.n, nothing.unread, nothing.same, nothing.kappa) == (0, 10, None, None)
    efficient = agreement(kept, [Category.A] * 10)
    assert efficient.same == sum(pair.category is Category.A for pair in kept) / 10
    compared = Pairs(kept, 0, 0)
    drawn = sampled(compared, 4, 1)
    assert len(drawn) == 4
    assert drawn == sampled(compared, 4, 1)
    assert [kept.index(pair) for pair in drawn] == sorted(kept.index(pair) for pair in drawn)
    assert sampled(compared, None, 0) == sampled(compared, 99, 0) == kept
