"""Walls with a fault: for each kind, the one line that names file, wall and field, and what is left."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wall_documents import failure, newspaper_puzzle, nyt_puzzle, ocw_document, ocw_wall, write

from fourfold.experiments.data.readers import read_walls

Change = Callable[[dict[str, Any]], object]


def set_clue(new: object) -> Change:
    """Write another value over clue b2, on the wall and in its group alike."""

    def change(wall: dict[str, Any]) -> None:
        wall["words"][wall["words"].index("b2")] = new
        wall["groups"]["group_2"]["gt_words"][1] = new

    return change


def drop_clue(wall: dict[str, Any]) -> None:
    wall["words"].remove("b2")
    wall["groups"]["group_2"]["gt_words"].remove("b2")


FAULTS: dict[str, tuple[Change, tuple[str, ...]]] = {
    "15 clues": (lambda w: w["words"].pop(), ("field words:", "15 clues", "16")),
    "17 clues": (lambda w: w["words"].append("e1"), ("field words:", "17 clues", "16")),
    "15 clues and a group of 3": (drop_clue, ("field words:", "15 clues", "16")),
    "no clues": (lambda w: w.update(words=[]), ("field words:", "0 clues")),
    "words null": (lambda w: w.update(words=None), ("field words:", "null", "a list of 16 clues")),
    "words a text": (lambda w: w.update(words="a1 a2"), ("field words:", '"a1 a2"')),
    "words an object": (lambda w: w.update(words={"a1": 1}), ("field words:", 'an object with "a1"')),
    "group of 3": (
        lambda w: w["groups"]["group_3"]["gt_words"].pop(),
        ("field groups.group_3.gt_words:", "3 clues", "4"),
    ),
    "group of 5": (
        lambda w: w["groups"]["group_3"]["gt_words"].append("c5"),
        ("field groups.group_3.gt_words:", "5 clues", "4"),
    ),
    "3 groups": (lambda w: w["groups"].pop("group_4"), ("field groups:", '"group_1"', '"group_4"')),
    "5 groups": (lambda w: w["groups"].update(group_5={}), ("field groups:", '"group_5"')),
    "no groups": (lambda w: w.update(groups={}), ("field groups:", "no group")),
    "groups a list": (
        lambda w: w.update(groups=list(w["groups"].values())),
        ("field groups:", "a list of 4", "an object of 4 groups"),
    ),
    "group a text": (
        lambda w: w["groups"].update(group_2="b"),
        ("field groups.group_2:", '"b"', "an object"),
    ),
    "clue null": (set_clue(None), ("field words[", "null", "a clue as text")),
    "clue true": (set_clue(True), ("field words[", "true", "a clue as text")),
    "clue a list": (set_clue(["b2"]), ("field words[", "a list of 1")),
    "clue an object": (set_clue({}), ("field words[", "an empty object")),
    "clue empty": (set_clue(""), ("field words[", 'the blank text ""', "a clue that can be read")),
    "clue of blanks": (set_clue(" \t\n"), ("field words[", 'the blank text " \\t\\n"')),
    "clue of a no-break space": (set_clue("\u00a0"), ("field words[", "blank", "\\xa0")),
    "clue of a zero-width space": (set_clue("\u200b"), ("field words[", "blank", "\\u200b")),
    "clue of half a surrogate pair": (set_clue("b\ud800"), ("field words[", "\\ud800", "valid Unicode")),
    "blank clue in a group": (
        lambda w: w["groups"]["group_2"].update(gt_words=["b1", "", "b3", "b4"]),
        ("field groups.group_2.gt_words[1]:", "blank"),
    ),
    "clue spelt in two ways": (
        lambda w: w["groups"]["group_2"].update(gt_words=["b1", "B2", "b3", "b4"]),
        ("field words:", '"b2"', '"B2"'),
    ),
    "clue in two groups but once on the wall": (
        lambda w: w["groups"]["group_2"].update(gt_words=["b1", "a1", "b3", "b4"]),
        ("field words:", '"b2"', '"a1"'),
    ),
    "connection blank": (
        lambda w: w["groups"]["group_1"].update(gt_connection=" "),
        ("field groups.group_1.gt_connection:", "blank", "a connection"),
    ),
    "season a text": (lambda w: w.update(season="three"), ("field season:", '"three"', "whole number")),
    "season a fraction": (lambda w: w.update(season=3.5), ("field season:", "3.5", "whole number")),
    "episode negative": (lambda w: w.update(episode=-1), ("field episode:", "-1", "from 0 up")),
    "episode beyond any": (lambda w: w.update(episode=10**30), ("field episode:", "whole number")),
    "result 2": (
        lambda w: w["groups"]["group_1"]["human_performance"].update(grouping=2),
        ("field groups.group_1.human_performance.grouping:", "the number 2", "from 0 to 1"),
    ),
    "result true": (
        lambda w: w["groups"]["group_1"]["human_performance"].update(connection=True),
        ("field groups.group_1.human_performance.connection:", "true"),
    ),
    "human performance a list": (
        lambda w: w["groups"]["group_1"].update(human_performance=[1, 1]),
        ("field groups.group_1.human_performance:", "a list of 2"),
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_fault_in_an_ocw_wall(tmp_path: Path, kind: str) -> None:
    change, parts = FAULTS[kind]
    faulty = ocw_wall("w2")
    change(faulty)
    path = write(tmp_path / "faulty.json", ocw_document(ocw_wall("w1"), faulty, ocw_wall("w3")))
    failure(path, "faulty.json, wall w2, field ", *parts, strict=True)
    found = read_walls(path)
    assert [wall.wall_id for wall in found.walls] == ["w1", "w3"]
    ((left_out),) = found.left_out
    assert left_out.wall == "w2"
    assert all(part in left_out.reason for part in parts)


@pytest.mark.parametrize("key", ["words", "groups"])
def test_missing_key_of_an_ocw_wall(tmp_path: Path, key: str) -> None:
    faulty = ocw_wall("w2")
    faulty[key + "_"] = faulty.pop(key)
    path = write(tmp_path / "faulty.json", ocw_document(ocw_wall("w1"), faulty))
    failure(
        path,
        f"faulty.json, wall w2, field {key}:",
        f'"{key}_"',
        "add it, or correct its spelling",
        strict=True,
    )


@pytest.mark.parametrize("key", ["gt_words", "gt_connection"])
def test_missing_key_of_an_ocw_group(tmp_path: Path, key: str) -> None:
    faulty = ocw_wall("w2")
    del faulty["groups"]["group_4"][key]
    path = write(tmp_path / "faulty.json", ocw_document(faulty))
    failure(path, f"faulty.json, wall w2, field groups.group_4.{key}:", "no such key")


@pytest.mark.parametrize("wall_id", [None, "", ["w2"], {"id": "w2"}, False])
def test_wall_without_a_usable_id_is_named_by_its_place(tmp_path: Path, wall_id: object) -> None:
    faulty = ocw_wall("w2") | {"wall_id": wall_id}
    path = write(tmp_path / "faulty.json", ocw_document(ocw_wall("w1"), faulty))
    failure(path, "faulty.json, wall number 2, field wall_id:", strict=True)
    del faulty["wall_id"]
    write(path, ocw_document(ocw_wall("w1"), faulty))
    failure(path, "faulty.json, wall number 2, field wall_id:", strict=True)
    assert [each.wall for each in read_walls(path).left_out] == ["wall number 2 of faulty.json"]


@pytest.mark.parametrize("wall", [None, "w2", 2, [], {}])
def test_wall_of_another_type(tmp_path: Path, wall: Any) -> None:
    path = write(tmp_path / "faulty.json", ocw_document(ocw_wall("w1"), wall))
    failure(path, "faulty.json, wall number 2", strict=True)
    assert [each.wall for each in read_walls(path).left_out] == ["wall number 2 of faulty.json"]


@pytest.mark.parametrize("dataset", [None, {}, "walls", 3])
def test_dataset_of_another_type(tmp_path: Path, dataset: object) -> None:
    failure(write(tmp_path / "d.json", {"dataset": dataset}), "d.json, field dataset:", "a list of walls")


NYT_FAULTS: dict[str, tuple[Change, tuple[str, ...]]] = {
    "3 groups": (lambda p: p["answers"].pop(), ("field answers:", "3 groups", "4")),
    "group of 3": (
        lambda p: p["answers"][1]["members"].pop(),
        ("field answers[1].members:", "3 clues", "4"),
    ),
    "no members": (lambda p: p["answers"][1].pop("members"), ("field answers[1].members:", "no such key")),
    "no group": (lambda p: p["answers"][3].pop("group"), ("field answers[3].group:", "no such key")),
    "no answers": (lambda p: p.pop("answers"), ("field answers:", '"id", "date"')),
    "answers empty": (lambda p: p.update(answers=[]), ("field answers:", "0 groups", "4")),
    "answers null": (lambda p: p.update(answers=None), ("field answers:", "null")),
    "answer a list": (lambda p: p["answers"].__setitem__(0, []), ("field answers[0]:", "an empty list")),
    "level 5": (lambda p: p["answers"][0].update(level=5), ("field answers[0].level:", "the number 5")),
    "level a text": (lambda p: p["answers"][0].update(level="easy"), ("field answers[0].level:", '"easy"')),
    "clue empty": (
        lambda p: p["answers"][2]["members"].__setitem__(3, ""),
        ("field answers[2].members[3]:", "blank"),
    ),
    "clue null": (
        lambda p: p["answers"][2]["members"].__setitem__(3, None),
        ("field answers[2].members[3]:", "null"),
    ),
    "connection blank": (lambda p: p["answers"][0].update(group=" "), ("field answers[0].group:", "blank")),
}


@pytest.mark.parametrize("kind", NYT_FAULTS)
def test_fault_in_a_nyt_puzzle(tmp_path: Path, kind: str) -> None:
    change, parts = NYT_FAULTS[kind]
    faulty = nyt_puzzle(2)
    change(faulty)
    path = write(tmp_path / "archive.json", [nyt_puzzle(1), faulty])
    failure(path, "archive.json, wall 2, field ", *parts, strict=True)
    found = read_walls(path)
    assert [wall.wall_id for wall in found.walls] == ["1"]
    assert [left_out.wall for left_out in found.left_out] == ["2"]
    assert all(part in found.left_out[0].reason for part in parts)


NEWSPAPER_FAULTS: dict[str, tuple[Change, tuple[str, ...]]] = {
    "3 categories": (lambda p: p["categories"].pop(), ("field categories:", "3 groups", "4")),
    "category of 3": (lambda p: p["categories"][1]["cards"].pop(), ("field categories[1].cards:", "3 clues")),
    "no title": (lambda p: p["categories"][3].pop("title"), ("field categories[3].title:", "no such key")),
    "title blank": (lambda p: p["categories"][0].update(title=""), ("field categories[0].title:", "blank")),
    "card without a text": (
        lambda p: p["categories"][2]["cards"][3].pop("content"),
        ("field categories[2].cards[3].content:", '"position"'),
    ),
    "card blank": (
        lambda p: p["categories"][2]["cards"][3].update(content=" "),
        ("field categories[2].cards[3].content:", "blank"),
    ),
    "card a text": (
        lambda p: p["categories"][2]["cards"].__setitem__(0, "C1"),
        ("field categories[2].cards[0]:", '"C1"', "an object"),
    ),
}


@pytest.mark.parametrize("kind", NEWSPAPER_FAULTS)
def test_fault_in_a_puzzle_of_the_newspaper(tmp_path: Path, kind: str) -> None:
    change, parts = NEWSPAPER_FAULTS[kind]
    faulty = newspaper_puzzle(2)
    change(faulty)
    path = write(tmp_path / "archive.json", [newspaper_puzzle(1), faulty])
    failure(path, "archive.json, wall 2, field ", *parts, strict=True)
    assert [each.wall for each in read_walls(path).left_out] == ["2"]


@pytest.mark.parametrize("n_walls", [1, 3])
def test_file_in_which_nothing_can_be_used(tmp_path: Path, n_walls: int) -> None:
    faulty = [ocw_wall(f"w{number}") for number in range(n_walls)]
    for wall in faulty:
        wall["words"].pop()
    path = write(tmp_path / "faulty.json", ocw_document(*faulty))
    message = failure(path, "faulty.json, wall w0, field words:", "15 clues")
    assert ("none of its 3 walls can be used" in message) == (n_walls > 1)


@pytest.mark.parametrize("puzzle", [None, "2", {}, {"date": "2024-01-01"}])
def test_nyt_puzzle_without_an_id_is_named_by_its_place(tmp_path: Path, puzzle: object) -> None:
    path = write(tmp_path / "archive.json", [nyt_puzzle(1), puzzle])
    failure(path, "archive.json, wall number 2", strict=True)


def test_long_and_many_values_are_cut_short(tmp_path: Path) -> None:
    document = {f"key{n}": n for n in range(1000)}
    assert len(failure(write(tmp_path / "k.json", document), "and 992 more")) < 400 + len(str(tmp_path))
    wall = ocw_wall("w1")
    wall["words"][0] = "long " * 1000
    wall["wall_id"] = "w" * 1000
    assert len(failure(write(tmp_path / "l.json", ocw_document(wall)), '..."')) < 400 + len(str(tmp_path))
