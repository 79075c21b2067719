"""Files of word vectors: converted once, by one process at a time, and only if they are whole."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tiny_words
from numpy.testing import assert_array_equal
from tiny_words import KINDS

from fourfold.cache_folder import cache_folder
from fourfold.embeddings import word_files
from fourfold.embeddings.file_hash import file_sha256
from fourfold.embeddings.word_files import read_words, word_digests
from fourfold.errors import UserError
from fourfold.whole_files import locked

pytest.importorskip("gensim", reason="word vectors need the extra 'experiments'")

READ = """
import sys
from pathlib import Path
from fourfold.embeddings.word_files import read_words
table = read_words(Path(sys.argv[1]))
print(table.row("jam"), float(table.vectors[table.row("jam"), 0]))
"""
SOURCE = str(Path(__file__).parents[2] / "src")


def start(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", READ, str(path)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": SOURCE},
    )  # fmt: skip


def never_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*_: object) -> None:
        raise AssertionError("the file is parsed again")

    monkeypatch.setattr(word_files, "_parse", parse)
    monkeypatch.setattr(
        word_files, "file_sha256", lambda file: file_sha256(file) if "words-" in str(file) else parse()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_mapped_into_memory(tmp_path: Path, kind: str) -> None:
    table = read_words(tiny_words.write(tmp_path, kind, tiny_words.vectors()))
    assert isinstance(table.vectors, np.memmap)
    assert not table.vectors.flags.writeable
    assert len(table.rows) == len(tiny_words.WORDS)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "keyed"])
def test_a_file_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path = tiny_words.write(tmp_path, kind, tiny_words.vectors())
    first = read_words(path)
    never_parse(monkeypatch)
    again = read_words(path)
    assert_array_equal(again.vectors, first.vectors)
    assert (again.rows, again.files) == (first.rows, first.files)
    assert word_digests(path) == first.files


def test_a_file_that_changes_is_converted_again(tmp_path: Path) -> None:
    path = tiny_words.write(tmp_path, "headless", tiny_words.vectors())
    before = read_words(path)
    tiny_words.write(tmp_path, "headless", tiny_words.vectors(["jam", "other"], seed=1))
    after = read_words(path)
    assert set(after.rows) == {"jam", "other"}
    assert after.files != before.files
    assert_array_equal(before.vectors[0], tiny_words.vectors()["jam"])  # still mapped


@pytest.mark.parametrize("name", ["vectors.kv", "vectors.kv.vectors.npy", "source.json"])
def test_a_converted_file_that_is_cut_short_is_made_again(tmp_path: Path, name: str) -> None:
    path = tiny_words.write(tmp_path, "headed", tiny_words.vectors())
    before = np.array(read_words(path).vectors)
    (converted,) = (cache_folder() / "words").glob("words-*/")
    whole = (converted / name).read_bytes()
    (converted / name).unlink()
    (converted / name).write_bytes(whole[:20])
    assert_array_equal(read_words(path).vectors, before)
    assert len((converted / name).read_bytes()) == len(whole)


@pytest.mark.slow
def test_two_processes_at_once_convert_once(tmp_path: Path) -> None:
    path = tiny_words.write(tmp_path, "headed", tiny_words.vectors())
    expected = f"0 {float(tiny_words.vectors()['jam'][0])}\n"
    for process in [start(path) for _ in range(2)]:
        assert process.communicate(timeout=60) == (expected, "")
    assert sorted(entry.suffix for entry in (cache_folder() / "words").iterdir()) == ["", ".lock"]


@pytest.mark.slow
def test_a_killed_conversion_leaves_nothing_that_counts(tmp_path: Path) -> None:
    many = {f"w{number}": vector for number, vector in enumerate(np.ones((60_000, 6), dtype=np.float32))}
    path = tiny_words.write(tmp_path, "headless", {**tiny_words.vectors(), **many})
    process = start(path)
    words = cache_folder() / "words"
    limit = time.monotonic() + 30
    while not list(words.glob("*.lock")) and time.monotonic() < limit:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    converted = word_files._converted_folder(path.absolute())
    assert not converted.exists()
    left = converted.with_name(f".{converted.name}.123.abc")  # had it been killed while it wrote
    left.mkdir()
    (left / "vectors.kv").write_bytes(b"half")
    assert len(read_words(path).rows) == len(many) + len(tiny_words.WORDS)
    assert not left.exists()


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from fourfold.whole_files import locked\n"
        "with locked(Path(sys.argv[1])): print('held')"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    with locked(tmp_path / "lock"):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "lock")],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(1)
    assert other.communicate(timeout=60)[0] == "held\n"


DAMAGED = {
    "a line too short": (b"2 3\na 1 2 3\nb 4 5\n", "damaged or cut short .line 3 is .* 3 numbers"),
    "lines that are missing": (b"3 3\na 1 2 3\nb 4 5 6\n", "its header says 3 words, and it holds 2"),
    "lines that the header leaves out": (
        b"1 3\na 1 2 3\nb 4 5 6\nc 7 8 9\n",
        "its header says 1 words, and it holds 3",
    ),
    "a header of other numbers": (b"2 4\na 1 2 3\nb 4 5 6\n", "line 2 is .* a word and 4 numbers"),
    "a header of fewer numbers": (b"2 2\na 1 2 3\nb 4 5 6\n", "line 2 is .* a word and 2 numbers"),
    "a header of no numbers": (b"2 0\na 1 2 3\nb 4 5 6\n", "header says 0 numbers"),
    "Latin-1": ("2 3\na 1 2 3\ncafé 4 5 6\n".encode("latin-1"), r"caf\\xe9' on line 3 is not UTF-8"),
    "rows of other lengths in a binary file": (
        b"1 1\na \x00\x00\x80?\nb \x00\x00\x80?\n",
        "its header says 1 words, and it holds 2",
    ),
    "a word for a number": (b"2 3\na 1 2 3\nb 4 x 6\n", "damaged or cut short"),
    "a longer line without a header": (b"a 1 2 3\nb 4 5 6 7\n", "damaged or cut short"),
    "more words than memory": (b"99999999999999 3\na 1 2 3\n", "says 99,999,999,999,999 words, .* holds 1"),
    "no number": (b"2 3\na 1 2 3\nb 4 5 nan\n", "the vector of 'b' is not finite"),
    "an infinite number": (b"a 1 2 3\nb 4 inf 6\n", "the vector of 'b' is not finite"),
    "binary cut short": (b"2 3\na \x00\x00\x80?\x00\x00", "its header says 2 words, and it holds 0 whole"),
    "a text": (b"Once upon a time\n", "expected lines of a word and its numbers .* begins b'Once upon"),
    "nothing": (b"", "expected lines of a word and its numbers .* begins b''"),
    "a zip archive": (b"PK\x03\x04....", "a zip archive: name a file unpacked from it"),
    "a fastText model": (
        b"\xba\x16\x4f\x2f\x0c\x00\x00\x00",
        "a fastText model with subwords: .* the .vec file",
    ),
    "gzip by another name": (b"\x1f\x8b\x08\x00rest", "give it a name that ends in .gz"),
    "no pickle of vectors": (b"\x80\x04]\x94.", "gensim cannot load them"),
    "a pickle cut short": (b"\x80\x04\x95\x00", "gensim cannot load them"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_file_that_is_not_whole_is_an_error_and_leaves_nothing(tmp_path: Path, kind: str) -> None:
    content, said = DAMAGED[kind]
    path = tmp_path / "words.vec"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said) as caught:
        read_words(path)
    assert str(path) in str(caught.value)
    assert not list((cache_folder() / "words").glob("words*/"))


NUMBERS = {"a": [1.0, 2.0, 3.0], "café": [4.0, 5.0, 6.0], "b": [7.0, 8.0, 9.0]}
FORMS = {
    "as it is": "3 3\na 1 2 3\ncafé 4 5 6\nb 7 8 9\n",
    "no end of line": "3 3\na 1 2 3\ncafé 4 5 6\nb 7 8 9",
    "blank lines": "3 3\na 1 2 3\n\ncafé 4 5 6\nb 7 8 9\n \n\n",
    "a BOM": "\ufeff3 3\na 1 2 3\ncafé 4 5 6\nb 7 8 9\n",
    "a BOM without a header": "\ufeffa 1 2 3\ncafé 4 5 6\nb 7 8 9\n",
    "tabs": "3\t3\na\t1\t2\t3\ncafé\t4\t5\t6\nb\t7\t8\t9\n",
    "tabs without a header": "a\t1\t2\t3\ncafé\t4\t5\t6\nb\t7\t8\t9\n",
    "CRLF and blanks at the ends": "3 3\r\na 1 2 3 \r\ncafé 4 5 6 \r\nb 7 8 9 \r\n",
    "a word twice": "4 3\na 1 2 3\ncafé 4 5 6\nb 7 8 9\na 0 0 0\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_row_of_a_text_is_read(tmp_path: Path, form: str) -> None:
    (tmp_path / "words.vec").write_bytes(FORMS[form].encode())
    table = read_words(tmp_path / "words.vec")
    assert {word: table.vectors[row].tolist() for word, row in table.rows.items()} == NUMBERS


@pytest.mark.parametrize("header", ["5 2\n", ""])
def test_words_with_blanks_are_read(tmp_path: Path, header: str) -> None:
    words = [".", ". . .", "at name@domain.com", "\u00a0", "1990"]
    rows = "".join(f"{word} {number} 0.5\n" for number, word in enumerate(words))
    (tmp_path / "words.txt").write_text(header + rows, encoding="utf-8")
    table = read_words(tmp_path / "words.txt")
    assert dict(table.rows) == {word: number for number, word in enumerate(words)}
    assert_array_equal(table.vectors, [[number, 0.5] for number in range(5)])


def test_few_words_that_are_not_utf_8_stop_nothing(tmp_path: Path) -> None:
    good = "".join(f"é{number} {number} 1\n" for number in range(200)).encode()
    (tmp_path / "words.txt").write_bytes(good + b"\xe9\x80 7 1\n\xe9\x81 8 1\n")
    table = read_words(tmp_path / "words.txt")
    assert len(table.rows) == len(table.vectors) == 202
    assert table.vectors[table.row("é199")].tolist() == [199, 1]


def test_keyed_vectors_without_their_words_are_an_error(tmp_path: Path) -> None:
    keyed = tiny_words.keyed(tiny_words.vectors())
    del keyed.key_to_index["jam"]
    keyed.save(str(tmp_path / "words.kv"))
    n_words = len(tiny_words.WORDS)
    with pytest.raises(UserError, match=rf"holds {n_words - 1} words and {n_words} vectors"):
        read_words(tmp_path / "words.kv")


def test_a_file_that_another_reader_converted_is_converted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tiny_words.write(tmp_path, "headed", tiny_words.vectors())
    read_words(path)
    (source,) = (cache_folder() / "words").glob("words-*/source.json")
    old = json.loads(source.read_text())
    del old["reader"]  # as before there were several
    source.write_text(json.dumps(old))
    read_words(path)
    assert "reader" in json.loads(source.read_text())


def test_gzip_with_a_changed_byte_is_one_line(tmp_path: Path) -> None:
    path = tiny_words.write(tmp_path, "headed gzip", tiny_words.vectors())
    whole = path.read_bytes()
    n_refused = 0
    for place in range(12, len(whole), len(whole) // 12):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(UserError, match="get the file again") as caught:
            read_words(path)
        assert "\n" not in str(caught.value)
        n_refused += 1
    assert n_refused > 3


def test_a_width_that_no_row_has_names_the_row_and_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "wide.vec"
    path.write_bytes(b"2 999999999999999\na 1 2\nb 3 4\n")
    with pytest.raises(UserError, match=r"line 2 is .*, where a word and 999999999999999 numbers"):
        read_words(path)


def test_gzip_cut_short(tmp_path: Path) -> None:
    path = tiny_words.write(tmp_path, "headed gzip", tiny_words.vectors())
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(UserError, match=r"cut short|cannot be read"):
        read_words(path)


def test_a_missing_npy_is_named(tmp_path: Path) -> None:
    path = tiny_words.write(tmp_path, "keyed", tiny_words.vectors())
    (tmp_path / "words.kv.vectors.npy").unlink()
    with pytest.raises(UserError, match=r"gensim cannot load them .* the .npy files that belong beside it"):
        read_words(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for call in (read_words, word_digests):
        with pytest.raises(UserError, match=r"nothing.vec: there is no such file"):
            call(tmp_path / "nothing.vec")


def test_a_path_may_hold_anything(tmp_path: Path) -> None:
    folder = tmp_path / "a #1?%20 é[x]*"
    folder.mkdir()
    for kind in ("headless", "keyed"):
        path = tiny_words.write(folder, kind, tiny_words.vectors())
        assert "jam" in read_words(path).rows
    assert set(word_digests(folder / "words.kv")) == {"words.kv", "words.kv.vectors.npy"}


@pytest.mark.parametrize("place", [0.2, 0.5, 1])
@pytest.mark.parametrize("name", ["vectors.kv", "vectors.kv.vectors.npy"])
def test_a_converted_file_with_a_flipped_bit_is_made_again(tmp_path: Path, name: str, place: float) -> None:
    path = tiny_words.write(tmp_path, "headed", tiny_words.vectors())
    before = read_words(path)
    vectors = np.array(before.vectors)
    (converted,) = (cache_folder() / "words").glob("words-*/")
    whole = (converted / name).read_bytes()
    at = int(place * (len(whole) - 1))
    damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    (converted / name).unlink()
    (converted / name).write_bytes(damaged)
    again = read_words(path)
    assert again.rows == before.rows
    assert_array_equal(again.vectors, vectors)
    assert (converted / name).read_bytes() != damaged


def test_what_another_gensim_stored_is_made_again(tmp_path: Path) -> None:
    path = tiny_words.write(tmp_path, "headed", tiny_words.vectors())
    before = np.array(read_words(path).vectors)
    (converted,) = (cache_folder() / "words").glob("words-*/")
    (converted / "vectors.kv").write_bytes(b"\x80\x04]\x94.")
    source = json.loads((converted / "source.json").read_text())
    source["digests"]["vectors.kv"] = hashlib.sha256(b"\x80\x04]\x94.").hexdigest()
    (converted / "source.json").write_text(json.dumps(source))
    assert_array_equal(read_words(path).vectors, before)


def unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "file"))


def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("gensim.models.KeyedVectors.save", save)


def without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("fourfold.cache_folder._folder", no_home)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (unwritable, "Not a directory|File exists"),
        (full, "No space left"),
        (without_a_home, "no home folder"),
    ],
)
def test_41_what_cannot_be_stored_is_read_all_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Callable[[Path, pytest.MonkeyPatch], None],
    why: str,
) -> None:
    path = tiny_words.write(tmp_path, "headed", tiny_words.vectors())
    fault(tmp_path, monkeypatch)
    table = read_words(path)
    for word, vector in tiny_words.vectors().items():
        assert_array_equal(table.vectors[table.row(word)], vector)
    assert table.files == word_digests(path) == {path.name: hashlib.sha256(path.read_bytes()).hexdigest()}
    (word,) = [record.getMessage() for record in caplog.records]
    assert re.search(rf"{path}.*\((.*{why}.*)\).*FOURFOLD_CACHE", word)
    if fault is full:
        assert not list((cache_folder() / "words").glob("*words-*/"))


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("FOURFOLD_CACHE")
    assert cache_folder() == tmp_path / "xdg" / "fourfold"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "fourfold"
