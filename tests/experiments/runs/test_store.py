"""Records are written whole or not at all, whoever else is writing."""

import multiprocessing
import os
import signal
import stat

import numpy as np
import pytest
from made_records import made_labels, made_record
from record_writers import INERTIA, write_slowly, write_when

from fourfold.errors import UserError
from fourfold.experiments.runs import store as record_store
from fourfold.experiments.runs.encoder.files import find_record, read_labels, read_record, write_record
from fourfold.experiments.runs.store import check_writable


def test_what_is_written_is_found(tmp_path):
    record = made_record()
    assert find_record(tmp_path, record.name) is None
    assert write_record(tmp_path / "deep" / "runs", record, made_labels(), INERTIA)
    out = tmp_path / "deep" / "runs"
    assert find_record(out, record.name) == record
    labels = read_labels(out / record.name)
    assert labels.dtype == np.int8
    np.testing.assert_array_equal(labels, made_labels())
    names = ["files.sha256", "labels.npz", "record.json"]
    assert sorted(path.name for path in (out / record.name).iterdir()) == names
    assert [path.name for path in out.iterdir()] == [record.name]


def test_labels_above_127_keep_their_value(tmp_path):
    labels = made_labels() + 200
    write_record(tmp_path, made_record(), labels, INERTIA)
    np.testing.assert_array_equal(read_labels(tmp_path / made_record().name), labels)


def test_a_record_is_as_readable_as_any_new_folder(tmp_path):
    (tmp_path / "plain").mkdir()
    write_record(tmp_path, made_record(), made_labels(), INERTIA)
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", made_record().name)}
    assert len(modes) == 1


def test_the_first_of_two_records_stays(tmp_path):
    first, second = made_record(platform="first"), made_record(platform="second")
    assert write_record(tmp_path, first, made_labels(), INERTIA)
    assert not write_record(tmp_path, second, made_labels(), INERTIA)
    assert read_record(tmp_path / first.name) == first
    assert [path.name for path in tmp_path.iterdir()] == [first.name]


@pytest.mark.slow
def test_processes_that_write_at_once_leave_one_whole_record(tmp_path):
    context = multiprocessing.get_context("spawn")
    go = context.Event()
    writers = [context.Process(target=write_when, args=(tmp_path, number, go)) for number in range(3)]
    for writer in writers:
        writer.start()
    go.set()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert [path.name for path in tmp_path.iterdir()] == [made_record().name]
    assert read_record(tmp_path / made_record().name).platform in {"0", "1", "2"}


@pytest.mark.slow
def test_a_killed_writer_leaves_no_record_and_the_next_one_writes_it(tmp_path):
    context = multiprocessing.get_context("spawn")
    writing = context.Event()
    writer = context.Process(target=write_slowly, args=(tmp_path, writing))
    writer.start()
    assert writing.wait(60)
    os.kill(writer.pid, signal.SIGKILL)
    writer.join(60)
    assert find_record(tmp_path, made_record().name) is None
    assert write_record(tmp_path, made_record(), made_labels(), INERTIA)
    assert find_record(tmp_path, made_record().name) == made_record()


def test_an_interrupted_writer_cleans_up(tmp_path, monkeypatch):
    def interrupt(file):
        raise KeyboardInterrupt

    monkeypatch.setattr(record_store, "to_disk", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_record(tmp_path, made_record(), made_labels(), INERTIA)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record_store, "to_disk", full)
    with pytest.raises(UserError, match=r"could not be written .No space left on device.: make room"):
        write_record(tmp_path, made_record(), made_labels(), INERTIA)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["record.json", "labels.npz"])
@pytest.mark.parametrize("keep", [0, 0.5])
def test_a_cut_file_is_noticed(tmp_path, name, keep):
    write_record(tmp_path, made_record(), made_labels(), INERTIA)
    path = tmp_path / made_record().name / name
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(UserError, match=r"damaged .*: delete that folder and run again") as caught:
        find_record(tmp_path, made_record().name)
    assert str(path.parent) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_named(tmp_path):
    write_record(tmp_path, made_record(), made_labels(), INERTIA)
    folder = tmp_path / made_record().name
    (folder / "labels.npz").unlink()
    with pytest.raises(UserError, match=r"labels.npz is missing"):
        read_record(folder)
    (folder / "record.json").unlink()
    with pytest.raises(UserError, match=r"is not a record of an encoder: it has no record.json"):
        read_record(folder)
    with pytest.raises(UserError, match="elsewhere is not a folder"):
        read_record(tmp_path / "elsewhere")


def test_labels_that_are_others_are_damage(tmp_path):
    write_record(tmp_path, made_record(), made_labels(), INERTIA)
    folder = tmp_path / made_record().name
    np.savez(folder / "labels.npz", other=np.zeros(3))
    with pytest.raises(UserError, match=r"damaged .labels.npz: .*labels"):
        read_labels(folder)


def test_a_folder_is_checked_without_a_trace(tmp_path):
    check_writable(tmp_path / "not" / "yet" / "there")
    check_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "file", tmp_path / "file" / "runs"):
        with pytest.raises(UserError, match=r"cannot be a folder, since .*file is a file: choose another"):
            check_writable(out)


def test_a_folder_that_takes_no_files_is_refused(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(
        UserError, match=r"cannot be written to .Permission denied.: choose another out=FOLDER"
    ):
        check_writable(tmp_path)


@pytest.mark.parametrize("name", ["record.json", "labels.npz", "files.sha256"])
def test_each_byte_of_a_record_counts(tmp_path, name):
    write_record(tmp_path, made_record(), made_labels(), INERTIA)
    folder = tmp_path / made_record().name
    content = (folder / name).read_bytes()
    for place in range(0, len(content), 17):
        (folder / name).write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(UserError, match="is damaged"):
            read_record(folder)
    (folder / name).write_bytes(content)
    read_record(folder)
    (folder / "files.sha256").unlink()  # as in a record of before there were any
    read_record(folder)


def test_labels_must_be_those_of_the_records_walls_and_runs(tmp_path):
    write_record(tmp_path, made_record(), made_labels(n_walls=1), INERTIA)
    folder = tmp_path / made_record().name
    read_labels(folder)
    with pytest.raises(UserError, match=r"below 16 of shape \(2, 2, 16\), got up to \d+ of \(1, 2, 16\)"):
        read_labels(folder, read_record(folder))
