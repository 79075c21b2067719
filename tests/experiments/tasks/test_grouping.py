"""Task 1: the order of the clues, and scores beside the metrics' definitions."""

import numpy as np
import pytest
from naive_metrics import naive_groups

from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.llm.chat import Asking, Reply
from fourfold.experiments.pipeline.orders import clue_order
from fourfold.experiments.tasks.faults import connection_faults, grouping_faults, reply_faults
from fourfold.experiments.tasks.grouping import (
    grouping_answers,
    grouping_requests,
    groups_schema,
    score_grouping,
)
from fourfold.experiments.tasks.wall_prompt import wall_prompt

WALLS = bundled_walls().walls[:5]


def lines(groups):
    return "\n".join(", ".join(group) for group in groups)


def solved(wall):
    return [list(group.clues) for group in wall.groups]


def test_each_run_has_its_own_order_of_the_clues():
    prompt = wall_prompt("grouping")
    for run in (0, 3):
        requests = grouping_requests(prompt, WALLS, [], run, Asking(seed=1, extra={"top_k": 1}))
        for wall, request in zip(WALLS, requests, strict=True):
            ordered = ", ".join(wall.clues[place] for place in clue_order(run, 16))
            assert f"Clues: {ordered}\n" in request.messages[-1].content
            assert (request.max_tokens, request.temperature, request.schema) == (144, 0.0, None)
            assert (request.seed, request.extra) == (1, {"top_k": 1})
    assert grouping_requests(prompt, WALLS[:1], [], 0, Asking(structured=True))[0].schema == groups_schema(4)


def replies_of_every_kind():
    """Right, two groups mixed, a clue made up, groups missing, groups of five and three."""
    first, second, third, fourth, fifth = map(solved, WALLS)
    second[0][0], second[1][0] = second[1][0], second[0][0]
    third[2][3] = "something else"
    fifth[0].append(fifth[1].pop())
    return [lines(first), lines(second), lines(third), lines(fourth[:2]), lines(fifth)]


def test_scores_are_the_papers_on_answers_with_strange_and_missing_clues():
    answers = grouping_answers(WALLS, [Reply(text) for text in replies_of_every_kind()])
    scores = score_grouping(WALLS, answers)
    for number, (wall, groups) in enumerate(zip(WALLS, answers, strict=True)):
        rows = [(group + [""] * 4)[:4] for group in groups] + [[""] * 4] * (4 - len(groups))
        expected = naive_groups(rows, solved(wall))
        for name, value in expected.items():
            np.testing.assert_allclose(scores[name][number, 0], value, rtol=0, atol=1e-9, err_msg=name)
    assert scores["correct_groups"].ravel().tolist() == [4, 2, 3, 2, 3]


def test_faults_are_counted_as_the_paper_names_them():
    replies = replies_of_every_kind()
    replies[1] = replies[1].replace(WALLS[1].groups[2].clues[0], WALLS[1].groups[3].clues[0])
    answers = grouping_answers(WALLS, [Reply(text) for text in replies])
    assert grouping_faults(WALLS, answers) == {
        "misformatted": pytest.approx(4 / 20),  # two are missing, and one of five and one of three clues
        "hallucinated": pytest.approx(1 / 20),
        "repeated": pytest.approx(2 / 20),
        "hallucinated_clues": pytest.approx(1 / (16 * 4 + 8)),
        "unread": 0.0,
    }
    nothing = grouping_faults(WALLS, [[]] * 5)
    assert (nothing["misformatted"], nothing["unread"], nothing["hallucinated_clues"]) == (1.0, 1.0, 0.0)


def test_connections_that_repeat_clues_are_counted():
    wall = WALLS[0]
    connections = [
        f"Things ({', '.join(wall.groups[0].clues)})",
        wall.groups[1].clues[2].upper(),
        f"pre{wall.groups[2].clues[0]}ish",
        "",
    ]
    assert connection_faults([wall], [connections]) == {"names_clues": 0.5, "empty": 0.25}


def test_replies_that_were_cut_short_or_held_back_are_counted():
    replies = [Reply("a", "length"), Reply("", "content_filter"), Reply("b", "stop"), Reply("c")]
    shares = {"cut_short": 0.25, "filtered": 0.25, "empty_replies": 0.25, "thoughts_alone": 0.0}
    shares |= {"refused": 0.0, "thoughts_cut": 0.0}
    assert reply_faults(replies) == shares
    replies = [Reply("", "stop", thoughts=True), Reply("a")]
    assert reply_faults(replies)["thoughts_alone"] == reply_faults(replies)["empty_replies"] == 0.5
