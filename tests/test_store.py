"""The store behind vectors and replies: whatever becomes of its file, rows are right or missing."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fourfold.store import Layout, Store

LAYOUT = Layout(1, {"words": "word TEXT PRIMARY KEY, length INTEGER"}, "words", "they are read", "and lost")
WORDS = [f"word {number:04}" for number in range(3000)]


def store(path, said=None, layout=LAYOUT):
    return Store(path, layout, (said if said is not None else []).append)


def put(stored, *words):
    def write(connection):
        connection.executemany("INSERT OR REPLACE INTO words VALUES (?, ?)", [(w, len(w)) for w in words])
        return True

    return stored.write(write, False)


def words_in(stored):
    return stored.read(lambda connection: connection.execute("SELECT * FROM words").fetchall(), [])


def test_what_was_written_is_read_and_reading_makes_no_file(tmp_path):
    path = tmp_path / "deep" / "words.sqlite"
    assert words_in(store(path)) == []
    assert not path.parent.exists()
    assert put(store(path), "jam", "東京")
    assert words_in(store(path)) == [(b"jam", 3), ("東京".encode(), 2)]
    assert [each.name for each in path.parent.iterdir()] == ["words.sqlite"]


def test_an_exception_within_changes_nothing(tmp_path):
    path = tmp_path / "words.sqlite"
    put(store(path), "jam")

    def interrupted(connection):
        connection.execute("DELETE FROM words")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store(path).write(interrupted, None)
    assert len(words_in(store(path))) == 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "words.sqlite"
    put(store(path), *WORDS)
    return path.read_bytes()


def after_damage(path, content):
    """What a damaged file gives, once read and written: its lines, and the rows that are left."""
    path.write_bytes(content)
    said: list[str] = []
    rows = words_in(store(path, said))
    assert {row for row in rows if row[0] in SOUND} <= SOUND.items()
    assert put(store(path, said), "new")
    again: list[str] = []
    rows = dict(words_in(store(path, again)))
    assert rows[b"new"] == 3
    assert again == []
    assert len(set(said)) <= 1
    return said, {word for word in rows if SOUND.get(word) == rows[word]}


SOUND = {word.encode(): len(word) for word in WORDS}


@pytest.mark.parametrize("length", [0, 1, 99, 100, 5000, 32_768, 65_536, 100_000, -1, -40_000])
def test_a_file_cut_short_is_made_anew_with_what_is_left(tmp_path, whole, length):
    said, left = after_damage(tmp_path / "words.sqlite", whole[:length])
    # SQLite takes one byte for an empty file, and what is missing at the end of the last page for zeros.
    assert len(said) == (length not in {0, 1, -1})
    assert all("are damaged" in line and "made anew" in line for line in said)
    if length == -1:
        assert len(left) >= len(WORDS) - 1


@pytest.mark.parametrize(
    "place", [0, 16, 18, 20, 28, 44, 56, 59, 62, 100, 103, 32_700, 32_768, 65_536, 65_540]
)
def test_a_flipped_byte_is_noticed_or_changes_no_other_row(tmp_path, whole, place):
    changed = bytearray(whole)
    changed[place] ^= 0x41
    path = tmp_path / "words.sqlite"
    path.write_bytes(changed)
    said: list[str] = []
    rows = words_in(store(path, said))
    assert len({word for word, length in rows if SOUND.get(word) != length}) <= 1
    assert len(said) <= 1
    assert all("damaged" in line or "later version" in line or "cannot read" in line for line in said)


def test_rows_on_both_sides_of_a_damaged_page_are_rescued(tmp_path, whole):
    middle = len(whole) // 65_536 * 32_768
    said, left = after_damage(
        tmp_path / "words.sqlite", whole[:middle] + b"\x55" * 32_768 + whole[middle + 32_768 :]
    )
    assert len(left) > len(WORDS) // 3
    assert f"{len(left):,} rows that can be read" in said[0]


@pytest.mark.parametrize("content", [b"not a database", b"PK\x03\x04" * 5000, bytes(4096)])
def test_a_file_of_another_kind_is_made_anew(tmp_path, content):
    said, left = after_damage(tmp_path / "words.sqlite", content)
    assert left == set()
    assert len(set(said)) == 1


def test_a_file_of_a_later_version_is_left_alone(tmp_path):
    path = tmp_path / "words.sqlite"
    later = Layout(2, {"words": "word TEXT PRIMARY KEY, length INTEGER, more TEXT"}, "", "", "")
    store(path, layout=later).write(lambda c: c.execute("INSERT INTO words VALUES ('jam', 3, 'x')"), None)
    before, said = path.read_bytes(), []
    stored = store(path, said)
    assert words_in(stored) == []
    assert not put(stored, "new")
    assert path.read_bytes() == before
    assert said == [
        f"{path} is of a later version of fourfold: they are read",
        f"{path} is of a later version of fourfold: and lost",
    ]


def test_a_place_that_cannot_be_written_to_is_said_once(tmp_path):
    (tmp_path / "file").write_text("")
    said: list[str] = []
    stored = store(tmp_path / "file" / "words.sqlite", said)
    assert not put(stored, "a")
    assert not put(stored, "b")
    assert words_in(stored) == []
    assert len(said) == 1
    assert said[0].startswith(f"cannot store words in {tmp_path}")
    assert said[0].endswith(": and lost")


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="nothing is read-only for this user")
def test_a_read_only_store_is_read(tmp_path):  # pragma: no cover
    path = tmp_path / "words.sqlite"
    put(store(path), "jam")
    path.chmod(stat.S_IREAD)
    tmp_path.chmod(stat.S_IREAD | stat.S_IEXEC)
    try:
        assert len(words_in(store(path))) == 1
        assert not put(store(path), "new")
    finally:
        tmp_path.chmod(stat.S_IRWXU)


@pytest.mark.parametrize("room", [0, 4096, 100_000])
def test_41_a_full_disk_loses_what_is_new_alone(tmp_path, room):
    resource = pytest.importorskip("resource")  # a file that may not grow is as good as a full disk
    path, said = tmp_path / "words.sqlite", []
    put(store(path), "jam")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        stored = store(path, said)
        assert not put(stored, *WORDS)
        assert not put(stored, *WORDS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(said) == 1
    assert said[0].startswith(f"cannot store words in {path}")
    assert words_in(store(path)) == [(b"jam", 3)]
    assert put(store(path), *WORDS)


def test_a_store_that_stays_busy_is_waited_for_once(tmp_path, monkeypatch):
    monkeypatch.setattr("fourfold.store._PATIENCE", 0.05)
    path, said = tmp_path / "words.sqlite", []
    put(store(path), "jam")
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    stored = store(path, said)
    assert not put(stored, "new")
    monkeypatch.setattr("fourfold.store._PATIENCE", 1000.0)
    assert not put(stored, "newer")
    assert words_in(stored) == []
    held.close()
    assert said == [f"cannot store words in {path} (database is locked): and lost"]


MANY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_store import put, store
for number in range(40):
    assert put(store(Path(sys.argv[2])), f"{sys.argv[3]} {number}")
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_processes_and_threads_write_side_by_side_and_a_killed_one_leaves_all_whole(tmp_path):
    path = tmp_path / "words.sqlite"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, str(Path(__file__).parent), str(path), str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(2)
    ]  # fmt: skip
    threads = [
        threading.Thread(target=lambda n=n: [put(store(path), f"t{n} {m}") for m in range(20)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.stdout.readline() for process in processes] == ["done\n"] * 2
    processes[0].send_signal(signal.SIGKILL)
    for process in processes:
        process.communicate("")
    said: list[str] = []
    assert len(words_in(store(path, said))) == 2 * 40 + 4 * 20
    assert said == []


def test_what_was_half_written_by_a_killed_process_is_taken_back(tmp_path):
    path = tmp_path / "words.sqlite"
    put(store(path), "jam")
    die = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1'); c.execute('BEGIN')\n"
        "c.executemany('INSERT INTO words VALUES (?, 1)', [(str(n) * 9,) for n in range(30000)])\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", die, str(path)], check=False)
    assert path.with_name("words.sqlite-journal").exists()
    said: list[str] = []
    assert words_in(store(path, said)) == [(b"jam", 3)]
    assert said == []
