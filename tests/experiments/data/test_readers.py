"""Reading walls: each layout, what is sound in it, and files and folders that are not."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared_data import ocw_2023_05
from wall_documents import (
    PLACES,
    as_ocw,
    failure,
    newspaper_puzzle,
    nyt_puzzle,
    ocw_document,
    ocw_wall,
    walls,
    write,
)

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
    absent = ("ocw", '"train.json" in it', "choose the split validation or test")
    failure(ocw_folder, *absent, split="all")
    failure(ocw_folder, *absent, strict=True)
    failure(ocw_folder, '"train.json" in it', split="train")
    without = read_walls(ocw_folder)  # no split is asked for: what is there, and what is not is said
    assert ids(without.walls) == ["v1", "x1", "x2", "x3"]
    assert without.absent == ("train.json",)
    write(ocw_folder / "train.json", ocw_document())
    for split in (None, "all"):
        assert ids(read_walls(ocw_folder, split).walls) == ["v1", "x1", "x2", "x3"]
        assert read_walls(ocw_folder, split).absent == ("train.json",)
    failure(ocw_folder, "train.json", "no walls", split="train")
    (ocw_folder / "train.json").write_bytes(b"")
    assert ids(read_walls(ocw_folder).walls) == ["v1", "x1", "x2", "x3"]
    failure(ocw_folder, "train.json", "an empty file", split="train")
    failure(ocw_folder, "train.json", "an empty file", strict=True)


@pytest.mark.parametrize("levels", [range(4), range(1, 5), [-1] * 4, [None] * 4])
def test_nyt_archive(tmp_path: Path, levels: Sequence[int | None]) -> None:
    puzzle = nyt_puzzle(324)
    for answer, level in zip(puzzle["answers"], levels, strict=True):
        answer["level"] = level
    found = read_walls(write(tmp_path / "connections.json", [puzzle, nyt_puzzle(325)]))
    assert ids(found.walls) == ["324", "325"]
    wall = found.walls[0]
    assert wall.clues[:5] == ("A1", "A2", "A3", "A4", "B1")
    assert [group.connection for group in wall.groups] == ["ALL A", "ALL B", "ALL C", "ALL D"]
    assert wall.truth == (0,) * 4 + (1,) * 4 + (2,) * 4 + (3,) * 4
    assert found.human_performance() is None
    assert read_walls(tmp_path / "connections.json", layout="nyt").walls == found.walls


def test_newspaper_s_own_layout(tmp_path: Path) -> None:
    picture = newspaper_puzzle(2)
    for card in picture["categories"][1]["cards"]:
        card["image_alt_text"] = card.pop("content")
    picture["categories"][0]["cards"][0] |= {"content": "", "image_alt_text": "A1"}
    dated = newspaper_puzzle()
    del dated["id"]
    for category in dated["categories"]:
        for card in category["cards"]:
            card["position"] = 3  # of no use: the clues follow their groups
    found = read_walls(write(tmp_path / "v2.json", [newspaper_puzzle(1), picture, dated, nyt_puzzle(4)]))
    assert ids(found.walls) == ["1", "2", "2024-02-29", "4"]
    in_groups = tuple(f"{letter}{n}" for letter in "ABCD" for n in range(1, 5))
    for wall in found.walls:
        assert [group.connection for group in wall.groups] == ["ALL A", "ALL B", "ALL C", "ALL D"]
        assert tuple(clue for group in wall.groups for clue in group.clues) == in_groups
    assert found.walls[0].clues == found.walls[1].clues == tuple(in_groups[place] for place in PLACES)
    assert found.walls[2].clues == found.walls[3].clues == in_groups


RECORDS = {"ocw": ocw_wall, "nyt": nyt_puzzle, "newspaper": newspaper_puzzle}


@pytest.mark.parametrize("kind", RECORDS)
def test_one_wall_a_list_of_walls_and_json_lines(tmp_path: Path, kind: str) -> None:
    make: Any = RECORDS[kind]
    made = [make("w1"), make("w2")]
    path = tmp_path / "walls.json"
    layout = "ocw" if kind == "ocw" else "nyt"
    expected = read_walls(write(path, made), layout=layout)
    assert ids(expected.walls) == ["w1", "w2"]
    assert read_walls(write(path, made[0])).walls == expected.walls[:1]
    lines = "\r\n".join(map(json.dumps, made)) + "\n\n"
    for name in ("walls.json", "walls.jsonl"):
        (tmp_path / name).write_text(lines, encoding="utf-8-sig")
        assert read_walls(tmp_path / name, layout=layout).walls == expected.walls
    broken = [*lines.splitlines(), "", json.dumps(make("w3"))[:-9], "oops", json.dumps(make("w4"))]
    (tmp_path / "walls.jsonl").write_text("\n".join(broken))
    found = read_walls(tmp_path / "walls.jsonl")
    assert ids(found.walls) == ["w1", "w2", "w4"]
    assert [left_out.wall for left_out in found.left_out] == [
        "line 5 of walls.jsonl",
        "line 6 of walls.jsonl",
    ]
    assert "breaks off" in found.left_out[0].reason
    failure(tmp_path / "walls.jsonl", "line 5", "breaks off", strict=True)


def test_document_with_a_wall_a_line_is_not_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "walls.json"
    path.write_text("[\n" + json.dumps(ocw_wall("w1"))[:-1] + ",\n" + json.dumps(ocw_wall("w2")) + "\n]")
    failure(path, "walls.json", "at line 3 column", "correct it there")


def test_walls_left_out_do_not_change_the_fingerprint(tmp_path: Path) -> None:
    faulty = ocw_wall("w2")
    faulty["words"].pop()
    some = read_walls(write(tmp_path / "some.json", ocw_document(ocw_wall("w1"), faulty)))
    assert (
        some.fingerprint == read_walls(write(tmp_path / "one.json", ocw_document(ocw_wall("w1")))).fingerprint
    )
    assert len(some.left_out) == 1


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
@pytest.mark.slow
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
        ({"word": "a", "group": 1}, '"word", "group"'),
    ],
)
def test_unknown_layout(tmp_path: Path, document: object, part: str) -> None:
    failure(write(tmp_path / "odd.json", document), "odd.json", part, '"dataset"', "Connections")


def test_layout_that_is_not_the_file_s(tmp_path: Path) -> None:
    archive, walls = (
        write(tmp_path / "n.json", [nyt_puzzle()]),
        write(tmp_path / "o.json", ocw_document(ocw_wall())),
    )
    failure(archive, "n.json", "a list of puzzles", '"dataset"', "choose dataset=nyt, ", layout="ocw")
    failure(walls, "o.json", "a list of puzzles", '"dataset"', "choose dataset=ocw, ", layout="nyt")
    odd = write(tmp_path / "odd.json", {"walls": []})  # neither, so that there is nothing to choose
    failure(odd, "odd.json", '"walls"', '"dataset"', "add it, or correct its spelling", layout="ocw")
    failure(odd, "odd.json", '"walls"', "a list of puzzles", layout="nyt")
    bare = write(tmp_path / "bare.json", [ocw_wall()])
    failure(bare, "bare.json", "choose dataset=ocw, ", layout="nyt")


@pytest.mark.parametrize("document", [[], {"dataset": []}])
def test_no_walls(tmp_path: Path, document: object) -> None:
    failure(write(tmp_path / "none.json", document), "none.json", "no walls")


@pytest.mark.parametrize("layout", ["ocw", "nyt"])
def test_an_empty_list_is_of_no_layout(tmp_path, layout):
    failure(write(tmp_path / "none.json", []), "none.json", "no walls", "at least one", layout=layout)


def test_wall_twice(tmp_path: Path, ocw_folder: Path) -> None:
    path = write(tmp_path / "twice.json", ocw_document(ocw_wall("w1"), ocw_wall("w2"), ocw_wall("w1", "x")))
    failure(path, "twice.json", "wall w1", "wall_id", strict=True)
    found = read_walls(path)
    assert found.walls == read_walls(write(path, ocw_document(ocw_wall("w1"), ocw_wall("w2")))).walls
    assert [left_out.wall for left_out in found.left_out] == ["w1"]
    archive = write(tmp_path / "nyt.json", [nyt_puzzle(5), nyt_puzzle(5)])
    failure(archive, "nyt.json", "wall 5", "field id:", strict=True)
    write(ocw_folder / "test.json", ocw_document(ocw_wall("t2"), ocw_wall("x1")))
    failure(ocw_folder, "test.json", "wall t2", "train.json", strict=True)
    assert ids(read_walls(ocw_folder).walls) == ["t1", "t2", "v1", "x1"]


def test_key_twice(tmp_path: Path) -> None:
    text = json.dumps(ocw_document(ocw_wall("w1")))
    path = tmp_path / "k.json"
    path.write_text(text.replace('"episode": 7', '"season": 7'))
    failure(path, "k.json", "wall number 1", 'the key "season" twice')
    path.write_text(text.replace('"group_2": ', '"group_1": '))
    failure(path, "k.json", "wall w1", "field groups", 'the key "group_1" twice')


# --- the real walls --------------------------------------------------------------------------------------


@pytest.mark.slow
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
