"""Reading walls: each layout, and for each kind of fault the one line that names it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared_data import ocw_2023_05
from wall_documents import as_ocw, nyt_puzzle, ocw_document, ocw_wall, walls, write

from fourfold.errors import UserError
from fourfold.experiments.data.readers import SPLITS, read_walls
from fourfold.experiments.data.wall import HumanPerformance, Wall


@pytest.fixture
def ocw_folder(tmp_path: Path) -> Path:
    """A folder in the official layout: two walls to train, one to validate, three to test."""
    folder = tmp_path / "ocw"
    folder.mkdir()
    for split, ids in zip(SPLITS, (("t1", "t2"), ("v1",), ("x1", "x2", "x3")), strict=True):
        write(folder / f"{split}.json", ocw_document(*map(ocw_wall, ids)))
    write(folder / "OCW.json", ocw_document(ocw_wall("all")))
    return folder


def ids(walls: tuple[Wall, ...]) -> list[str]:
    return [wall.wall_id for wall in walls]


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


# --- what is sound ---------------------------------------------------------------------------------------


def test_ocw_file(tmp_path: Path) -> None:
    found = read_walls(write(tmp_path / "few.json", ocw_document(ocw_wall("w1"), ocw_wall("w2"))))
    assert found.name == "few"
    assert ids(found.walls) == ["w1", "w2"]
    wall = found.walls[0]
    source = ocw_wall("w1")
    assert wall.clues == tuple(source["words"])
    assert (wall.season, wall.episode) == (3, 7)
    assert [group.clues[0] for group in wall.groups] == ["a1", "b1", "c1", "d1"]
    assert [group.connection for group in wall.groups] == source["gt_connections"]
    assert [group.group_id for group in wall.groups] == ["w1_01", "w1_02", "w1_03", "w1_04"]
    assert [group.human_connection for group in wall.groups] == [1, 0, 1, 0]
    assert wall.truth == tuple("abcd".index(clue[0]) for clue in wall.clues)
    assert found.human_performance() == HumanPerformance(2, 2, 8, 4)


def test_folder_of_splits(ocw_folder: Path) -> None:
    everything = ["t1", "t2", "v1", "x1", "x2", "x3"]
    assert ids(read_walls(ocw_folder).walls) == everything
    assert ids(read_walls(ocw_folder, "all").walls) == everything
    assert ids(read_walls(str(ocw_folder), "validation").walls) == ["v1"]
    assert ids(read_walls(ocw_folder, "test").walls) == ["x1", "x2", "x3"]
    assert read_walls(ocw_folder, "test").name == "ocw-test"
    assert read_walls(ocw_folder, "test", name="mine").name == "mine"
    assert read_walls(ocw_folder).name == "ocw"
    assert ids(read_walls(ocw_folder / "OCW.json", "all").walls) == ["all"]


def test_one_split_is_enough_when_it_is_asked_for(ocw_folder: Path) -> None:
    (ocw_folder / "train.json").unlink()
    assert ids(read_walls(ocw_folder, "test").walls) == ["x1", "x2", "x3"]
    failure(ocw_folder, "ocw", '"train.json" in it', "choose the split validation or test")
    failure(ocw_folder, '"train.json" in it', split="train")


@pytest.mark.parametrize("level", [0, -1, None])
def test_nyt_archive(tmp_path: Path, level: int | None) -> None:
    puzzle = nyt_puzzle(324)
    for answer in puzzle["answers"]:
        answer["level"] = level
    found = read_walls(write(tmp_path / "connections.json", [puzzle, nyt_puzzle(325)]))
    assert ids(found.walls) == ["324", "325"]
    wall = found.walls[0]
    assert wall.clues[:5] == ("A1", "A2", "A3", "A4", "B1")
    assert [group.connection for group in wall.groups] == ["ALL A", "ALL B", "ALL C", "ALL D"]
    assert wall.truth == (0,) * 4 + (1,) * 4 + (2,) * 4 + (3,) * 4
    assert found.human_performance() is None
    assert read_walls(tmp_path / "connections.json", layout="nyt").walls == found.walls


@pytest.mark.parametrize("text", ["8.5", "7.0", "7", "-3", "1e3", "1E+2", "12345678901234567890123", "NaN"])
def test_number_is_read_as_the_file_writes_it(tmp_path: Path, text: str) -> None:
    source = json.dumps(ocw_document(ocw_wall())).replace('"a3"', text)
    (tmp_path / "n.json").write_text(source)
    wall = read_walls(tmp_path / "n.json").walls[0]
    assert wall.groups[0].clues == ("a1", "a2", text, "a4")
    assert wall.clues.count(text) == 1
    assert {type(clue) for clue in wall.clues} == {str}


def test_number_and_its_text_are_the_same_clue(tmp_path: Path) -> None:
    document = ocw_document(ocw_wall())
    document["dataset"][0]["groups"]["group_1"]["gt_words"][2] = 8.5
    words = document["dataset"][0]["words"]
    words[words.index("a3")] = "8.5"
    assert "8.5" in read_walls(write(tmp_path / "n.json", document)).walls[0].clues


def test_repeated_clues_and_odd_characters_are_kept(tmp_path: Path) -> None:
    document = ocw_document(ocw_wall())
    wall = document["dataset"][0]
    for old, new in {
        "a1": "Bask",
        "a2": "Bask",
        "b1": "Glamour",
        "c1": "Glamour",
        "d1": "%",
        "d2": "ñ – ½",
    }.items():
        wall["words"][wall["words"].index(old)] = new
        group = next(g for g in wall["groups"].values() if old in g["gt_words"])
        group["gt_words"][group["gt_words"].index(old)] = new
    found = read_walls(write(tmp_path / "w.json", document)).walls[0]
    assert found.groups[0].clues == ("Bask", "Bask", "a3", "a4")
    by_clue = sorted(zip(found.clues, found.truth, strict=True))
    assert [label for clue, label in by_clue if clue == "Glamour"] == [1, 2]
    assert [label for clue, label in by_clue if clue == "Bask"] == [0, 0]
    assert {"%", "ñ – ½"} <= set(found.clues)


def test_byte_order_mark_is_read(tmp_path: Path) -> None:
    text = json.dumps(ocw_document(ocw_wall()), ensure_ascii=False)
    (tmp_path / "plain.json").write_text(text, encoding="utf-8")
    (tmp_path / "marked.json").write_text(text, encoding="utf-8-sig")
    assert read_walls(tmp_path / "marked.json").walls == read_walls(tmp_path / "plain.json").walls


def test_fingerprint_does_not_depend_on_formatting(tmp_path: Path) -> None:
    document = ocw_document(ocw_wall("w1", "é"), ocw_wall("w2"))
    turned = json.loads(json.dumps(document))
    for wall in turned["dataset"]:
        wall["groups"] = dict(reversed(wall["groups"].items()))
    prints = {
        read_walls(write(tmp_path / "a.json", document)).fingerprint,
        read_walls(write(tmp_path / "b.json", document, indent=4, ensure_ascii=False)).fingerprint,
        read_walls(write(tmp_path / "c.json", document, sort_keys=True, separators=(",", ":"))).fingerprint,
        read_walls(write(tmp_path / "d.json", turned)).fingerprint,
    }
    assert len(prints) == 1


def test_absent_extras_are_no_fault(tmp_path: Path) -> None:
    document = {"dataset": [ocw_wall()]}
    wall = document["dataset"][0]
    for key in ("season", "episode", "gt_connections", "overall_human_performance"):
        del wall[key]
    for group in wall["groups"].values():
        del group["human_performance"], group["group_id"]
    found = read_walls(write(tmp_path / "w.json", document))
    assert found.walls[0].season is None
    assert found.human_performance() is None


# function_scoped_fixture: each example overwrites the one file, so sharing the folder does no harm.
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        walls() | walls(st.sampled_from("abcdefgh")),
        min_size=1,
        max_size=3,
        unique_by=lambda wall: wall.wall_id,
    )
)
def test_round_trip(tmp_path: Path, made: list[Wall]) -> None:
    path = write(tmp_path / "round.json", as_ocw(tuple(made)))
    assert read_walls(path).walls == tuple(made)


# --- what is wrong with a file or folder -----------------------------------------------------------------


def test_missing_file(tmp_path: Path) -> None:
    failure(tmp_path / "absent.json", "absent.json", "no such file")
    failure(tmp_path / "absent", "absent", "no such folder", split="test")


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "two\nlines"])
def test_impossible_path(tmp_path: Path, name: str) -> None:
    failure(f"{tmp_path}/{name}")
    failure(f"{tmp_path}/{name}", split="train")


def test_home_of_nobody() -> None:
    failure("~no-such-user-here/walls.json", "home directory")


def test_folder_without_splits(tmp_path: Path) -> None:
    failure(tmp_path, tmp_path.name, "a folder without JSON files", "train.json", "validation.json")
    write(tmp_path / "OCW.json", ocw_document(ocw_wall()))
    failure(tmp_path, '"OCW.json"', "give the path of the data set's folder or file")
    failure(tmp_path, '"test.json" in it', split="test")


def test_folder_in_place_of_a_split(tmp_path: Path) -> None:
    for split in SPLITS:
        (tmp_path / f"{split}.json").mkdir()
    failure(tmp_path, '"train.json"')


def test_split_of_a_file(ocw_folder: Path) -> None:
    failure(
        ocw_folder / "OCW.json", "OCW.json", 'the split "test"', "give the folder, or no split", split="test"
    )


def test_unknown_split_or_layout(ocw_folder: Path) -> None:
    failure(ocw_folder, "'tset'", '"train", "validation", "test"', split="tset")
    failure(ocw_folder, "'owc'", '"auto", "ocw", "nyt"', layout="owc")


def test_truncated_file(tmp_path: Path) -> None:
    whole = json.dumps(ocw_document(ocw_wall()), indent=1)
    path = tmp_path / "cut.json"
    for length in (1, 40, len(whole) // 2, len(whole) - 1):
        path.write_text(whole[:length])
        line = whole[:length].count("\n") + 1
        message = failure(path, "cut.json", "column", "fetch or copy the file again")
        named = int(message.split(" at line ")[1].split()[0])
        assert abs(named - line) <= 1


def test_faulty_json(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"dataset": [\n  {"wall_id": "w1",}\n]}')
    failure(path, "bad.json", "line 2 column", "correct it there")
    path.write_text('{"dataset": []} {"dataset": []}')
    failure(path, "bad.json", "line 1 column 17")
    path.write_text("[" * 200_000)
    failure(path, "bad.json", "nested")


@pytest.mark.parametrize("content", [b"", b"  \n\t ", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "e.json").write_bytes(content)
    failure(tmp_path / "e.json", "e.json", "an empty file")


def test_not_utf8(tmp_path: Path) -> None:
    text = json.dumps(ocw_document(ocw_wall(prefix="é")), ensure_ascii=False, indent=1)
    path = tmp_path / "enc.json"
    path.write_text(text, encoding="latin-1")
    line = text[: text.index("é")].count("\n") + 1
    failure(path, "enc.json", f"the byte 0xe9 on line {line}", "save the file as UTF-8")
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        path.write_text(text, encoding=encoding)
        failure(path, "enc.json")
    path.write_text(text, encoding="utf-16")
    failure(path, "a file in UTF-16", "save it as UTF-8")


@pytest.mark.parametrize(
    ("document", "part"),
    [
        ({}, "an empty object"),
        ({"walls": []}, '"walls"'),
        ("text", '"text"'),
        (7, "the number 7"),
        (None, "null"),
        ([ocw_wall()], "a bare list of walls"),
    ],
)
def test_unknown_layout(tmp_path: Path, document: object, part: str) -> None:
    failure(write(tmp_path / "odd.json", document), "odd.json", part, '"dataset"', "Connections")


def test_layout_that_is_not_the_file_s(tmp_path: Path) -> None:
    failure(write(tmp_path / "n.json", [nyt_puzzle()]), "n.json", "a list of 1", '"dataset"', layout="ocw")
    failure(write(tmp_path / "o.json", ocw_document(ocw_wall())), "o.json", "a list of puzzles", layout="nyt")


@pytest.mark.parametrize("document", [[], {"dataset": []}])
def test_no_walls(tmp_path: Path, document: object) -> None:
    failure(write(tmp_path / "none.json", document), "none.json", "no walls")


def test_wall_twice(tmp_path: Path, ocw_folder: Path) -> None:
    twice = write(tmp_path / "twice.json", ocw_document(ocw_wall("w1"), ocw_wall("w2"), ocw_wall("w1")))
    failure(twice, "twice.json", "wall w1", "wall_id")
    failure(write(tmp_path / "nyt.json", [nyt_puzzle(5), nyt_puzzle(5)]), "nyt.json", "wall 5", "field id:")
    write(ocw_folder / "test.json", ocw_document(ocw_wall("t2")))
    failure(ocw_folder, "test.json", "wall t2", "train.json")


def test_key_twice(tmp_path: Path) -> None:
    text = json.dumps(ocw_document(ocw_wall("w1")))
    path = tmp_path / "k.json"
    path.write_text(text.replace('"episode": 7', '"season": 7'))
    failure(path, "k.json", "wall number 1", 'the key "season" twice')
    path.write_text(text.replace('"group_2": ', '"group_1": '))
    failure(path, "k.json", "wall w1", "field groups", 'the key "group_1" twice')


# --- what is wrong with a wall ---------------------------------------------------------------------------

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
    failure(path, "faulty.json, wall w2, field ", *parts)


@pytest.mark.parametrize("key", ["words", "groups"])
def test_missing_key_of_an_ocw_wall(tmp_path: Path, key: str) -> None:
    faulty = ocw_wall("w2")
    faulty[key + "_"] = faulty.pop(key)
    path = write(tmp_path / "faulty.json", ocw_document(ocw_wall("w1"), faulty))
    failure(path, f"faulty.json, wall w2, field {key}:", f'"{key}_"', "add it, or correct its spelling")


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
    failure(path, "faulty.json, wall number 2, field wall_id:")
    del faulty["wall_id"]
    failure(write(path, ocw_document(ocw_wall("w1"), faulty)), "faulty.json, wall number 2, field wall_id:")


@pytest.mark.parametrize("wall", [None, "w2", 2, [], {}])
def test_wall_of_another_type(tmp_path: Path, wall: Any) -> None:
    path = write(tmp_path / "faulty.json", ocw_document(ocw_wall("w1"), wall))
    failure(path, "faulty.json, wall number 2")


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
    "answers null": (lambda p: p.update(answers=None), ("field answers:", "null")),
    "answer a list": (lambda p: p["answers"].__setitem__(0, []), ("field answers[0]:", "an empty list")),
    "level 4": (lambda p: p["answers"][0].update(level=4), ("field answers[0].level:", "the number 4")),
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
    failure(path, "archive.json, wall 2, field ", *parts)


@pytest.mark.parametrize("puzzle", [None, "2", {}, {"date": "2024-01-01"}])
def test_nyt_puzzle_without_an_id_is_named_by_its_place(tmp_path: Path, puzzle: object) -> None:
    path = write(tmp_path / "archive.json", [nyt_puzzle(1), puzzle])
    failure(path, "archive.json, wall number 2")


def test_long_and_many_values_are_cut_short(tmp_path: Path) -> None:
    document = {f"key{n}": n for n in range(1000)}
    assert len(failure(write(tmp_path / "k.json", document), "and 992 more")) < 400 + len(str(tmp_path))
    wall = ocw_wall("w1")
    wall["words"][0] = "long " * 1000
    assert len(failure(write(tmp_path / "l.json", ocw_document(wall)), '..."')) < 400 + len(str(tmp_path))


# --- the real walls --------------------------------------------------------------------------------------


def test_the_618_walls() -> None:
    found = read_walls(ocw_2023_05())
    assert found.truth.shape == (618, 16)
    human = found.human_performance()
    assert human is not None
    assert (human.n_walls, human.solved_walls, human.correct_groups) == (618, 357, 1759)
    by_id = {wall.wall_id: wall for wall in found.walls}
    assert sum("8.5" in wall.clues for wall in found.walls) == 1
    assert sum("%" in wall.clues for wall in found.walls) == 1
    repeated = {
        wall.wall_id: {clue for clue in wall.clues if wall.clues.count(clue) > 1} for wall in found.walls
    }
    assert {wall_id: clues for wall_id, clues in repeated.items() if clues} == {
        "654041": {"Bask"},
        "b308e4": {"Glamour"},
    }
    for wall_id in ("654041", "b308e4"):  # this file's words are in the order of their groups
        assert by_id[wall_id].truth == (0,) * 4 + (1,) * 4 + (2,) * 4 + (3,) * 4
