"""The walls that come with fourfold: sound, solvable in one way, with red herrings, and our own."""

import json
from collections.abc import Callable
from importlib.resources import files
from itertools import groupby, product
from pathlib import Path
from typing import Any

import pytest
from shared_data import ocw_2023_05

from fourfold.experiments.data.readers import bundled_walls, read_walls
from fourfold.experiments.data.wall import Wall

SOURCE: list[dict[str, Any]] = json.loads(
    (files("fourfold.experiments.data") / "bundled.json").read_text(encoding="utf-8")
)["dataset"]
HERRINGS: dict[str, dict[str, str]] = {wall["wall_id"]: wall["red_herrings"] for wall in SOURCE}
WALLS = bundled_walls().walls

every_wall = pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.wall_id)


def folded(texts: tuple[str, ...]) -> set[str]:
    return {text.casefold() for text in texts}


def test_the_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # package data, wherever the process stands
    found = bundled_walls()
    assert found.name == "bundled"
    assert [wall.wall_id for wall in found.walls] == [f"ff{number:02}" for number in range(1, 31)]
    assert found.truth.shape == (30, 16)
    assert found.human_performance() is None


def test_it_is_a_plain_file_of_the_ocw_layout() -> None:
    with (files("fourfold.experiments.data") / "bundled.json").open("rb") as source:
        raw = source.read()
    assert json.loads(raw)["season_to_walls_map"] == {"1": 30}
    path = Path(str(files("fourfold.experiments.data") / "bundled.json"))
    assert read_walls(path).fingerprint == bundled_walls().fingerprint


@every_wall
def test_clues_are_distinct_and_shuffled(wall: Wall) -> None:
    assert len(folded(wall.clues)) == 16
    assert all(clue == clue.strip() for clue in wall.clues)
    assert len(folded(tuple(group.connection for group in wall.groups))) == 4
    longest_run = max(len(list(run)) for _, run in groupby(wall.truth))
    assert longest_run <= 2


@every_wall
def test_at_least_two_red_herrings_that_fit_another_group(wall: Wall) -> None:
    herrings = HERRINGS[wall.wall_id]
    assert len(herrings) >= 2
    own = {clue: group.connection for group in wall.groups for clue in group.clues}
    for clue, other in herrings.items():
        assert other in own.values()
        assert own[clue] != other


@every_wall
def test_red_herrings_leave_one_solution(wall: Wall) -> None:
    own = dict(zip(wall.clues, wall.truth, strict=True))
    connections = [group.connection for group in wall.groups]
    fits = [
        {own[clue], connections.index(HERRINGS[wall.wall_id].get(clue, connections[own[clue]]))}
        for clue in wall.clues
    ]
    solutions = [choice for choice in product(*fits) if all(choice.count(group) == 4 for group in range(4))]
    assert solutions == [wall.truth]


def hides(*words: str) -> Callable[[str], bool]:
    return lambda clue: any(word in clue.lower() for word in words)


def anagram_of(*words: str) -> Callable[[str], bool]:
    return lambda clue: sorted(clue.lower()) in [sorted(word) for word in words]


BY_SPELLING: dict[str, Callable[[str], bool]] = {
    "Hidden drinks": hides("gin", "rum", "ale", "wine"),
    "Hidden numbers": hides("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    "Palindromes": lambda clue: clue.lower() == clue.lower()[::-1],
    "Anagrams of countries": anagram_of("mali", "nepal", "israel", "algeria"),
    "Anagrams of European capitals": anagram_of("oslo", "paris", "rome", "athens"),
    "Animals spelt backwards": lambda clue: clue.lower()[::-1] in {"dog", "wolf", "gnat", "deer"},
    "Put B in front to make a new word": lambda clue: (
        f"b{clue}".lower() in {"brain", "bear", "beagle", "boat"}
    ),
    "Countries without their last letter": lambda clue: any(
        clue == country[:-1] for country in ("China", "Cuba", "Togo", "Chad")
    ),
    "Fruits with a new first letter": lambda clue: any(
        clue[1:] == fruit[1:] for fruit in ("melon", "lemon", "grape", "peach")
    ),
}


@pytest.mark.parametrize("connection", BY_SPELLING)
def test_connections_by_spelling_hold_for_their_four_clues_alone(connection: str) -> None:
    wall = next(wall for wall in WALLS if connection in [group.connection for group in wall.groups])
    group = next(group for group in wall.groups if group.connection == connection)
    assert {clue for clue in wall.clues if BY_SPELLING[connection](clue)} == set(group.clues)


def test_every_kind_of_group_is_there() -> None:
    connections = [group.connection for wall in WALLS for group in wall.groups]
    assert len(set(connections)) == len(connections) == 120
    assert any(connection.startswith("___") for connection in connections)
    assert any(connection.endswith("___") for connection in connections)
    for kind in ("Sound like ", "Hidden ", "Famous ", "Anagrams "):
        assert any(connection.startswith(kind) for connection in connections), kind


@pytest.mark.slow
def test_no_group_is_a_published_one() -> None:
    published = [group for wall in read_walls(ocw_2023_05()).walls for group in wall.groups]
    for wall in WALLS:
        for group in wall.groups:
            for other in published:
                shared = folded(group.clues) & folded(other.clues)
                assert len(shared) <= 2, f"{wall.wall_id} {group.connection}: {sorted(shared)}"


@pytest.mark.slow
def test_no_wall_is_a_published_one() -> None:
    for other in read_walls(ocw_2023_05()).walls:
        for wall in WALLS:
            assert len(folded(wall.clues) & folded(other.clues)) <= 4, (wall.wall_id, other.wall_id)
