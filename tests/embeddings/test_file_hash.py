"""Remembered checksums of files: right whatever becomes of the notes."""

import hashlib
import json
import os
import time

import pytest

from fourfold.cache_folder import cache_folder
from fourfold.embeddings import file_hash


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(file_hash, "_REMEMBERED", 0)
    path = tmp_path / "model.bin"
    path.write_bytes(b"weights")
    return path


def computed(path, monkeypatch):
    """The checksum that a new process has, and whether it read the file for it."""
    reads = []
    whole = file_hash._computed
    with monkeypatch.context() as patch:
        patch.setattr(file_hash, "_computed", lambda name: reads.append(name) or whole(name))
        file_hash._sha256.cache_clear()
        return file_hash.file_sha256(path), bool(reads)


def test_a_file_is_read_once_until_it_changes(path, monkeypatch):
    digest = hashlib.sha256(b"weights").hexdigest()
    assert computed(path, monkeypatch) == (digest, True)
    assert computed(path, monkeypatch) == (digest, False)
    path.write_bytes(b"others!")
    os.utime(path, (time.time() + 10,) * 2)
    assert computed(path, monkeypatch) == (hashlib.sha256(b"others!").hexdigest(), True)


def other_digest(content):
    return json.dumps({**json.loads(content), "sha256": "0" * 64}).encode()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-9],
        lambda content: b"[1]",
        lambda content: b"\xff",
        other_digest,
    ],
)
def test_a_damaged_note_is_made_again(path, damage, monkeypatch):
    right = computed(path, monkeypatch)
    (note,) = (cache_folder() / "hashes").iterdir()
    whole = note.read_bytes()
    note.write_bytes(damage(whole))
    assert computed(path, monkeypatch) == right
    assert note.read_bytes() == whole


def test_without_a_place_for_notes_files_are_read_each_time(path, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "file"))
    digest = hashlib.sha256(b"weights").hexdigest()
    assert computed(path, monkeypatch) == computed(path, monkeypatch) == (digest, True)
