"""``fourfold data randomize``: files and folders in, files and folders out."""

import json
import re

import pytest
from python_processes import finish, start_python, without_root_rights
from wall_documents import nyt_puzzle, ocw_document, ocw_wall, write

from fourfold.experiments.cli import main
from fourfold.experiments.data import derived
from fourfold.experiments.data.randomized import randomize
from fourfold.experiments.data.readers import read_walls

SEED = 1  # eight walls can be made of these ones with it, and with the next
IDS = {"train.json": 4, "validation.json": 4, "test.json": 8}


def some_walls(n_walls, prefix="w"):
    return [ocw_wall(f"{prefix}{number}", prefix=f"{prefix}{number}") for number in range(n_walls)]


@pytest.fixture
def walls(tmp_path):
    return write(tmp_path / "walls.json", ocw_document(*some_walls(8)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ocw").mkdir()
    for name, count in IDS.items():
        write(tmp_path / "ocw" / name, ocw_document(*some_walls(count, name[:2])), indent=1)
    return tmp_path / "ocw"


def complaint(capsys, words):
    assert main(["data", "randomize", *map(str, words)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("fourfold: ")
    assert printed.err.count("\n") == 1
    return printed.err


def test_a_file(walls, tmp_path, capsys):
    out = tmp_path / "new" / "random.json"
    assert main(["data", "randomize", str(walls), str(out), "--seed", str(SEED)]) == 0
    assert capsys.readouterr() == (f"{out}: 8 walls, randomized\n", "")
    document = json.loads(out.read_text(encoding="utf-8"))
    old = json.loads(walls.read_text(encoding="utf-8"))
    assert document["dataset"] == randomize(old["dataset"], SEED)
    assert document["season_to_walls_map"] == old["season_to_walls_map"]
    assert document["provenance"]["seed"] == SEED
    assert document["provenance"]["source"]["fingerprint"] == read_walls(walls).fingerprint
    found = read_walls(out, layout="ocw")
    assert [wall.wall_id for wall in found.walls] == [f"w{number}" for number in range(8)]
    assert list(out.parent.iterdir()) == [out]


def test_the_same_again_is_the_same_file(walls, tmp_path):
    outs = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for out, seed in zip(outs, (SEED, SEED, SEED + 1), strict=True):
        assert main(["data", "randomize", str(walls), str(out), "--seed", str(seed)]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()


def test_the_seed_is_the_papers_unless_one_is_named(tmp_path):
    walls = write(tmp_path / "walls.json", ocw_document(*some_walls(10)))
    outs = [tmp_path / "a.json", tmp_path / "b.json"]
    codes = [main(["data", "randomize", str(walls), str(outs[0])])]
    codes.append(main(["data", "randomize", str(walls), str(outs[1]), "--seed", "42"]))
    assert codes == [0, 0]
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_of_a_folder_the_test_split_alone_is_new(folder, tmp_path, capsys):
    out = tmp_path / "random"
    assert main(["data", "randomize", str(folder), str(out), "--seed", str(SEED)]) == 0
    assert capsys.readouterr().out == (
        f"{out}/train.json: 4 walls, copied as they are\n"
        f"{out}/validation.json: 4 walls, copied as they are\n"
        f"{out}/test.json: 8 walls, randomized\n"
    )
    for name in ("train.json", "validation.json"):
        assert (out / name).read_bytes() == (folder / name).read_bytes()
    assert sorted(path.name for path in out.iterdir()) == sorted(IDS)
    assert len(read_walls(out)) == 16
    old = json.loads((folder / "test.json").read_text(encoding="utf-8"))["dataset"]
    assert json.loads((out / "test.json").read_text(encoding="utf-8"))["dataset"] == randomize(old, SEED)


def test_a_folder_of_the_test_split_is_enough_and_no_other(folder, tmp_path, capsys):
    (folder / "train.json").unlink()
    assert main(["data", "randomize", str(folder), str(tmp_path / "a"), "--seed", str(SEED)]) == 0
    assert len(read_walls(tmp_path / "a", split="test")) == 8
    capsys.readouterr()
    (folder / "test.json").unlink()
    assert '"test.json" in it' in complaint(capsys, [folder, tmp_path / "b"])


def test_what_is_there_is_replaced_on_demand_only(walls, folder, tmp_path, capsys):
    for source, out in ((walls, tmp_path / "out.json"), (folder, tmp_path / "out")):
        words = [source, out, "--seed", SEED]
        assert main(["data", "randomize", *map(str, words)]) == 0
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}
        capsys.readouterr()
        assert "one that is there already" in complaint(capsys, words)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == before
        written = out if out.is_file() else out / "test.json"
        written.write_text("old", encoding="utf-8")
        assert main(["data", "randomize", *map(str, words), "--force"]) == 0
        assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == before
        capsys.readouterr()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_empty_folder_may_be_filled_and_a_strange_one_not_replaced(folder, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    assert main(["data", "randomize", str(folder), str(out), "--seed", str(SEED)]) == 0
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert '"notes.txt"' in complaint(capsys, [folder, out, "--force"])
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_the_walls_that_are_read_are_never_written_over(walls, folder, capsys, force):
    for path in (walls, folder):
        assert "the walls that are read" in complaint(capsys, [path, path, *force])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["IN", "OUT", "--seed", "many"], "invalid int value: 'many'"),
        (["IN", "OUT", "--seed", "-1"], "--seed -1 is too small"),
        (["IN"], "required: OUT"),
        (["/no/such/file", "OUT"], "/no/such/file: got no such file"),
        (["IN", "/dev/null/x"], "/dev/null/x: got .* choose another OUT"),
        (["IN", "."], r"\.: got a folder, expected a file, as .*walls.json is"),
        (["IN", "n" * 300], "File name too long"),
    ],
)
def test_a_mistake_is_one_line(words, said, walls, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"IN": str(walls), "OUT": str(tmp_path / "out.json")}
    assert re.search(said, complaint(capsys, [names.get(word, word) for word in words]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walls.json"]


@pytest.mark.parametrize(
    ("fault", "parts"),
    [
        (lambda w: w["words"].pop(), ("wall w3", "field words", "15 clues")),
        (
            lambda w: w["groups"]["group_3"]["gt_words"].pop(),
            ("wall w3", "field groups.group_3.gt_words", "3 clues"),
        ),
        (lambda w: w.pop("groups"), ("wall w3", "field groups", "no such key")),
    ],
)
def test_a_faulty_wall_is_named(fault, parts, tmp_path, capsys):
    made = some_walls(8)
    fault(made[3])
    path = write(tmp_path / "faulty.json", ocw_document(*made))
    said = complaint(capsys, [path, tmp_path / "out.json", "--strict"])
    assert all(part in said for part in ("faulty.json", *parts))
    assert not (tmp_path / "out.json").exists()
    assert main(["data", "randomize", str(path), str(tmp_path / "out.json"), "--seed", "42"]) == 0
    printed = capsys.readouterr().out
    assert "7 walls, randomized" in printed
    assert "1 wall of the source" in printed
    assert parts[-1] in printed
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert document["dataset"] == randomize(some_walls(3) + some_walls(8)[4:], 42)
    ((left_out),) = document["provenance"]["source"]["left_out"]
    assert parts[-1] in left_out["reason"]


def test_json_lines_and_an_empty_split(folder, tmp_path, capsys):
    lines = tmp_path / "walls.jsonl"
    lines.write_text("\n".join(map(json.dumps, some_walls(8))), encoding="utf-8")
    assert main(["data", "randomize", str(lines), str(tmp_path / "out.json"), "--seed", str(SEED)]) == 0
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert document["dataset"] == randomize(some_walls(8), SEED)
    for empty in (json.dumps(ocw_document()), ""):
        (folder / "train.json").write_text(empty)
        words = ["data", "randomize", str(folder), str(tmp_path / "out"), "--seed", str(SEED), "--force"]
        assert main(words) == 0
        assert "train.json: 0 walls, copied as they are" in capsys.readouterr().out
        assert (tmp_path / "out" / "train.json").read_text() == empty


def test_a_test_split_without_walls_is_refused_whatever_the_other_splits_hold(folder, tmp_path, capsys):
    write(folder / "test.json", ocw_document())
    assert "test.json: got no walls" in complaint(capsys, [folder, tmp_path / "out"])
    assert not (tmp_path / "out").exists()


def test_a_faulty_training_split_is_named(folder, tmp_path, capsys):
    text = (folder / "train.json").read_text(encoding="utf-8")
    (folder / "train.json").write_text(text[:300], encoding="utf-8")
    said = complaint(capsys, [folder, tmp_path / "out"])
    assert "train.json: got a file that breaks off" in said


def test_connections_puzzles_are_another_layout(tmp_path, capsys):
    path = write(tmp_path / "n.json", [nyt_puzzle(1)])
    assert "an archive of Connections puzzles" in complaint(capsys, [path, tmp_path / "out.json"])


def test_a_byte_order_mark_and_numbers(walls, tmp_path):
    text = walls.read_text(encoding="utf-8")
    for number in range(8):  # one clue a wall is a number
        text = text.replace(f'"w{number}d4"', f"{number}.50")
    walls.write_text(text, encoding="utf-8-sig")
    out = tmp_path / "out.json"
    assert main(["data", "randomize", str(walls), str(out), "--seed", str(SEED)]) == 0
    assert {clue for wall in read_walls(out).walls for clue in wall.clues} == {
        clue for wall in read_walls(walls).walls for clue in wall.clues
    }
    text = text.replace(".50", ".5")  # a number that Python writes in the same way stays one
    walls.write_text(text, encoding="utf-8")
    assert main(["data", "randomize", str(walls), str(out), "--seed", str(SEED), "--force"]) == 0
    dataset = json.loads(out.read_text(encoding="utf-8"))["dataset"]
    numbers = [clue for wall in dataset for clue in wall["words"] if isinstance(clue, float)]
    assert len(numbers) == sum(clue.endswith(".5") for wall in read_walls(out).walls for clue in wall.clues)
    assert len(numbers) > 0


def test_a_set_that_cannot_be_made_leaves_nothing(tmp_path, capsys):
    path = write(tmp_path / "few.json", ocw_document(*some_walls(3)))
    assert "few.json: got 3 walls, expected at least 4" in complaint(capsys, [path, tmp_path / "out.json"])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_write_that_stops_leaves_what_was_there(walls, folder, tmp_path, capsys, monkeypatch, error):
    out, file = tmp_path / "out", tmp_path / "out.json"
    for source, target in ((folder, out), (walls, file)):
        assert main(["data", "randomize", str(source), str(target), "--seed", str(SEED)]) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def stop(*_):
        raise error

    monkeypatch.setattr(derived.os, "fsync", stop)
    for source, target in ((folder, out), (walls, file)):
        words = ["data", "randomize", str(source), str(target), "--seed", "2", "--force"]
        assert main(words) == (130 if error is KeyboardInterrupt else 2)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert len(list(tmp_path.iterdir())) == 4


def test_a_folder_that_may_not_be_written_to(walls, tmp_path):
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o555)
    code = (
        "from fourfold.experiments.cli import main\n"
        f"print(main(['data', 'randomize', {str(walls)!r}, {str(shut / 'out.json')!r}, '--seed', '1']))"
    )
    assert finish(start_python(code, command=without_root_rights())) == "2"
    assert list(shut.iterdir()) == []


def test_it_needs_the_base_install_alone(walls, tmp_path):
    hidden = ("torch", "transformers", "hydra", "omegaconf", "rich")
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({hidden}))\n"
        "from fourfold.experiments.cli import main\n"
        f"print(main(['data', 'randomize', {str(walls)!r}, {str(tmp_path / 'o.json')!r}, '--seed', '1']))"
    )
    assert finish(start_python(code)).splitlines()[-1] == "0"
