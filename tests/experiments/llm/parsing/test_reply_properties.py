"""Whatever walls and layouts: what is read of a known partition is that partition, or less, never another."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from reply_forms import CONNECTION_FORMS, GROUP_FORMS

from fourfold.experiments.llm.parsing.connections import read_connections
from fourfold.experiments.llm.parsing.groups import read_groups
from fourfold.experiments.llm.parsing.question import Question
from fourfold.experiments.tasks.hints import Hint
from fourfold.experiments.tasks.wall_prompt import wall_prompt

PLAIN = [
    "Willow", "Perch", "Saturn", "Perl", "Lima", "Tango", "Oscar", "Rome", "Bern", "Riga", "Oslo", "Trowel",
    "Rake", "Hoe", "Spade", "Copper", "Zinc", "Tin", "Monet", "Degas", "Manet", "Jazz", "Blues", "Soul",
]  # fmt: skip
AWKWARD = [
    "Lock, Stock", "AC/DC", "Guns N' Roses", "8.5", "%", "___ night", "Mission: Impossible", "Dr. Who", "2",
    "12", "A", "And", "Set", "Link", "Answer", "Solved", "Me, Myself & Irene", "C++", "New York", "M*A*S*H",
]  # fmt: skip
NAMES = [
    "Garden tools", "___ day", "Guy Ritchie films (all of them)", "Capital cities",
    "Things in a box, perhaps", "Dickens: characters", "Units of 4", "Anagrams of birds",
]  # fmt: skip
BEFORE = [
    "",
    "Here are the groups:\n\n",
    "Sure! Here is the solved wall:\n",
    "**Answer:**\n",
    "Final answer:\n",
]
BEHIND = ["", "\n\nI hope this helps!", "\n"]


def labelled(row):
    """A row for each clue with the number of its group."""
    return lambda groups: "\n".join(
        row.format(clue=clue, n=number) for number, (clues, _) in enumerate(groups, 1) for clue in clues
    )


FORMS = GROUP_FORMS | {
    "labels": labelled("{clue}: Group {n}"),
    "numbers": labelled("- {clue}: {n}"),
    "a table of labels": lambda groups: (
        "| Clue | Group |\n|---|---|\n" + labelled("| {clue} | Group {n} |")(groups)
    ),
    "JSON labels": lambda groups: json.dumps(
        {clue: n for n, (clues, _) in enumerate(groups, 1) for clue in clues}
    ),
}


@st.composite
def solved_walls(draw):
    """Four groups with their names, and the order in which the clues are shown."""
    awkward = draw(st.lists(st.sampled_from(AWKWARD), max_size=4, unique=True))
    rest = draw(st.permutations(PLAIN))[: 16 - len(awkward)]
    clues = draw(st.permutations([*awkward, *rest]))
    names = draw(st.permutations(NAMES))
    groups = [(clues[start : start + 4], names[start // 4]) for start in range(0, 16, 4)]
    return groups, draw(st.permutations(clues))


def question_of(shown, hints):
    given_hints = [Hint([order[start : start + 4] for start in range(0, 16, 4)], 1.0) for order in hints]
    messages = wall_prompt("grouping").messages(clues=shown, examples=[], hints=given_hints)
    return Question(messages, shown), messages


@settings(deadline=None, max_examples=25)
@given(
    solved_walls(), st.sampled_from(list(FORMS)), st.sampled_from(BEFORE), st.sampled_from(BEHIND), st.data()
)
def test_a_known_partition_is_read_or_nothing_in_its_place(wall, form, before, behind, data):
    groups, shown = wall
    hints = data.draw(st.lists(st.permutations(shown), max_size=2))
    question, messages = question_of(shown, hints)
    text = before + FORMS[form](groups) + behind
    if data.draw(st.booleans()):
        text = f"{messages[-1].content}\n{text}"
    true = {frozenset(clues) for clues, _ in groups}
    assert {frozenset(group) for group in read_groups(text, shown, question)} == true
    # Cut short anywhere, it holds no other group of four of the wall's clues.
    cut = text[: data.draw(st.integers(0, len(text)))]
    for group in read_groups(cut, shown, question):
        of_wall = len(group) == 4 and set(group) <= set(shown)
        assert not of_wall or frozenset(group) in true or cut.rstrip().endswith(tuple(group))


@settings(deadline=None, max_examples=25)
@given(
    solved_walls(), st.sampled_from(list(CONNECTION_FORMS)), st.sampled_from(BEFORE), st.sampled_from(BEHIND)
)
def test_each_known_connection_is_read_or_none_in_its_place(wall, form, before, behind):
    groups, _ = wall
    clues = [group for group, _ in groups]
    messages = wall_prompt("connections").messages(groups=clues, examples=[])
    question = Question(messages, [clue for group in clues for clue in group])
    read = read_connections(before + CONNECTION_FORMS[form](groups) + behind, clues, question)
    assert [text.lower() for text in read] == [name.lower() for _, name in groups]
