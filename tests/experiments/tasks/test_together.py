"""Language models and the engine together: hints in the prompt, and votes that the engine counts."""

import itertools
import json

import numpy as np
import pytest
from chat_server import said, serve
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.conf.llm_schema import LanguageModelConfig, LanguageRunConfig
from fourfold.conf.schema import DatasetConfig
from fourfold.engine.partition import list_groups
from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.data.wall import Group, Wall
from fourfold.experiments.llm.retries import Retries
from fourfold.experiments.pipeline.solve import solve
from fourfold.experiments.runs.language_model import record as records
from fourfold.experiments.runs.language_model.kind import orders_shown
from fourfold.experiments.runs.language_model.titles import title_of
from fourfold.experiments.tables.language_results import heading
from fourfold.experiments.tables.language_tables import language_sheet
from fourfold.experiments.tasks.hints import EncoderView, view_walls, wall_hints
from fourfold.experiments.tasks.prepare import prepare_language_run, set_up
from fourfold.experiments.tasks.run import run_language_model
from fourfold.experiments.tasks.voting import vote_costs, voted
from fourfold.experiments.terminal.progress import ProgressBars

WALLS = bundled_walls()
CLUES = list("abcdefghijklmnop")
TRUE = [CLUES[start : start + 4] for start in range(0, 16, 4)]
WALL = Wall("w", tuple(CLUES), tuple(Group(tuple(group), "c") for group in TRUE))
GROUPS = list_groups(16, 4)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def sets(groups):
    return {frozenset(group) for group in groups}


def text(*groups):
    return [list(group) for group in groups]


@st.composite
def replies(draw):
    """Replies as they are read: groups of any size, of clues and of texts that are none."""
    texts = st.sampled_from([*CLUES, "none of them"])
    group = st.lists(texts, min_size=1, max_size=6)
    return draw(st.lists(st.lists(group, max_size=4), min_size=1, max_size=5))


@pytest.mark.slow
@given(replies())
@settings(deadline=None, max_examples=40)
def test_costs_are_the_shares_of_replies_that_disagree(given_replies):
    pair_votes, group_votes = np.zeros((16, 16)), dict.fromkeys(map(tuple, GROUPS.tolist()), 0)
    for reply in given_replies:
        seen = set()
        for group in reply:
            places = []
            for clue in group:
                if clue in CLUES and clue not in seen:
                    seen.add(clue)
                    places.append(CLUES.index(clue))
            for i, j in itertools.permutations(places, 2):
                pair_votes[i, j] += 1
            if len(places) == 4:
                group_votes[tuple(sorted(places))] += 1
    n = len(given_replies)
    pairs = np.array(
        [
            1 - np.mean([pair_votes[i, j] / n for i, j in itertools.combinations(g, 2)])
            for g in GROUPS.tolist()
        ]
    )
    np.testing.assert_allclose(vote_costs(given_replies, CLUES, "pairs"), pairs, rtol=0, atol=1e-12)
    expected = [1 - group_votes[tuple(g)] / n for g in GROUPS.tolist()]
    found = vote_costs(given_replies, CLUES, "groups")
    np.testing.assert_allclose(found, np.array(expected) + pairs / (5 * n), rtol=0, atol=1e-12)


def test_replies_agree_on_a_clue_that_the_wall_has_twice_whichever_they_name_first():
    clues = ["x", "x", *CLUES[2:]]
    replies = [text("xcde", "xfgh"), text("xfgh", "xcde")]
    agreed = {tuple(sorted([x, *rest])) for x in (0, 1) for rest in ((2, 3, 4), (5, 6, 7))}
    for by in ("groups", "pairs"):
        costs = vote_costs(replies, clues, by)
        assert {
            tuple(group) for group, cost in zip(GROUPS.tolist(), costs, strict=True) if cost < 1e-9
        } == agreed
    costs = vote_costs(
        [text("xxcd"), text("xefg", "xxxh")], clues, "pairs"
    )  # the second has it once too often
    mine = {tuple(group): cost for group, cost in zip(GROUPS.tolist(), costs, strict=True)}
    assert mine[0, 1, 2, 3] == pytest.approx(0.5)
    assert mine[0, 4, 5, 6] == mine[1, 4, 5, 6] == pytest.approx(0.5)
    assert mine[0, 1, 4, 5] == pytest.approx(1 - (1 + 5) / 12)


def test_the_group_that_most_replies_have_is_in_the_answer():
    run_a, run_b = text("abcd", "efgi"), text("abcd", "ijkl", "mnop")
    run_c = text("abce", "dfgh")
    for by in ("groups", "pairs"):
        (answer,) = voted([WALL], [[run_a], [run_b], [run_c]], by)
        assert sets(answer) == sets(TRUE)
        assert sorted(itertools.chain(*answer)) == CLUES


def test_one_reply_is_taken_as_it_is():
    reply = text("aeim", "bfjn", "cgko", "dhlp")
    for by in ("groups", "pairs"):
        assert sets(voted([WALL], [[reply]], by)[0]) == sets(reply)


def test_pairs_never_overrule_a_groups_vote():
    reply_a = text("abcd", "eimn", "fjop", "ghkl")
    others = [text("abce", "dfgh", "ijkl", "mnop")] * 2
    (answer,) = voted([WALL], [[reply] for reply in [reply_a, *others]], "groups")
    assert sets(answer) == sets(others[0])


def test_without_a_vote_the_order_of_the_data_decides_nothing_and_the_encoder_all():
    (answer,) = voted([WALL], [[[]]], "pairs")
    assert sets(answer) != sets(TRUE)
    points = np.repeat(np.eye(4), 4, axis=0)
    gram = (points @ points.T)[np.newaxis]
    (answer,) = voted([WALL], [[[]]], "groups", gram, 0.5)
    assert sets(answer) == sets(TRUE)
    vote = text("aeim", "bfjn", "cgko", "dhlp")
    for weight, expected in ((1e-6, vote), (1e6, TRUE)):
        (answer,) = voted([WALL], [[vote]], "pairs", gram, weight)
        assert sets(answer) == sets(expected)


def config(tmp_path, server, **options):
    model = {"name": "scripted", "base_url": getattr(server, "url", server), "timeout": 5.0}
    model |= {key[6:]: options.pop(key) for key in list(options) if key.startswith("model_")}
    made = {"dataset": DatasetConfig(name="bundled", layout="bundled"), "limit": 3}
    return LanguageRunConfig(
        model=LanguageModelConfig(**model), out=str(tmp_path / "runs"), **(made | options)
    )


def run(settings):
    return run_language_model(prepare_language_run(settings, Retries(attempts=1)), ProgressBars(shown=False))


@pytest.mark.slow
def test_hints_are_the_engines_best_partitions_in_the_order_that_is_shown(tmp_path):
    setup = set_up(prepare_language_run(config(tmp_path, "http://localhost", hints=3, seeds=2)))
    view = view_walls("minilm", setup.walls, "true", ProgressBars(shown=False))
    for run_number, requests in enumerate(setup.requests):
        for place, (wall, request) in enumerate(zip(setup.walls.walls, requests, strict=True)):
            question = request.messages[-1].content
            clues = question.partition("Clues: ")[2].partition("\n")[0]
            solved = solve(wall.clues, gram=view.gram[place], sizes=[4] * 4, runners_up=2)
            hints = wall_hints(view, setup.walls, run_number, 3)[place]
            assert [sets(hint.groups) for hint in hints] == [
                sets(solved.groups), *(sets(other.groups) for other in solved.runners_up)
            ]  # fmt: skip
            for number, hint in enumerate(hints, start=1):
                gap = 0.0 if number == 1 else 100 * solved.runners_up[number - 2].gap / solved.cost
                assert hint.behind == pytest.approx(gap, abs=1e-9)
                for group in hint.groups:
                    assert ", ".join(group) in question
                    positions = [clues.find(clue) for clue in group]
                    assert len(set(positions)) == 4
            assert question.count("Proposal") == 3
            assert "(0.0% behind)" not in question.partition("Proposal 2")[0]
    assert "the 3 groupings that it finds best" in setup.requests[0][0].messages[0].content


def test_equal_costs_are_told_apart_by_the_order_that_is_shown():
    view = EncoderView(np.zeros((1, 16, 16)), {})
    (hints,) = wall_hints(view, type(WALLS)("w", (WALL,)), 0, 2)
    assert sets(hints[0].groups) != sets(TRUE)
    assert hints[1].behind == 0.0


@pytest.mark.slow
def test_orders_vote_and_their_replies_cost_nothing_more(tmp_path):
    turns = {}

    def two_of_three(body, headers):
        clues = body["messages"][-1]["content"]
        wall = next(wall for wall in WALLS.walls if all(clue in clues for clue in wall.clues))
        turns[wall.wall_id] = turns.get(wall.wall_id, 0) + 1
        groups = [list(group.clues) for group in wall.groups]
        if turns[wall.wall_id] == 2:
            groups = [list(group) for group in zip(*groups, strict=True)]
        return said("\n".join(", ".join(group) for group in groups))

    with serve(two_of_three) as server:
        alone = run(config(tmp_path, server, seeds=3))
        pairs = run(config(tmp_path, server, seeds=3, vote="pairs"))
        groups = run(config(tmp_path, server, seeds=3, vote="groups", encoder_weight=0.01))
    assert len(server.bodies) == 9
    assert alone.record.metrics["solved_walls"].mean == 2.0
    for voted_run in (pairs, groups):
        assert voted_run.record.metrics["solved_walls"].per_seed == [3.0]
        assert voted_run.record.n_seeds == 1
        assert len(list((voted_run.folder / records.PREDICTIONS).iterdir())) == 1
        assert len(json.loads((voted_run.folder / records.REPLIES).read_text(encoding="utf-8"))) == 3
        assert voted_run.record.usage.paid_read == 0
    assert len({each.record.name for each in (alone, pairs, groups)}) == 3
    assert pairs.record.encoder == {}
    assert "MiniLM" in groups.record.encoder["name"]
    assert main(["runs", str(tmp_path / "runs")]) == 0


def right_but_for_the_second(body, headers, seen):
    """The wall's groups, but the second time that it is asked about: then one clue of each."""
    clues = body["messages"][-1]["content"]
    wall = next(wall for wall in WALLS.walls if all(clue in clues for clue in wall.clues))
    seen[wall.wall_id] = seen.get(wall.wall_id, 0) + 1
    groups = [list(group.clues) for group in wall.groups]
    if seen[wall.wall_id] == 2:
        groups = [list(group) for group in zip(*groups, strict=True)]
    return said("\n".join(", ".join(group) for group in groups))


@pytest.mark.slow
def test_samples_are_replies_of_their_own_that_are_runs_or_vote(tmp_path, capsys):
    seen = {}
    with serve(lambda *each: right_but_for_the_second(*each, seen)) as server:
        one = run(config(tmp_path, server, model_temperature=0.7, model_seed=5, model_concurrency=1))
        assert len(server.bodies) == 3
        made = {"model_temperature": 0.7, "model_seed": 5, "samples": 3, "model_concurrency": 1}
        three = run(config(tmp_path, server, **made))
        assert len(server.bodies) == 9  # the first sample is what one run asks for
        together = run(config(tmp_path, server, **made, vote="groups"))
        both = run(config(tmp_path, server, **made, seeds=2))
        assert len(server.bodies) == 18
        setup = set_up(prepare_language_run(config(tmp_path, server, **made, seeds=2)))
    assert [body["seed"] for body in server.bodies[:9]] == [5, 5, 5, *[6] * 3, *[7] * 3]
    assert [[r.sample for r in requests] for requests in setup.requests] == [[n] * 3 for n in (0, 1, 2) * 2]
    assert [requests[0].messages for requests in setup.requests[:3]] == [setup.requests[0][0].messages] * 3
    assert one.record.metrics["solved_walls"].per_seed == [3.0]
    assert three.record.metrics["solved_walls"].per_seed == [3.0, 0.0, 3.0]
    assert together.record.metrics["solved_walls"].per_seed == [3.0]
    assert both.record.metrics["solved_walls"].per_seed == [3.0, 0.0, *[3.0] * 4]
    assert [each.record.n_seeds for each in (one, three, together, both)] == [1, 3, 1, 6]
    assert len({each.record.name for each in (one, three, together, both)}) == 4
    assert len(json.loads((both.folder / records.REPLIES).read_text(encoding="utf-8"))) == 6
    titles = [title_of(each.record) for each in (one, three, together, both)]
    assert titles[:2] == ["scripted", "scripted, 3 samples"]
    assert titles[2] == "scripted, vote by groups of 3 samples"
    assert heading(both.record).endswith(": 3 walls, 0 examples, 2 orders, 3 samples of each")
    assert heading(together.record).endswith(", 1 order, 3 samples")
    assert [orders_shown(each.record) for each in (one, three, together, both)] == ["1", "1×3", "1", "2×3"]
    sheet = language_sheet(4, [(three.folder, three.record)], dataset="bundled")
    assert "over the orders of the clues and the samples of each" in " ".join(sheet.caption)


def test_connections_have_samples_too(tmp_path):
    names = iter(["Trees", "Cars"] * 3)
    with serve(lambda *_: said(f"a, b, c, d. Connection: {next(names)}")) as server:
        made = {"task": 2, "samples": 2, "limit": 1, "bertscore": "none", "model_temperature": None}
        outcome = run(config(tmp_path, server, **made))
    assert len(server.bodies) == 2
    assert "temperature" not in server.bodies[0]
    assert outcome.record.n_seeds == 2


def test_a_model_on_this_machine_without_a_temperature_has_no_samples(tmp_path):
    made = {"samples": 2, "model_backend": "transformers", "model_temperature": None}
    with pytest.raises(UserError, match="samples=2 are all the same where transformers loads the model"):
        prepare_language_run(config(tmp_path, None, **made))


@pytest.mark.parametrize(
    ("options", "said_of_it"),
    [
        ({"hints": -1}, "hints=-1 is too small"),
        ({"hints": 101}, "hints=101 is too large"),
        ({"hints": 1, "task": 2}, "hints=1 does not apply to task=2"),
        ({"vote": "pairs", "task": 2}, "vote=pairs does not apply to task=2"),
        ({"vote": "all"}, "vote=all is not known"),
        ({"vote": "pairs"}, "needs several replies"),
        ({"samples": 0}, "samples=0 is too small"),
        ({"samples": 5}, r"samples=5 are all the same at model.temperature=0: add model.temperature=0\.7"),
        ({"samples": 6000, "seeds": 6000}, "samples=6000 for each of seeds=6000 are too many"),
        ({"encoder_weight": 1.0}, "does nothing without votes"),
        ({"vote": "pairs", "encoder_weight": -1.0}, "encoder_weight=-1 is too small"),
        ({"hints": 1, "encoder": " "}, "encoder= is empty"),
        ({"hints": 1, "encoder": "no_such"}, "encoder=no_such: .*no_such is not known"),
    ],
)
def test_what_cannot_be_is_said(tmp_path, options, said_of_it):
    with pytest.raises(UserError, match=said_of_it):
        prepare_language_run(config(tmp_path, "http://localhost", **options))


def test_a_template_that_shows_no_hints_is_an_error(tmp_path):
    template = tmp_path / "own.jinja"
    template.write_text("{{ clues | join }}")
    with pytest.raises(UserError, match=r"hints=2, but prompt=.*own.jinja does not show them"):
        prepare_language_run(config(tmp_path, "http://localhost", hints=2, prompt=str(template)))
