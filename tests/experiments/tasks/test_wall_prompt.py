"""The packaged templates, anyone's own, and the examples in them."""

import random

import pytest

from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.data.wall import WallSet
from fourfold.experiments.tasks.wall_prompt import as_variables, draw_examples, wall_prompt

WALLS = bundled_walls().walls
CLUES = [f"clue {number}" for number in range(16)]


def template(tmp_path, text):
    path = tmp_path / "own.jinja"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("n_examples", [0, 1, 3, 5, 10])
def test_the_grouping_prompt_has_the_parts_of_the_papers(n_examples):
    given = {"clues": CLUES, "examples": as_variables(WALLS[:n_examples]), "hints": []}
    system, user = wall_prompt("grouping").messages(**given)
    assert (system.role, user.role) == ("system", "user")
    assert "16 clues" in system.content
    assert "red herrings" in system.content
    assert ("examples" in system.content) == (n_examples > 0)
    assert user.content.count("Example ") == n_examples
    assert user.content.count("Connection: ") == 4 * n_examples
    assert user.content.endswith(f"Clues: {', '.join(CLUES)}\n\nSolved wall:")
    for wall in WALLS[:n_examples]:
        for group in wall.groups:
            assert f"\n{', '.join(group.clues)}. Connection: {group.connection}\n" in user.content
    for message in (system, user):
        assert "{" not in message.content
        assert "\n\n\n" not in message.content
        assert message.content == message.content.strip()


def test_a_template_without_blocks_is_the_users_turn(tmp_path):
    prompt = wall_prompt("grouping", template(tmp_path, "\ufeffGroup {{ clues | join('; ') }} – é\n"))
    (message,) = prompt.messages(clues=["a", "b"], examples=[])
    assert (message.role, message.content) == ("user", "Group a; b – é")


def test_what_stands_in_clues_is_no_template_and_no_markup():
    clues = ["{{ 7 * 7 }}", "{% raw %}", "<b>", "Tom & Jerry"]
    user = wall_prompt("grouping").messages(clues=clues, examples=[], hints=[])[-1].content
    assert "{{ 7 * 7 }}, {% raw %}, <b>, Tom & Jerry" in user


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ clue }}", "uses clue, which this task has not: expected clues, examples, hints"),
        ("{% block user %}{{ groups }}{% endblock %}", "uses groups, which this task has not"),
        ("a\n{{ clues ", "line 2 is not a Jinja template"),
        ("{% for clue in clues %}", "is not a Jinja template"),
        ("{{ clues | no_such_filter }}", "is not a Jinja template"),
        ("{% include 'other' %}", "includes another file"),
        ("{% extends 'other' %}", "includes another file"),
        ("{% block assistant %}{% endblock %}", "has a block assistant"),
        ("{% block system %}a{% endblock %}", "has no block user"),
        ("  \n", "is empty"),
    ],
)
def test_what_is_wrong_with_a_template_is_one_line_before_any_work(tmp_path, text, said):
    with pytest.raises(UserError, match=said) as caught:
        wall_prompt("grouping", template(tmp_path, text))
    assert "\n" not in str(caught.value)
    assert "own.jinja" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ clues[0].no_such }}", "fails on a wall"),
        ("{{ clues[99] }}", "fails on a wall"),
        ("{{ 1 / 0 }}", "fails on a wall"),
        ("{{ clues.__class__.__mro__ }}", "fails on a wall"),
        ("{{ clues.append('more') }}", "fails on a wall"),
        ("{{ ''.__class__.__base__.__subclasses__() }}", "fails on a wall"),
        ("{% for i in range(10**9) %}x{% endfor %}", "fails on a wall"),
        ("{% if not clues %}x{% endif %}", "makes an empty prompt"),
    ],
)
def test_what_goes_wrong_with_a_wall_is_one_line(tmp_path, text, said):
    prompt = wall_prompt("grouping", template(tmp_path, text))
    with pytest.raises(UserError, match=said):
        prompt.messages(clues=CLUES, examples=[])


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        wall_prompt("grouping", tmp_path / "none.jinja")
    with pytest.raises(UserError, match="cannot be read"):
        wall_prompt("grouping", tmp_path)
    path = tmp_path / "latin.jinja"
    path.write_bytes(b"caf\xe9 {{ clues }}")
    with pytest.raises(UserError, match="is not UTF-8"):
        wall_prompt("grouping", path)


def test_examples_are_the_papers_draw_and_the_same_every_time():
    training, rest = WallSet("training", WALLS[:12]), WallSet("rest", WALLS[12:])
    drawn = draw_examples(training, 5, 42, rest)
    assert drawn == random.Random(42).sample(WALLS[:12], 5) == draw_examples(training, 5, 42, rest)
    assert draw_examples(training, 5, 43, rest) != drawn
    assert draw_examples(training, 0, 42, rest) == []


def test_examples_that_would_show_a_solution_are_refused():
    training = WallSet("training", WALLS[:4])
    with pytest.raises(UserError, match="is also among the walls to be solved"):
        draw_examples(training, 4, 42, WallSet("rest", WALLS[3:]))
    with pytest.raises(UserError, match="examples=5 is too many: training has 4 walls"):
        draw_examples(training, 5, 42, WallSet("rest", WALLS[4:]))
