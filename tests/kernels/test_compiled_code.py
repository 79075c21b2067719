"""Machine code in the user's cache: whatever becomes of its files, results are right and of these sources."""

from __future__ import annotations

import errno
import logging
import os
import re
import secrets
import shutil
import threading
from pathlib import Path

import numba
import numpy as np
import pytest
from python_processes import PACKAGE, finish, start_python, without_root_rights

from fourfold.kernels import compiled_code
from fourfold.kernels.jit import KERNELS, kernel

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def add_three(x):
    return x + 3


def twice(x):
    return 2 * x


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache, as in a new process."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "numba"))
    monkeypatch.setattr(compiled_code, "_FAILED", [])
    monkeypatch.setattr(compiled_code, "_DAMAGED", [])
    monkeypatch.setattr(compiled_code, "_WAIT", compiled_code._Wait())
    n_kernels = len(KERNELS)
    yield compiled_code.code_folder()
    del KERNELS[n_kernels:]


def call(function=add_three, argument=4):
    """What a new process has of ``function``: its result, and whether its code was in the cache."""
    compiled = kernel(function)
    return compiled(argument), sum(compiled.stats.cache_hits.values()) == 1


def words(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.slow
def test_each_type_of_argument_is_compiled_once(folder, caplog):
    matrix = np.ones((2, 3))
    frozen = matrix.copy()
    frozen.setflags(write=False)
    arguments = [4, 4.0, matrix, matrix.astype("f4"), matrix.T, matrix[:, ::2], frozen, np.ones(3)]
    for stored in (False, True):
        for argument in arguments:
            result, hit = call(argument=argument)
            np.testing.assert_array_equal(result, argument + 3)
            assert hit == stored
    assert len(list(folder.iterdir())) == len(arguments)
    assert not words(caplog)


@pytest.mark.slow
def test_nothing_is_written_beside_the_sources(tmp_path):
    package = tmp_path / "fourfold"
    ignored = shutil.ignore_patterns("__pycache__", "experiments", "embeddings", "conf")
    shutil.copytree(PACKAGE, package, ignore=ignored)
    code = (
        "import sys; sys.dont_write_bytecode = True\n"
        "from fourfold.kernels.rng import uniform_pair; uniform_pair(1, 2, 3)"
    )
    env = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": "", "FOURFOLD_CACHE": str(tmp_path / "cache")}
    before = sorted(package.rglob("*"))
    finish(start_python(code, env))
    assert sorted(package.rglob("*")) == before
    (kept,) = (tmp_path / "cache" / "compiled").iterdir()
    assert {path.name.split("-")[0] for path in kept.iterdir()} == {"rng.uniform_pair", "rng.philox"}


def emptied(content):
    return b""


def halved(content):
    return content[: len(content) // 2]


def header_alone(content):
    return content[:64]


def random(content):
    return secrets.token_bytes(len(content))


def longer(content):
    return content + b"\0"


def one_bit(place):
    def flipped(content):
        at = int(place * (len(content) - 1))
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    return flipped


@pytest.mark.parametrize(
    "damage", [emptied, halved, header_alone, random, longer, *map(one_bit, (0, 0.002, 0.5, 1))]
)
def test_26_a_damaged_file_is_compiled_anew(damage, folder, caplog):
    for function in (add_three, twice):
        call(function)
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    for path, content in whole.items():
        path.write_bytes(damage(content))
    assert call(add_three) == (7, False)
    assert call(twice) == (8, False)
    (word,) = words(caplog)  # one, however many files are damaged
    assert re.search(r"add_three.*\.code cannot be used \(.*checksum.*made anew", word)
    assert "\n" not in word
    assert call(add_three) == (7, True)
    assert call(twice) == (8, True)


def test_26_a_file_that_cannot_be_read_is_done_without(folder, caplog):
    call()
    (path,) = folder.iterdir()
    path.unlink()
    path.mkdir()
    assert call() == (7, False)
    assert len(words(caplog)) == 2  # that it cannot be read, and not be replaced
    assert call() == (7, False)


def test_code_of_other_sources_is_not_used(folder, caplog, monkeypatch):
    now = compiled_code._MADE_FROM
    monkeypatch.setattr(compiled_code, "_MADE_FROM", b"of another version, 32 bytes of.")
    monkeypatch.setattr(compiled_code, "_made_from", lambda: compiled_code._MADE_FROM)
    call()
    assert call() == (7, True)
    monkeypatch.setattr(compiled_code, "_MADE_FROM", now)
    assert call() == (7, False)
    assert call() == (7, True)  # it took the old one's place
    assert len(list(folder.iterdir())) == 1
    assert not words(caplog)


def test_code_is_not_stored_once_the_sources_were_replaced(folder, monkeypatch):
    monkeypatch.setattr(compiled_code, "_made_from", lambda: b"what an upgrade has just put there..")
    assert call() == (7, False)
    assert not folder.exists()


def test_the_sources_and_versions_are_what_code_is_made_from(monkeypatch, tmp_path):
    made_from = compiled_code._made_from
    assert made_from() == compiled_code._MADE_FROM
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert made_from() != compiled_code._MADE_FROM
    monkeypatch.undo()
    copy = Path(shutil.copytree(compiled_code._SOURCES, tmp_path / "kernels"))
    monkeypatch.setattr(compiled_code, "_SOURCES", copy)
    assert made_from() == compiled_code._MADE_FROM
    (copy / "rng.py").write_text((copy / "rng.py").read_text() + "\n")
    assert made_from() != compiled_code._MADE_FROM
    monkeypatch.setattr(compiled_code, "_SOURCES", tmp_path / "absent")
    assert made_from() is None  # without sources nothing would tell new code from old: none is stored
    monkeypatch.setattr(compiled_code, "_MADE_FROM", None)
    assert call() == call() == (7, False)


def test_41_a_disk_that_is_full_in_the_middle(folder, caplog):
    resource = pytest.importorskip("resource")  # a file that may not grow is as good as a full disk
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        assert call(add_three) == (7, False)
        assert call(twice) == (8, False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    (word,) = words(caplog)
    assert str(folder) in word
    assert os.strerror(errno.EFBIG) in word
    assert "NUMBA_CACHE_DIR" in word
    assert not list(folder.iterdir())  # nothing half-written
    assert call(add_three) == (7, False)


def test_12_a_folder_that_cannot_be_made_and_a_user_without_a_home(tmp_path, caplog, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "file" / "cache"))
    assert call() == (7, False)
    assert "FOURFOLD_CACHE" in words(caplog)[0]
    assert compiled_code.why_not_stored() == words(caplog)[0]

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("fourfold.cache_folder._folder", no_home)
    compiled_code._FAILED.clear()
    assert call() == (7, False)
    assert "no home folder" in words(caplog)[1]


SMALL = """
import numpy as np
from fourfold.kernels.rng import uniform_pair
from fourfold.kernels.distances import distances_from_gram
d = np.empty((3, 3)); distances_from_gram(np.eye(3), d)
print(uniform_pair(np.uint64(1), 2, 3), d.tolist())
"""


@pytest.mark.slow
def test_12_read_only_package_and_home(tmp_path):
    command = without_root_rights()
    package = tmp_path / "packages" / "fourfold"
    ignored = shutil.ignore_patterns("__pycache__", "experiments", "embeddings", "conf")
    shutil.copytree(PACKAGE, package, ignore=ignored)
    folders = [p for p in (tmp_path / "packages").rglob("*") if p.is_dir()] + [tmp_path / "packages"]
    for folder in folders:
        folder.chmod(0o555)
    env = {
        "PYTHONPATH": str(package.parent),
        "HOME": str(package),
        "NUMBA_CACHE_DIR": "",
        "FOURFOLD_CACHE": "",
    }
    try:
        process = start_python(SMALL, env, command)
        printed, said = process.communicate(timeout=240)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert process.returncode == 0, said
    assert printed == finish(start_python(SMALL)) + "\n"
    (line,) = said.splitlines()
    assert "cannot be stored" in line


def test_13_several_processes_start_on_an_empty_cache(tmp_path):
    # The small kernels only: it is the cache that the processes could damage, and they compile fast.
    processes = [start_python(SMALL, {"NUMBA_CACHE_DIR": str(tmp_path)}) for _ in range(6)]
    assert len({finish(process) for process in processes}) == 1
    (folder,) = tmp_path.iterdir()
    stored = list(folder.iterdir())
    assert {path.suffix for path in stored} == {".code"}
    assert all(compiled_code._read(path) is not None for path in stored)


@pytest.mark.parametrize("patience", [0.0, 60.0])
@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING])
def test_only_a_wait_is_worth_a_word(patience, level, caplog, monkeypatch):
    monkeypatch.setattr(compiled_code, "_PATIENCE", patience)
    with caplog.at_level(level, "fourfold"):
        call(add_three)
        call(twice)
        call(twice, 1.0)
        assert sum(isinstance(thread, threading.Timer) for thread in threading.enumerate()) == 0
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == (patience == 0 and level == logging.INFO)
    assert all("once" in line and "fourfold warmup" in line for line in said)


def test_a_stored_kernel_needs_no_word(caplog, monkeypatch):
    call()
    monkeypatch.setattr(compiled_code, "_PATIENCE", 0.0)
    with caplog.at_level(logging.INFO, "fourfold"):
        assert call() == (7, True)
    assert not caplog.records


def test_temporary_files_of_killed_processes_go(folder):
    call()
    old, new = (folder / f".{name}.part" for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    call(twice)
    assert (old.exists(), new.exists()) == (False, True)


def test_flushing_removes_a_kernels_own_files(folder):
    call()
    (path,) = folder.iterdir()
    assert path.name.startswith("test_compiled_code.add_three-")
    kernel(twice)._cache.flush()
    assert path.exists()
    kernel(add_three)._cache.flush()
    assert not path.exists()
