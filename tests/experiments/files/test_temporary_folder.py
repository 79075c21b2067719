"""What a killed process left is removed; what is still somebody's is not."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fourfold.experiments.files import temporary_folder
from fourfold.experiments.files.temporary_folder import (
    TemporaryFolder,
    put_unless_there,
    remove_abandoned,
    replace_folder,
)


@pytest.fixture
def gone():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left_by(folder: Path, process: int, monkeypatch) -> Path:
    """A temporary folder as that process would have made it."""
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: process)
        path = TemporaryFolder(folder / "0123").path
    path.mkdir()
    (path / "record.json").write_text("{", encoding="utf-8")
    return path


def test_a_temporary_folder_is_hidden_and_goes_with_its_content(tmp_path):
    with TemporaryFolder(tmp_path / "target") as made:
        (made / "file").touch()
        assert made.name.startswith(".target.")
    assert list(tmp_path.iterdir()) == []


def written(folder: Path, text: str) -> Path:
    (folder / "file").write_text(text, encoding="utf-8")
    return folder


def test_of_two_that_finish_the_same_the_first_stays(tmp_path):
    target = tmp_path / "target"
    for text, first in (("one", True), ("two", False)):
        with TemporaryFolder(target) as made:
            assert put_unless_there(written(made, text), target, "file") is first
    assert [path.read_text(encoding="utf-8") for path in tmp_path.glob("**/file")] == ["one"]


def test_what_is_in_the_way_and_is_no_result_is_an_error(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "other").touch()
    with TemporaryFolder(target) as made, pytest.raises(OSError, match="target"):
        put_unless_there(written(made, "one"), target, "file")
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_a_folder_is_replaced_or_stays(tmp_path, monkeypatch):
    target = tmp_path / "target"
    for text in ("one", "two"):
        with TemporaryFolder(target) as made:
            replace_folder(written(made, text), target)
    rename = Path.rename

    def no_room(path, new):
        if path.name.startswith(".") and not path.name.endswith(".old"):
            raise OSError(28, "No space left on device")
        return rename(path, new)

    with monkeypatch.context() as full, TemporaryFolder(target) as made:
        full.setattr(Path, "rename", no_room)
        with pytest.raises(OSError, match="No space"):
            replace_folder(written(made, "three"), target)
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    assert (target / "file").read_text(encoding="utf-8") == "two"


def test_what_a_killed_process_left_is_removed(tmp_path, monkeypatch, gone):
    left_by(tmp_path, gone, monkeypatch)
    mine = left_by(tmp_path, os.getpid(), monkeypatch)
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == [mine]


def test_what_another_machine_is_writing_stays_for_a_week(tmp_path, monkeypatch, gone):
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(temporary_folder, "machine_name", lambda: "0" * 8)
        theirs = left_by(tmp_path, gone, monkeypatch)
    remove_abandoned(tmp_path)
    assert theirs.exists()
    week_ago = time.time() - 8 * 86_400
    os.utime(theirs, (week_ago, week_ago))
    remove_abandoned(tmp_path)
    assert not theirs.exists()


def test_on_windows_where_asking_for_a_process_would_end_it_only_age_counts(tmp_path, monkeypatch, gone):
    left = left_by(tmp_path, gone, monkeypatch)
    asked = []
    with monkeypatch.context() as windows:
        windows.setattr(temporary_folder.sys, "platform", "win32")
        windows.setattr(os, "kill", lambda *call: asked.append(call))
        remove_abandoned(tmp_path)
        assert left.exists()
        week_ago = time.time() - 8 * 86_400
        os.utime(left, (week_ago, week_ago))
        remove_abandoned(tmp_path)
    assert not left.exists()
    assert asked == []


def test_folders_of_other_names_and_files_stay(tmp_path):
    names = [".hidden", ".git.00000000.1", f".x.{'0' * 8}.99999999999999999999999.{'0' * 8}"]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / f".file.{'0' * 8}.1.{'0' * 8}").touch()
    remove_abandoned(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4
    remove_abandoned(tmp_path / "not there")
