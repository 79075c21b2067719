"""Walls for the tests: small documents in each layout, the failures of reading them, strategies."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from fourfold.errors import UserError
from fourfold.experiments.data.readers import read_walls
from fourfold.experiments.data.wall import Group, Wall


def ocw_wall(wall_id: str = "w1", prefix: str = "") -> dict[str, Any]:
    """A sound wall in the Only Connect layout; its clues are a1 … d4 behind the prefix, shuffled."""
    groups = {
        f"group_{number}": {
            "group_id": f"{wall_id}_0{number}",
            "gt_words": [f"{prefix}{letter}{n}" for n in range(1, 5)],
            "gt_connection": f"All {letter}",
            "human_performance": {"grouping": 1, "connection": number % 2},
        }
        for number, letter in enumerate("abcd", start=1)
    }
    words = [clue for group in groups.values() for clue in group["gt_words"]]
    return {
        "wall_id": wall_id,
        "season": 3,
        "episode": 7,
        "words": [words[(5 * i + 2) % 16] for i in range(16)],
        "gt_connections": [group["gt_connection"] for group in groups.values()],
        "groups": groups,
        "overall_human_performance": {"grouping": [1, 1, 1, 1], "connections": [1, 0, 1, 0]},
    }


def ocw_document(*walls: dict[str, Any]) -> dict[str, Any]:
    """A document in the Only Connect layout."""
    return {"season_to_walls_map": {"3": len(walls)}, "dataset": list(walls)}


def nyt_puzzle(puzzle_id: int = 1) -> dict[str, Any]:
    """A sound puzzle in the Connections layout."""
    return {
        "id": puzzle_id,
        "date": "2024-02-29",
        "answers": [
            {"level": level, "group": f"ALL {letter}", "members": [f"{letter}{n}" for n in range(1, 5)]}
            for level, letter in enumerate("ABCD")
        ],
    }


def newspaper_puzzle(puzzle_id: int = 1) -> dict[str, Any]:
    """A sound puzzle in the newspaper's own layout; its clues are A1 … D4, as ``PLACES`` orders them."""
    return {
        "status": "OK",
        "id": puzzle_id,
        "print_date": "2024-02-29",
        "categories": [
            {
                "title": f"ALL {letter}",
                "cards": [
                    {"content": f"{letter}{n}", "position": PLACES.index(4 * level + n - 1)}
                    for n in range(1, 5)
                ],
            }
            for level, letter in enumerate("ABCD")
        ],
    }


PLACES = [(7 * place + 3) % 16 for place in range(16)]  # the clue at each place of the newspaper's puzzle


def write(path: Path, document: object, **options: Any) -> Path:
    """Write a document as JSON and return its path."""
    path.write_text(json.dumps(document, **options), encoding="utf-8")
    return path


def failure(path: Path | str, *parts: str, **options: Any) -> str:
    """The message of the UserError that reading must raise: one line that holds all the parts."""
    with pytest.raises(UserError) as caught:
        read_walls(path, **options)
    message = str(caught.value)
    assert message.isprintable(), "more than one line, or characters that a terminal would obey"
    assert "expected" in message
    assert ";" in message, "it does not say what to do"
    for part in parts:
        assert part in message
    return message


def as_ocw(walls: tuple[Wall, ...]) -> dict[str, Any]:
    """Walls back in the Only Connect layout."""
    return ocw_document(
        *(
            {
                "wall_id": wall.wall_id,
                "season": wall.season,
                "episode": wall.episode,
                "words": list(wall.clues),
                "gt_connections": [group.connection for group in wall.groups],
                "groups": {
                    f"group_{number}": {
                        "group_id": group.group_id,
                        "gt_words": list(group.clues),
                        "gt_connection": group.connection,
                        "human_performance": {
                            "grouping": group.human_grouping,
                            "connection": group.human_connection,
                        },
                    }
                    for number, group in enumerate(wall.groups, start=1)
                },
            }
            for wall in walls
        )
    )


readable_texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
results = st.sampled_from([None, 0, 1])


@st.composite
def walls(draw: st.DrawFn, clues: st.SearchStrategy[str] = readable_texts) -> Wall:
    """A wall whose clues may repeat, in any order; draw from few `clues` for many repeats."""
    texts = draw(st.lists(clues, min_size=16, max_size=16))
    groups = tuple(
        Group(
            tuple(texts[4 * number : 4 * number + 4]),
            draw(readable_texts),
            f"g{number}",
            draw(results),
            draw(results),
        )
        for number in range(4)
    )
    numbers = st.none() | st.integers(0, 40)
    return Wall(
        draw(readable_texts), tuple(draw(st.permutations(texts))), groups, draw(numbers), draw(numbers)
    )
