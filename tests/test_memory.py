"""What the system says of its memory, and what is made of a system that says nothing."""

import os

import pytest

from fourfold import memory


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Files in the place of the system's, which do not exist yet."""
    monkeypatch.setattr(memory, "_MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", (tmp_path / "max", tmp_path / "limit"))
    return tmp_path


def test_this_machine_has_some():
    assert 0 < memory.free_bytes() <= 2**62


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({"meminfo": "MemTotal: 9 kB\nMemAvailable:  2000 kB\n"}, 2000 * 1024),
        ({"meminfo": "MemAvailable: 2000 kB\n", "max": "1000\n"}, 1000),
        ({"meminfo": "MemAvailable: 2000 kB\n", "limit": "1000\n"}, 1000),
        ({"meminfo": "MemAvailable: 2 kB\n", "max": "max\n", "limit": "9223372036854771712"}, 2048),
        ({"meminfo": "MemAvailable:\n"}, 2**20),
        ({}, 2**20),
    ],
)
def test_the_least_that_is_said_counts(system, monkeypatch, files, free):
    monkeypatch.setattr(os, "sysconf", lambda name: 2**10)
    for name, text in files.items():
        (system / name).write_text(text)
    assert memory.free_bytes() == free


def test_a_system_that_says_nothing_is_no_limit(system, monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert memory.free_bytes() == 2**62
