"""The cache of vectors: the same bits as before, nothing encoded twice, whatever happens to its files."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fourfold.cache_folder import cache_folder
from fourfold.embeddings import cache as cache_module
from fourfold.embeddings.cache import FILE, CachedEncoder, earlier_vectors, remove_vectors, stored_vectors
from fourfold.embeddings.encoder import JSON, Progress
from fourfold.errors import UserError

TEXTS = ["jam", "a piece of cake", "東京", "jam", "%", "é"]
SOURCE = str(Path(__file__).parents[2] / "src")


class HashEncoder:
    """Vectors without a model, and a list of what was asked for."""

    name = "hash"

    def __init__(self, **settings: JSON) -> None:
        self.settings = settings
        self.calls: list[list[str]] = []

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        self.calls.append(list(texts))
        if progress is not None:
            progress(len(texts), len(texts))
        salt = len(json.dumps(self.settings))
        rows = [np.random.default_rng([salt, *text.encode()]).normal(size=5) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, 5)

    def describe(self) -> dict[str, JSON]:
        return {"name": self.name, "device": "cpu", **self.settings}


class CountingEncoder(HashEncoder):
    """Knows words of letters only."""

    def count_tokens(self, texts: Sequence[str]) -> np.ndarray:
        split = [text.split() for text in texts]
        return np.array([(len(words), sum(not word.isalpha() for word in words)) for words in split])


def file() -> Path:
    return cache_folder() / FILE


def test_a_second_run_encodes_nothing_and_gets_the_same_bits() -> None:
    plain = HashEncoder().encode(TEXTS)
    first, second = HashEncoder(), HashEncoder()
    assert_array_equal(CachedEncoder(first).encode(TEXTS), plain)
    again = CachedEncoder(second).encode(TEXTS[::-1])
    assert_array_equal(again, plain[::-1])
    assert again.dtype == np.float32
    assert first.calls == [["jam", "a piece of cake", "東京", "%", "é"]]
    assert second.calls == []


def test_only_new_texts_are_encoded() -> None:
    CachedEncoder(HashEncoder()).encode(TEXTS)
    encoder = HashEncoder()
    cached = CachedEncoder(encoder)
    both = [*TEXTS, "new", "JAM"]
    assert_array_equal(cached.encode(both), HashEncoder().encode(both))
    assert_array_equal(cached.encode(["new", "newer"]), HashEncoder().encode(["new", "newer"]))
    assert encoder.calls == [["new", "JAM"], ["newer"]]


@pytest.mark.parametrize("other", [{"pooling": "cls"}, {"files": {"model": "0" * 64}}, {"device": "cuda:0"}])
def test_another_setting_or_file_or_device_is_another_kind(other: dict[str, JSON]) -> None:
    CachedEncoder(HashEncoder()).encode(TEXTS)
    encoder = HashEncoder(**other)
    assert_array_equal(CachedEncoder(encoder).encode(TEXTS), HashEncoder(**other).encode(TEXTS))
    assert len(encoder.calls) == 1
    assert len(stored_vectors()) == 2


def test_another_version_is_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    CachedEncoder(HashEncoder()).encode(TEXTS)
    monkeypatch.setattr(cache_module, "version", lambda package: "99.0")
    encoder = HashEncoder()
    CachedEncoder(encoder).encode(TEXTS)
    assert len(encoder.calls) == 1


def test_counts_of_tokens_are_kept_too() -> None:
    expected = [[1, 0], [4, 0], [1, 0], [1, 0], [1, 1], [1, 0]]
    assert CachedEncoder(CountingEncoder()).count_tokens(TEXTS).tolist() == expected
    encoder = CountingEncoder()
    assert CachedEncoder(encoder).count_tokens(TEXTS).tolist() == expected
    assert encoder.calls == []
    assert CachedEncoder(HashEncoder()).count_tokens(TEXTS).tolist() == [[0, 0]] * 6


@pytest.mark.slow
@given(batches=st.lists(st.lists(st.text(min_size=1).filter(str.strip), max_size=5), max_size=5))
@settings(deadline=None, max_examples=30)
def test_any_texts_in_any_batches(tmp_path_factory: pytest.TempPathFactory, batches: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("any")
    for batch in batches:
        kept = [text for text in batch if not any("\ud800" <= letter <= "\udfff" for letter in text)]
        for _ in range(2):
            assert_array_equal(CachedEncoder(HashEncoder(), folder).encode(kept), HashEncoder().encode(kept))


@pytest.mark.slow
def test_every_byte_counts() -> None:
    CachedEncoder(HashEncoder()).encode(["jam", "é"])
    whole = file().read_bytes()
    expected = HashEncoder().encode(["jam", "é"])
    row = whole.index("é".encode())  # in an index, and once more beside its vector
    for place in [*range(0, 112, 5), *range(row, row + 24, 5), *range(len(whole) - 80, len(whole), 3)]:
        file().write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        said: list[str] = []
        assert_array_equal(CachedEncoder(HashEncoder(), say=said.append).encode(["jam", "é"]), expected)
        assert len(said) <= 2, said


def test_a_damaged_vector_is_noticed_and_made_again() -> None:
    encoder = HashEncoder()
    (vector,) = CachedEncoder(encoder).encode(["jam"])
    content = file().read_bytes()
    file().write_bytes(content.replace(vector.tobytes(), (vector + 1).tobytes()))
    said: list[str] = []
    for _ in range(2):
        assert_array_equal(CachedEncoder(encoder, say=said.append).encode(["jam"]), [vector])
    assert said == [f"1 of the stored vectors in {file()} are damaged: their texts are encoded again"]
    assert encoder.calls == [["jam"], ["jam"]]


@pytest.mark.parametrize("length", [32, 100, 40_000])
def test_a_file_cut_short_is_noticed_and_made_again(length: int, capsys: pytest.CaptureFixture[str]) -> None:
    CachedEncoder(HashEncoder()).encode(TEXTS)
    file().write_bytes(file().read_bytes()[:length])
    encoder = HashEncoder()
    assert_array_equal(CachedEncoder(encoder).encode(TEXTS), HashEncoder().encode(TEXTS))
    said = capsys.readouterr().err
    assert said.startswith(f"the stored vectors in {file()} are damaged (")
    assert said.count("\n") == 1
    CachedEncoder(encoder).encode(TEXTS)
    assert len(encoder.calls) == 1
    assert capsys.readouterr().err == ""


def test_a_folder_that_cannot_be_written_to_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said: list[str] = []
    cached = CachedEncoder(HashEncoder(), tmp_path / "file", said.append)
    assert_array_equal(cached.encode(TEXTS), HashEncoder().encode(TEXTS))
    assert len(said) == 1
    assert "the next run encodes them again" in said[0]


@pytest.mark.parametrize("room", [0, 4096, 70_000])
def test_41_a_disk_that_is_full_in_the_middle(room: int, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")  # a file that may not grow is as good as a full disk
    said: list[str] = []
    encoder = HashEncoder()
    cached = CachedEncoder(encoder, tmp_path, said.append)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        assert_array_equal(cached.encode(TEXTS), HashEncoder().encode(TEXTS))
        assert_array_equal(cached.encode([*TEXTS, "new"]), HashEncoder().encode([*TEXTS, "new"]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert encoder.calls[1:] == [["new"]]
    assert len(said) == 1
    assert said[0].startswith(f"cannot store vectors in {tmp_path}")
    assert stored_vectors(tmp_path) == []


def test_a_user_without_a_home_encodes_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("fourfold.cache_folder._folder", no_home)
    said: list[str] = []
    cached = CachedEncoder(HashEncoder(), say=said.append)
    assert_array_equal(cached.encode(TEXTS), HashEncoder().encode(TEXTS))
    assert len(said) == 1
    assert "no home folder" in said[0]
    assert "FOURFOLD_CACHE" in said[0]


@pytest.mark.parametrize("content", [None, 5, b"", b"[]", b'{"encoder": 3}', b"\xff", b"[" * 100_000])
def test_a_damaged_description_is_named_unknown_and_made_again(content: object) -> None:
    CachedEncoder(HashEncoder()).encode(TEXTS)
    with closing(sqlite3.connect(file())) as connection, connection:
        connection.execute("UPDATE kinds SET about = ?", (content,))
    assert [(stored.name, stored.n_texts) for stored in stored_vectors()] == [("unknown", 5)]
    CachedEncoder(HashEncoder()).encode(["new"])
    assert [(stored.name, stored.n_texts) for stored in stored_vectors()] == [("hash", 6)]


def test_clearing_while_an_encoder_lives() -> None:
    encoder = HashEncoder()
    cached = CachedEncoder(encoder)
    cached.encode(TEXTS)
    remove_vectors(stored_vectors())
    assert_array_equal(cached.encode([*TEXTS, "new"]), HashEncoder().encode([*TEXTS, "new"]))
    assert [stored.n_texts for stored in stored_vectors()] == [1]


def test_errors_are_the_encoders_and_leave_nothing() -> None:
    class Failing(HashEncoder):
        def encode(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
            raise UserError("no such model")

    with pytest.raises(UserError, match="no such model"):
        CachedEncoder(Failing()).encode(TEXTS)
    assert not file().exists()
    with pytest.raises(UserError, match=r"texts\[6\] is blank"):  # its place among all, the known ones too
        CachedEncoder(HashEncoder()).encode([*TEXTS, " "])
    with pytest.raises(TypeError, match="not one text"):
        CachedEncoder(HashEncoder()).encode("jam")


def test_progress_reaches_the_end_either_way() -> None:
    seen: list[tuple[int, int]] = []
    for known in (False, True):
        encoder = HashEncoder()
        CachedEncoder(encoder).encode(TEXTS, lambda done, total: seen.append((done, total)))
        assert (seen[-1], encoder.calls == []) == ((5, 5), known)
        seen.clear()


def test_no_texts() -> None:
    assert CachedEncoder(HashEncoder()).encode([]).shape == (0, 5)
    assert not file().exists()


def test_threads_share_an_encoder() -> None:
    encoder = HashEncoder()
    cached = CachedEncoder(encoder)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: cached.encode(TEXTS), range(8)):
            assert_array_equal(vectors, HashEncoder().encode(TEXTS))
    assert len(encoder.calls) == 1


SLOW = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_cache import TEXTS, HashEncoder
from fourfold.embeddings.cache import CachedEncoder
vectors = CachedEncoder(HashEncoder()).encode([*TEXTS, *map(str, range(3000))])
print(float(vectors.sum()))
"""


def start() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(Path(__file__).parent)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": SOURCE},
    )  # fmt: skip


@pytest.mark.slow
def test_two_processes_at_once() -> None:
    expected = f"{float(HashEncoder().encode([*TEXTS, *map(str, range(3000))]).sum())}\n"
    assert [process.communicate(timeout=60) for process in [start(), start()]] == [(expected, "")] * 2
    assert [stored.n_texts for stored in stored_vectors()] == [3005]


def test_the_list_names_model_settings_texts_size_and_date() -> None:
    CachedEncoder(HashEncoder(pooling="mean")).encode(TEXTS)
    CachedEncoder(HashEncoder(pooling="mean")).encode(["jam", "new"])
    CachedEncoder(HashEncoder(pooling="cls")).encode(["jam"])
    by_pooling = {stored.settings["pooling"]: stored for stored in stored_vectors()}
    assert {pooling: stored.n_texts for pooling, stored in by_pooling.items()} == {"mean": 6, "cls": 1}
    mean = by_pooling["mean"]
    assert mean.name == "hash"
    assert mean.size == sum(len(text.encode()) + 5 * 4 for text in {*TEXTS, "new"})
    assert abs(mean.changed - time.time()) < 100
    assert remove_vectors([mean]) == mean.size
    assert [stored.settings["pooling"] for stored in stored_vectors()] == ["cls"]


def test_new_texts_of_another_process_are_read_and_ones_own_are_not_held_twice() -> None:
    mine, theirs = CachedEncoder(HashEncoder()), CachedEncoder(HashEncoder())
    mine.encode(["a", "b"])
    theirs.encode(["c"])
    assert_array_equal(mine.encode(["c", "a", "d"]), HashEncoder().encode(["c", "a", "d"]))
    assert mine.encoder.calls == [["a", "b"], ["d"]]
    assert len(mine._vectors) == 4


def test_files_of_earlier_versions_are_told_from_others(tmp_path: Path) -> None:
    home = tmp_path / "0123456789abcdef"
    home.mkdir()
    own = [home / name for name in ("about.json", f"{'0' * 16}.vectors", f".{'0' * 16}.vectors.1.ab.part")]
    for path in (*own, home / "mine.txt", tmp_path / "about.json"):
        path.write_text("")
    assert earlier_vectors(tmp_path) == sorted(own)
    assert earlier_vectors(tmp_path / "none") == []


def test_transformer_vectors_are_equal_bit_by_bit(tiny: dict[str, object]) -> None:
    from fourfold.embeddings.transformer import TransformerEncoder

    folder = str(tiny["bert"].folder)  # type: ignore[attr-defined]
    fresh = TransformerEncoder(folder, device="cpu").encode(TEXTS)
    assert_array_equal(CachedEncoder(TransformerEncoder(folder, device="cpu")).encode(TEXTS), fresh)
    second = TransformerEncoder(folder, device="cpu")
    assert_array_equal(CachedEncoder(second).encode(TEXTS), fresh)
    assert second._pretrained is None  # it was not even loaded
