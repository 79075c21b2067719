"""All records of a folder, whatever else lies there."""

import json

import pytest
from made_records import made_labels, made_record
from record_writers import INERTIA

from fourfold.errors import UserError
from fourfold.experiments.runs.encoder.files import find_record, list_records, read_record, write_record

NAMES = ["0" * 16, "1" * 16, "2" * 16, "3" * 16]


@pytest.fixture
def out(tmp_path):
    for name in NAMES:
        write_record(tmp_path, made_record(name), made_labels(), INERTIA)
    return tmp_path


def rewritten(folder, **changes):
    path = folder / "record.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def test_damaged_records_are_named_and_the_others_read(out):
    rewritten(out / NAMES[0], n_seeds="many")
    rewritten(out / NAMES[1], schema=1)
    (out / NAMES[2] / "labels.npz").write_bytes(b"PK")
    (out / ".0123.00000000.1.00000000").mkdir()
    (out / "plots").mkdir()
    (out / "notes.txt").touch()
    found = list(list_records(out))
    assert [listed.folder.name for listed in found] == NAMES
    assert [listed.record is None for listed in found] == [True, True, True, False]
    said = ("n_seeds: expected a whole number", "older fourfold", "cut short")
    for listed, what in zip(found[:3], said, strict=True):
        assert what in listed.problem
        assert str(listed.folder) in listed.problem
        assert "\n" not in listed.problem
    assert found[3].record == made_record(NAMES[3])
    assert found[3].problem == ""


def test_a_record_of_an_older_fourfold_is_to_be_run_again(out):
    rewritten(out / NAMES[0], schema=1)
    with pytest.raises(
        UserError, match=r"of an older fourfold: its schema is 1, .*: delete that folder and run again$"
    ):
        read_record(out / NAMES[0])


def test_a_record_under_another_name_is_not_taken_for_it(out):
    (out / NAMES[0]).rename(out / ("4" * 16))
    assert read_record(out / ("4" * 16)).name == NAMES[0]
    with pytest.raises(UserError, match=f"damaged .it is that of {NAMES[0]}"):
        find_record(out, "4" * 16)


def test_a_folder_that_is_none_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    for name in ("file", "missing"):
        with pytest.raises(UserError, match=f"{name} is not a folder of records"):
            list(list_records(tmp_path / name))
    assert list(list_records(tmp_path)) == []
