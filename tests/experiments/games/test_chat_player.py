"""Conversations with scripted models: what they are told, and what their games come to."""

import json

import pytest
from chat_server import refused, said, serve

from fourfold.conf.llm_schema import LanguageModelConfig, LanguageRunConfig
from fourfold.conf.play_schema import GameConfig
from fourfold.conf.schema import DatasetConfig
from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.data.wall import WallSet
from fourfold.experiments.games.chat_player import read_guess
from fourfold.experiments.games.play import play_language_model
from fourfold.experiments.llm.retries import Retries
from fourfold.experiments.runs.game import record as records
from fourfold.experiments.tasks.hints import view_walls, wall_hints
from fourfold.experiments.terminal.progress import ProgressBars

WALLS = bundled_walls().walls
CLUES = (
    "Oak",
    "Ash",
    "Yew",
    "Elm",
    "one, two",
    "3",
    "Oak",
    "PIG",
    "cow",
    "hen",
    "cat",
    "a",
    "b",
    "c",
    "d",
    "e",
)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def play(tmp_path, server, game=None, **options):
    model = {"name": "scripted", "base_url": getattr(server, "url", server), "timeout": 5.0}
    model |= {key[6:]: options.pop(key) for key in list(options) if key.startswith("model_")}
    config = LanguageRunConfig(
        dataset=DatasetConfig(name="bundled", layout="bundled"),
        model=LanguageModelConfig(**model),
        out=str(tmp_path / "runs"),
        **options,
    )
    rules = game or GameConfig(limit=3)
    return play_language_model(config, rules, ProgressBars(shown=False), Retries(attempts=1))


def wall_of(body):
    question = next(each["content"] for each in body["messages"] if each["role"] == "user")
    clues = question.rpartition("Clues:")[2]
    return next(wall for wall in WALLS if all(clue in clues for clue in wall.clues))


def swapped(wall, first=0, second=1):
    one, two = wall.groups[first].clues, wall.groups[second].clues
    return ", ".join([two[0], *one[1:]])


def line(wall, group):
    return ", ".join(wall.groups[group].clues)


def following(*script):
    """A model whose n-th answer is what the n-th function says of the wall; the last one goes on."""

    def answer(body, headers):
        turn = sum(each["role"] == "assistant" for each in body["messages"])
        return said(script[min(turn, len(script) - 1)](wall_of(body)))

    return answer


def verdicts(played):
    games = json.loads((played.folder / records.GAMES).read_text(encoding="utf-8"))
    return [[guess["verdict"] for guess in game["guesses"]] for game in games]


RIGHT = [lambda wall, group=group: line(wall, group) for group in range(4)]


@pytest.mark.slow
def test_thoughts_that_run_out_of_tokens_are_no_guess(tmp_path):
    def answer(body, headers):
        thought = "Okay, let me think.\nMaybe these belong together:\n"
        return said(thought + line(wall_of(body), 0), finish="length")

    with serve(answer) as server:
        played = play(tmp_path, server, GameConfig(limit=1))
    assert set(verdicts(played)[0]) == {"void"}
    assert set(played.record.groups) == {0}


def test_games_are_played_anew_where_replies_are_read_otherwise(tmp_path, monkeypatch):
    with serve(following(*RIGHT)) as server:
        first = play(tmp_path, server, GameConfig(limit=1))
        monkeypatch.setattr("fourfold.experiments.games.play.READING", -1)
        again = play(tmp_path, server, GameConfig(limit=1))
    assert again.fresh
    assert again.record.name != first.record.name
    assert len(server.bodies) == 3  # their replies are kept


def test_whoever_knows_all_needs_three_guesses(tmp_path):
    with serve(following(*RIGHT)) as server:
        played = play(tmp_path, server)
        again = play(tmp_path, server)
    assert len(server.bodies) == 9
    assert played.record.solved == [0, 0, *[3] * 18]
    assert played.record.groups == [3, 6, *[12] * 18]
    assert played.record.ended == {"solved": 3, "lives": 0, "guesses": 0}
    assert (played.record.wrong, played.record.void) == (0, 0)
    assert played.record.usage.read == 63
    assert not again.fresh
    assert again.record == played.record


@pytest.mark.slow
def test_a_model_is_told_what_its_guess_was(tmp_path):
    script = following(
        swapped, swapped, lambda _: "I do not know.", RIGHT[0], swapped, RIGHT[1],
        lambda wall: swapped(wall, 2, 3), lambda wall: swapped(wall, 2, 3), RIGHT[3],
    )  # fmt: skip
    with serve(script) as server:
        played = play(tmp_path, server, GameConfig(limit=1, one_away=True))
    last = server.bodies[-1]["messages"]
    told = [each["content"].partition("\n")[0] for each in last if each["role"] == "user"][1:]
    assert told == [
        "Wrong, but one away: three of these clues belong together.",
        "You have guessed that before, and it is wrong.",
        "That is no guess: name four different clues of those that are left.",
        "Right.",
        "That is no guess: name four different clues of those that are left.",
        "Right.",
        "Wrong, but one away: three of these clues belong together. 2 lives left.",
        "You have guessed that before, and it is wrong. 2 lives left.",
    ]
    left = last[-1]["content"].partition("Clues that are left: ")[2].partition("\n")[0]
    assert sorted(left.split(", ")) == sorted([*WALLS[0].groups[2].clues, *WALLS[0].groups[3].clues])
    assert verdicts(played) == [
        ["one away", "void", "void", "right", "void", "right", "one away", "void", "right"]
    ]
    assert played.record.ended["solved"] == 1
    assert (played.record.wrong, played.record.void) == (2, 4)


@pytest.mark.slow
def test_lives_end_a_game_and_guesses_do(tmp_path):
    wrong = [lambda wall, place=place: swapped(wall, *place) for place in ((0, 1), (0, 2), (0, 3), (1, 0))]
    with serve(following(*wrong, *RIGHT)) as server:
        nyt = play(tmp_path, server, GameConfig(limit=2, lives=4, free_groups=0, one_away=True))
        short = play(tmp_path, server, GameConfig(limit=2, guesses=5))
    assert verdicts(nyt) == [["one away"] * 4] * 2
    assert nyt.record.ended == {"solved": 0, "lives": 2, "guesses": 0}
    assert verdicts(short) == [["wrong"] * 4 + ["right"]] * 2
    assert short.record.ended == {"solved": 0, "lives": 0, "guesses": 2}
    assert (short.record.solved, short.record.groups) == ([0] * 5, [0, 0, 0, 0, 2])


def test_a_game_that_was_stopped_goes_on_where_it_was(tmp_path):
    sound, asked = following(*RIGHT), []

    def failing(body, headers):
        turn = sum(each["role"] == "assistant" for each in body["messages"])
        asked.append(turn)
        broken = turn == 1 and wall_of(body) is WALLS[1] and len(asked) < 7
        return refused(400, "broken") if broken else sound(body, headers)

    with serve(failing) as server:
        with pytest.raises(UserError, match=r"1 of 3 requests failed: .*broken \(wall .*5 replies are kept"):
            play(tmp_path, server)
        assert not (tmp_path / "runs").exists()
        assert len(server.bodies) == 6
        played = play(tmp_path, server)
    assert len(server.bodies) == 6 + 1 + 3
    assert played.record.solved[2] == 3


@pytest.mark.slow
def test_a_small_model_behind_a_server_and_here_play_the_same_games(tmp_path, served):
    game = GameConfig(limit=2, guesses=3)
    settings = {"model_name": str(served.folder), "model_max_tokens": 8}
    behind = play(tmp_path, served.url, game, **settings, model_timeout=60.0)
    here = play(tmp_path, None, game, **settings, model_device="cpu", model_timeout=1.0)
    games = [json.loads((each.folder / records.GAMES).read_text(encoding="utf-8")) for each in (behind, here)]
    assert games[0] == games[1]
    assert here.record.model["backend"] == "transformers"
    assert here.record.ended["guesses"] == 2


def proposals(message):
    """The proposals in a question, as they stand there and as sets of groups."""
    text = message["content"].partition("Proposal 1")[2].partition("\n\nGuess:")[0]
    shown = [part.partition(":\n")[2].split("\n") for part in text.split("\n\n")]
    return text, [{frozenset(line.split(", ")) for line in lines} for lines in shown]


@pytest.mark.slow
def test_hints_are_shown_first_and_anew_with_each_verdict(tmp_path):
    found = []

    def answer(body, headers):
        """Nothing at first, then the first group that the engine proposes, then the truth."""
        wall = wall_of(body)
        turn = sum(each["role"] == "assistant" for each in body["messages"])
        shown = proposals([each for each in body["messages"] if each["role"] == "user"][-1])
        found.append(shown)
        first = shown[0].partition(":\n")[2].partition("\n")[0]
        return said(["none", first, *(line(wall, group) for group in range(4))][turn])

    game = GameConfig(limit=1, order=3, lives=1, free_groups=4)
    with serve(answer) as server:
        played = play(tmp_path, server, game, hints=3, encoder="minilm")
        again = play(tmp_path, server, game, hints=3, encoder="minilm")
        n_asked = len(server.bodies)
        other = play(tmp_path, server, game, hints=2, encoder="minilm")
    assert verdicts(played)[0][:2] == ["void", "wrong"]
    assert played.record.solved[-1] == 1
    texts, first = [text for text, _ in found[:n_asked]], found[0][1]
    walls = WallSet("bundled", WALLS[:1])
    (hints,) = wall_hints(view_walls("minilm", walls, "true", ProgressBars(shown=False)), walls, 3, 3)
    assert first == [{frozenset(group) for group in hint.groups} for hint in hints]
    assert texts[1] == texts[0]  # which tells nothing new, in the template's form
    guess = json.loads((played.folder / records.GAMES).read_text(encoding="utf-8"))[0]["guesses"][1]
    wrong = frozenset(guess["clues"])
    assert any(wrong in partition for partition in first)
    for _, later in found[2:n_asked]:
        assert not any(wrong in partition for partition in later)
    left = {clue for group in WALLS[0].groups[1:] for clue in group.clues}
    assert all(set().union(*partition) == left for partition in found[3][1])
    assert not again.fresh
    assert other.record.name != played.record.name
    assert played.record.title == "scripted, 3 hints by minilm"
    assert "MiniLM" in played.record.encoder["name"]
    assert records.read_play_record(played.folder) == played.record


def test_without_hints_a_question_has_no_word_of_them(tmp_path):
    with serve(following(*RIGHT)) as server:
        played = play(tmp_path, server, GameConfig(limit=1))
    assert not any("propos" in each["content"].lower() for each in server.bodies[-1]["messages"])
    assert played.record.encoder == {}


def test_a_template_that_shows_no_hints_is_an_error(tmp_path):
    template = tmp_path / "own.jinja"
    template.write_text("{{ clues | join }}")
    with pytest.raises(UserError, match=r"hints=2, but prompt=.*own.jinja does not show them"):
        play(tmp_path, None, hints=2, prompt=str(template))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Oak, Ash, Yew, Elm", (0, 1, 2, 3)),
        ("Guess: **Oak, Ash, Yew, Elm**", (0, 1, 2, 3)),
        ("<think>Oak, Ash, Yew, cow?</think>\n1. oak, ash, yew, elm", (0, 1, 2, 3)),
        ('{"groups": [["Oak", "Ash", "Yew", "Elm"]]}', (0, 1, 2, 3)),
        ("- Oak\n- Ash\n- Yew\n- Elm", (0, 1, 2, 3)),
        ("Oak, Oak, Ash, one, two", (0, 1, 4, 6)),
        ("PIG, cow, hen, cat\nOak, Ash, Yew, Elm", (7, 8, 9, 10)),
        ("Oak, Ash, Yew", (0, 1, 2)),
        ("Oak, Ash, Yew, Beech", (0, 1, 2)),
        ("Oak, Ash, Yew, Elm, cat", ()),
        ("", ()),
        ("no idea", ()),
    ],
)
def test_a_guess_is_read_as_people_write_it(reply, expected):
    assert read_guess(reply, CLUES, range(16)) == expected


def test_clues_that_are_not_left_have_no_place():
    assert read_guess("Oak, Ash, Yew, Elm", CLUES, range(4, 16)) == (6,)
