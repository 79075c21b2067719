"""A text file is written whole or not at all."""

import os

import pytest

from fourfold.errors import UserError
from fourfold.experiments.files.text_file import check_file, write_text


def test_what_is_there_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "é.md"
    write_text(path, "old\n")
    write_text(path, "né±↓\n")
    assert path.read_bytes() == "né±↓\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UserError, match=r"a\.md cannot be written \(No space left on device\)"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_or_a_place_without_one_is_told_before(tmp_path):
    with pytest.raises(UserError, match="is a folder: name a file in it"):
        check_file(tmp_path)
    with pytest.raises(UserError, match=r"none is not a folder"):
        check_file(tmp_path / "none" / "a.md")
    check_file(tmp_path / "a.md")
    assert not list(tmp_path.iterdir())


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(tmp_path / "pipe", "né\n")
        assert os.read(reader, 100) == "né\n".encode()
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
