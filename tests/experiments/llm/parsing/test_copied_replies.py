"""Replies that repeat the prompt, in any template's words, or only think: no answer is read in them."""

import json
from types import SimpleNamespace

import pytest

from fourfold.experiments.data.wall import Group, Wall
from fourfold.experiments.llm.chat import Message, Reply
from fourfold.experiments.llm.parsing.candidates import read_candidates
from fourfold.experiments.llm.parsing.connections import read_connections
from fourfold.experiments.llm.parsing.groups import read_groups
from fourfold.experiments.llm.parsing.question import Question
from fourfold.experiments.tasks.connections import SCHEMA, connection_answers
from fourfold.experiments.tasks.faults import copy_faults, reply_faults, shown_faults
from fourfold.experiments.tasks.grouping import grouping_answers, groups_schema, proposed
from fourfold.experiments.tasks.hints import Hint
from fourfold.experiments.tasks.run import _grouped
from fourfold.experiments.tasks.wall_prompt import VARIABLES, wall_prompt

GROUPS = [
    ["Trowel", "Rake", "Hoe", "Spade"],
    ["Cork", "Wexford", "Longford", "Clare"],
    ["Cod", "Eel", "Pike", "%"],
    ["Mars", "Venus", "Pluto", "Earth, the"],
]
NAMES = ["Garden tools", "Irish counties", "Things in a tank", "Old planets"]
FLAT = [clue for group in GROUPS for clue in group]
SHOWN = [FLAT[(5 * place + 2) % 16] for place in range(16)]
PROPOSAL = [
    [SHOWN[place] for place in row] for row in ([0, 1, 5, 7], [2, 3, 4, 6], [8, 10, 12, 14], [9, 11, 13, 15])
]
HINTS = [Hint(PROPOSAL, 0.0), Hint([FLAT[place::4] for place in range(4)], 3.2)]
ANSWER = "\n".join(", ".join(group) for group in GROUPS)
OWN = """Sort these: {{ clues|join(' / ') }}
{% for hint in hints %}

Maybe so:
{% for group in hint.groups %}
* {{ group|join(' / ') }}
{% endfor %}
{% endfor %}
Your four:"""


def asked(hints=(), text=None, tmp_path=None):
    """A wall's question, by the packaged template or by one's own."""
    path = None
    if text is not None:
        path = tmp_path / "own.jinja"
        path.write_text(text)
    messages = wall_prompt("grouping", path).messages(clues=SHOWN, examples=[], hints=list(hints))
    return Question(messages, SHOWN), messages


def copies(messages):
    """A question repeated in whole or in part."""
    user = messages[-1].content
    listed = ", ".join(SHOWN)
    return {
        "user": user,
        "all": "\n\n".join(message.content for message in messages),
        "on one line": " ".join(user.split()),
        "cut short": user[: 3 * len(user) // 4],
        "bold headings": user.replace("Proposal 1:", "**Proposal 1**").replace("Maybe so:", "## Maybe so"),
        "listed": listed,
        "clues": f"Clues: {listed}",
        "said": f"Sure, here are the clues:\n{listed}",
        "one left out": ", ".join([*SHOWN[:6], *SHOWN[7:]]),
        "below each other": "\n".join(SHOWN),
        "numbered": "\n".join(f"{number}. {clue}" for number, clue in enumerate(SHOWN, 1)),
        "JSON": json.dumps(SHOWN),
        "JSON of one group": json.dumps({"groups": [SHOWN]}),
    }


@pytest.mark.slow
@pytest.mark.parametrize("hints", [[], HINTS], ids=["plain", "hints"])
@pytest.mark.parametrize("template", [None, OWN], ids=["packaged", "own"])
def test_a_copied_prompt_is_no_answer_and_is_counted(hints, template, tmp_path):
    question, messages = asked(hints, template, tmp_path)
    for name, text in copies(messages).items():
        assert read_groups(text, SHOWN, question) == [], name
        assert read_candidates(text, SHOWN, 10, question) == [], name
        assert copy_faults([Reply(text)], [question], [False]) == {"copied": 1.0}, name
    # What comes behind the copy is the answer, also where it is that of a hint.
    for text in (messages[-1].content, "\n\n".join(message.content for message in messages)):
        for groups in (GROUPS, PROPOSAL):
            answer = "\n".join(", ".join(group) for group in groups)
            assert read_groups(f"{text}\n{answer}", SHOWN, question) == groups


def test_a_hint_may_be_the_answer_and_that_is_counted():
    question, _ = asked(HINTS)
    groups = read_groups("\n".join(", ".join(group) for group in PROPOSAL), SHOWN, question)
    assert groups == PROPOSAL
    listed = [SHOWN[start : start + 4] for start in range(0, 16, 4)]
    assert shown_faults([question] * 4, [PROPOSAL, GROUPS, listed, []]) == {"shown": 0.5}
    assert shown_faults([asked()[0]], [PROPOSAL]) == {"shown": 0.0}


@pytest.mark.parametrize("template", [None, OWN], ids=["packaged", "own"])
def test_hints_repeated_without_their_headings_are_a_copy(template, tmp_path):
    question, _ = asked(HINTS, template, tmp_path)
    hints = ["\n".join(", ".join(group) for group in hint.groups) for hint in HINTS]
    marks = ["\n".join(f"{n}. {line}" for n, line in enumerate(hint.split("\n"), 1)) for hint in hints]
    for text in ("\n\n".join(hints), "\n".join(marks), "\n\n".join(hints)[:-60]):
        assert read_groups(text, SHOWN, question) == []
        assert read_candidates(text, SHOWN, 10, question) == []
        assert copy_faults([Reply(text)], [question], [False]) == {"copied": 1.0}
        # What stands behind them is the answer, also where it is a hint.
        assert read_groups(f"{text}\n\nSo:\n{ANSWER}", SHOWN, question) == GROUPS
    both = "\n\n".join(hints)
    assert read_groups(f"{both}\n\n{hints[0]}", SHOWN, question) == PROPOSAL
    # One hint, or two with words of the model's own between, may be meant.
    assert read_groups(hints[1], SHOWN, question) == HINTS[1].groups
    own = f"{hints[0]}\nNo, rather this:\n{hints[1]}"
    assert read_groups(own, SHOWN, question) == HINTS[1].groups


@pytest.mark.parametrize("candidates", [0, 9])
def test_runs_with_and_without_candidates_report_the_share_of_hints(candidates):
    wall = Wall("w", tuple(SHOWN), tuple(Group(tuple(group), "c") for group in GROUPS))
    config = SimpleNamespace(candidates=candidates, encoder_weight=0.0)
    setup = SimpleNamespace(walls=SimpleNamespace(walls=[wall] * 2), config=config, view=None)
    hint = "\n".join(", ".join(group) for group in PROPOSAL)
    answers, faults = _grouped(setup, [Reply(hint), Reply(ANSWER)], [asked(HINTS)[0]] * 2)
    assert {frozenset(group) for group in answers[0]} == {frozenset(group) for group in PROPOSAL}
    assert faults["shown"] == 0.5
    assert faults["copied"] == 0.0


def test_an_answer_and_a_refusal_are_no_copies():
    question, _ = asked(HINTS)
    assert read_groups(ANSWER, SHOWN, question) == GROUPS
    refusal = "I'm sorry, but I can't help with that."
    assert copy_faults([Reply(ANSWER), Reply(refusal)], [question] * 2, [True, False]) == {"copied": 0.0}
    # An order of the model's own is its answer, also without any mark between its groups.
    assert read_groups(", ".join(FLAT), SHOWN, question) == GROUPS


def test_a_copied_example_is_no_answer():
    example = [
        ("a b c", "d e", "f", "g h"),
        ("i", "j", "k l", "m"),
        ("n", "o", "p", "q"),
        ("r", "s", "t", "u"),
    ]
    shown = [[{"clues": clues, "connection": f"Letters {clues[0]}"} for clues in example]]
    messages = wall_prompt("grouping").messages(clues=SHOWN, examples=shown, hints=[])
    question = Question(messages, SHOWN)
    copied = messages[-1].content.partition("\n\n")[0]
    assert "Letters" in copied
    assert read_groups(copied, SHOWN, question) == []
    assert read_groups(f"{copied}\n\n{ANSWER}", SHOWN, question) == GROUPS


@pytest.mark.parametrize(
    "template",
    [
        None,
        "{% for g in groups %}\n{{ g|join('; ') }} => Lien commun : ____\n{% endfor %}\nRéponse :",
        "{% for g in groups %}\n{{ loop.index }}) {{ g|join(', ') }}; Topic - ______\n{% endfor %}\nTopics?",
    ],
    ids=["packaged", "French", "another sign"],
)
def test_the_prompts_own_words_are_no_connections(template, tmp_path):
    path = None
    if template is not None:
        path = tmp_path / "own.jinja"
        path.write_text(template, encoding="utf-8")
    messages = wall_prompt("connections", path).messages(groups=GROUPS, examples=[])
    question = Question(messages, FLAT)
    for text in (
        messages[-1].content,
        "\n\n".join(message.content for message in messages),
        messages[-1].content[: 2 * len(messages[-1].content) // 3],
    ):
        assert read_connections(text, GROUPS, question) == [""] * 4
        assert copy_faults([Reply(text)], [question], [False]) == {"copied": 1.0}
    filled = messages[-1].content
    for name in NAMES:
        filled = filled.replace("______" if "______" in filled else "____", name, 1)
    assert read_connections(filled, GROUPS, question) == NAMES


def test_what_stands_in_another_turn_is_not_what_was_asked():
    messages = [Message("user", "Clues: " + ", ".join(SHOWN)), Message("assistant", f"Here it is:\n{ANSWER}")]
    assert read_groups(f"Here it is:\n{ANSWER}", SHOWN, Question(messages, SHOWN)) == GROUPS


THOUGHTS = """Okay, let's see. The clues are on tools, counties, fish and planets. Maybe first the tools:

Group 1: Trowel, Rake, Hoe, Cork

Wait, Cork could be a county. Let me try again:

Trowel, Rake, Hoe, Spade
Cork, Wexford, Longford, Cla"""


LET_ME = "Let me look at the clues first, they are on tools and on counties."


@pytest.mark.parametrize(
    "text", [THOUGHTS, THOUGHTS.partition("\n")[2], f"{LET_ME}\n\n{', '.join(SHOWN)}\n{ANSWER[:26]}"]
)
def test_thoughts_that_are_cut_short_hold_no_answer(text):
    wall = Wall("w", tuple(FLAT), tuple(Group(tuple(group), "c") for group in GROUPS))
    assert grouping_answers([wall], [Reply(text, "length")]) == [[]]
    assert connection_answers([wall], [Reply(text, "length")]) == [[""] * 4]
    assert proposed([wall], [Reply(text, "length")], 10) == [[]]
    assert reply_faults([Reply(text, "length")])["thoughts_alone"] == 1.0
    # Not cut, or with an answer behind them, they are read.
    assert grouping_answers([wall], [Reply(text, "stop")]) != [[]]
    whole = Reply(f"{text}\n\nFinal answer:\n{ANSWER[:-5]}", "length")
    assert grouping_answers([wall], [whole])[0][:3] == GROUPS[:3]
    assert reply_faults([whole])["thoughts_alone"] == 0.0


@pytest.mark.parametrize(
    "before",
    [
        "I need to group these.",
        "Let me group these:",
        "Okay, let me see.",
        THOUGHTS[: THOUGHTS.rindex("Trowel")],
    ],
    ids=["need", "let me", "okay", "doubts"],
)
@pytest.mark.parametrize(
    "written",
    [
        ANSWER,
        "\n".join(f"**{name}**: {'; '.join(group)}" for group, name in zip(GROUPS, NAMES, strict=True)),
        "\n\n".join("\n".join(f"- {clue}" for clue in group) for group in GROUPS),
        json.dumps({"groups": GROUPS}),
    ],
    ids=["lines", "named", "bullets", "JSON"],
)
def test_groups_behind_a_chatty_opening_are_an_answer_though_the_reply_is_cut(before, written):
    wall = Wall("w", tuple(FLAT), tuple(Group(tuple(group), "c") for group in GROUPS))
    cut = Reply(f"{before}\n\n{written}\n\nThe first group has the tools that", "length")
    assert grouping_answers([wall], [cut]) == [GROUPS]
    assert reply_faults([cut])["thoughts_alone"] == 0.0


@pytest.mark.parametrize(
    "before", ["Here are the four groups:", "**Let's solve this wall:**", "Solved wall:", ""]
)
def test_an_answer_that_is_cut_short_is_read_as_far_as_it_goes(before):
    wall = Wall("w", tuple(FLAT), tuple(Group(tuple(group), "c") for group in GROUPS))
    cut = Reply(f"{before}\n\n{ANSWER[:-20]}", "length")
    assert grouping_answers([wall], [cut])[0][:2] == GROUPS[:2]


@pytest.mark.parametrize("task", ["grouping", "candidates", "connections", "guessing"])
def test_a_structured_prompt_asks_for_what_its_schema_holds(task):
    variables = {"clues": SHOWN, "groups": GROUPS, "hints": [], "examples": [], "candidates": 9, "lives": 1}
    variables |= {"free_groups": 0, "one_away": False}
    chosen = {key: value for key, value in variables.items() if key in VARIABLES[task]}
    plain, asked_for = (
        "\n".join(each.content for each in wall_prompt(task).messages(**chosen, structured=structured))
        for structured in (False, True)
    )
    schema = SCHEMA if task == "connections" else groups_schema(4)
    (field,) = schema["properties"]
    assert f'{{"{field}": [' in asked_for
    assert "JSON" not in plain
    for line_form in ("commas", "Connection:", "____", "one line"):
        assert line_form not in asked_for


def test_groups_on_both_sides_of_a_heading_of_the_prompt_are_no_copy():
    others = [clue for pair in zip(GROUPS[2], GROUPS[3], strict=True) for clue in pair]
    shown = [*others, *GROUPS[1], *GROUPS[0]]
    hint = Hint([GROUPS[1], GROUPS[0], others[:4], others[4:]], 0.0)
    question = Question(wall_prompt("grouping").messages(clues=shown, examples=[], hints=[hint]), shown)
    for text in (ANSWER, json.dumps({"groups": GROUPS})):
        assert read_groups(text, shown, question) == GROUPS


LINES = [", ".join(group) for group in GROUPS]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1]])
@pytest.mark.parametrize(
    ("line", "entry", "between"),
    [
        ("Group {n}: {clues}", "{n}. {name}", "Connections:\n"),
        ("Group {n}: {clues}", "{n}. {name}", ""),
        ("{n}. {clues}", "{n}. {name}", "Connections:\n"),
        ("{clues}", "{n}. {name}", "Connections:\n"),
        ("{clues}", "Group {n}: {name}", "\n"),
        ("{clues}", "Connection {n}: {name}", "\n"),
    ],
)
@pytest.mark.parametrize("opening", ["", "Groups:\n"])
def test_connections_below_copied_groups_are_those_of_the_groups(order, line, entry, between, opening):
    groups = "\n".join(line.format(n=n, clues=LINES[group]) for n, group in enumerate(order, 1))
    names = "\n".join(entry.format(n=n, name=NAMES[group]) for n, group in enumerate(order, 1))
    assert read_connections(f"{opening}{groups}\n{between}{names}", GROUPS) == NAMES
