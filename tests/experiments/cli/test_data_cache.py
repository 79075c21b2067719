"""``fourfold data cache``: what it lists, and what it removes."""

import pytest
from letter_walls import LetterEncoder

from fourfold.cache_folder import cache_folder
from fourfold.embeddings.cache import CachedEncoder
from fourfold.embeddings.word_files import _converted_folder, read_words
from fourfold.experiments.cli import main
from fourfold.experiments.llm.chat import ChatRequest, Message, Reply
from fourfold.experiments.llm.replies import CachedChat


class Other(LetterEncoder):
    name = "other"

    def describe(self):
        return {"name": "other", "device": "cpu", "prefix": "", "files": {"model.bin": "abcdef0123456789"}}


@pytest.fixture(autouse=True)
def _no_other_code(monkeypatch):
    """The tests' own compiled code stays."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


@pytest.fixture
def kept():
    CachedEncoder(LetterEncoder()).encode(["a1", "b2", "c3"])
    CachedEncoder(Other()).encode(["a1"])


def test_the_list(kept, capsys):
    assert main(["data", "cache"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "letters  (" in printed.out
    assert "  3 texts, 0.0 MB, 2" in printed.out
    assert "  1 text, 0.0 MB, 2" in printed.out
    assert "device=cpu prefix='' model.bin=abcdef01" in printed.out


def test_nothing_is_kept(capsys):
    assert main(["data", "cache"]) == 0
    assert capsys.readouterr().out.startswith("nothing is stored in ")


def test_one_name_is_cleared(kept, capsys):
    assert main(["data", "cache", "--clear", "letters"]) == 0
    assert capsys.readouterr().out == "removed 1 of 2, 0.0 MB\n"
    main(["data", "cache"])
    text = capsys.readouterr().out
    assert "other" in text
    assert "letters" not in text


def test_all_is_cleared_but_downloads(kept, tmp_path, capsys, monkeypatch):
    pytest.importorskip("gensim", reason="word vectors need the extra 'experiments'")
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path / "cache"))
    CachedEncoder(LetterEncoder()).encode(["a1"])
    download = tmp_path / "cache" / "vectors" / "glove" / "glove.6B.100d.txt"
    download.parent.mkdir(parents=True)
    download.write_text("jam 1 2 3\n", encoding="utf-8")
    read_words(download)
    main(["data", "cache"])
    text = capsys.readouterr().out
    assert "glove.6B.100d.txt  (word vectors, converted)" in text
    assert f"  from {download}" in text
    assert main(["data", "cache", "--clear", "--all"]) == 0
    assert capsys.readouterr().out == "removed 2 of 2, 0.0 MB\n"
    assert download.exists()
    assert not _converted_folder(download).exists()


def test_another_folder(tmp_path, capsys):
    CachedEncoder(LetterEncoder(), tmp_path / "own").encode(["a1"])
    assert main(["data", "cache", "--folder", str(tmp_path / "own")]) == 0
    assert "letters" in capsys.readouterr().out
    assert main(["data", "cache", "--folder", str(tmp_path / "own"), "--clear", "--all"]) == 0
    assert main(["data", "cache", "--folder", str(tmp_path / "own")]) == 0
    assert capsys.readouterr().out.endswith(f"nothing is stored in {tmp_path / 'own'}\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--all"], "--all is for --clear"),
        (["--clear"], "--clear needs the name of a model, or --all"),
        (["--clear", "letters", "--all"], "--clear needs the name of a model, or --all"),
        (["--clear", "letter"], "nothing is stored under the name 'letter': choose from letters, other"),
    ],
)
def test_a_mistake_is_one_line_and_removes_nothing(kept, words, said, capsys):
    assert main(["data", "cache", *words]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"fourfold: {said}")
    assert printed.err.count("\n") == 1
    main(["data", "cache"])
    assert "letters" in capsys.readouterr().out


class Talker:
    """A language model with one answer."""

    name = "talker"

    def describe(self):
        return {"name": self.name}

    def complete(self, requests, keep=None):
        for place, _ in enumerate(requests):
            keep(place, Reply("a"))


def test_replies_are_listed_and_cleared_by_their_name_alone(kept, capsys):
    CachedChat(Talker()).complete([ChatRequest((Message("user", text),)) for text in "ab"])
    assert main(["data", "cache"]) == 0
    assert "replies  (of language models)\n  2 replies, 0.0 MB, 2" in capsys.readouterr().out
    assert main(["data", "cache", "--clear", "--all"]) == 0
    removed = "removed 2 of 2, 0.0 MB; 2 replies stay: --clear replies removes them\n"
    assert capsys.readouterr().out == removed
    assert main(["data", "cache", "--clear", "replies"]) == 0
    assert capsys.readouterr().out == "removed 2 replies, 0.0 MB\n"
    assert main(["data", "cache", "--clear", "replies"]) == 2
    assert "nothing is stored under the name 'replies'" in capsys.readouterr().err


def test_replies_in_a_folder_of_ones_own_stay_until_they_are_named(tmp_path, capsys):
    own, requests = tmp_path / "own", [ChatRequest((Message("user", text),)) for text in "ab"]
    CachedEncoder(LetterEncoder(), own).encode(["a1"])
    CachedChat(Talker(), own).complete(requests)
    here = ["data", "cache", "--folder", str(own)]
    assert main(here) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == 5
    assert "replies  (of language models)\n  2 replies, 0.0 MB, 2" in printed
    assert main([*here, "--clear", "--all"]) == 0
    assert capsys.readouterr().out.startswith("removed 1 of 1, 0.0 MB; 2 replies stay")
    assert None not in CachedChat(Talker(), own).kept(requests)
    assert main([*here, "--clear", "replies"]) == 0
    assert capsys.readouterr().out == "removed 2 replies, 0.0 MB\n"
    assert CachedChat(Talker(), own).kept(requests) == [None, None]


@pytest.mark.parametrize("place", ["replies", "."])
def test_what_earlier_versions_left_is_listed_and_removed_and_nothing_else(tmp_path, place, capsys):
    own = tmp_path / "own"
    vectors = [own / ("ab" * 8) / name for name in ("about.json", f"{'0' * 16}.vectors")]
    replies = [own / place / "01" / f"{'01' * 32}.json", own / place / "01" / f".{'01' * 32}.json.1.ab.part"]
    foreign = [own / ("ab" * 8) / "mine.vectors.txt", own / "notes" / "mine.txt", own / place / "01" / "x"]
    for path in (*vectors, *replies, *foreign):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    here = ["data", "cache", "--folder", str(own)]
    assert main(here) == 0
    printed = capsys.readouterr().out
    assert "earlier  (vectors of an earlier version, which are read no more)\n  2 files, 0.0 MB" in printed
    assert "replies  (of language models)\n  1 reply, 0.0 MB, 2" in printed
    assert main([*here, "--clear", "earlier"]) == 0
    assert capsys.readouterr().out == "removed 1 of 1, 0.0 MB\n"
    assert main([*here, "--clear", "replies"]) == 0
    left = {path for path in own.rglob("*") if path.is_file() and path.suffix != ".sqlite"}
    assert left == set(foreign)


def test_compiled_code_is_listed_and_cleared(kept, capsys, monkeypatch):
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    from fourfold.kernels.compiled_code import _write, code_folder

    for name in ("a.code", "b.code"):
        _write(code_folder() / name, b"code")
    other = code_folder().parent / "other" / "c.code"
    other.parent.mkdir()
    other.write_text("somebody else's")
    main(["data", "cache"])
    assert "compiled  (machine code)\n  2 functions, 0.0 MB, 2" in capsys.readouterr().out
    assert main(["data", "cache", "--clear", "compiled"]) == 0
    assert capsys.readouterr().out == "removed 1 of 3, 0.0 MB\n"
    assert not code_folder().exists()
    assert other.exists()
    main(["data", "cache"])
    assert "compiled" not in capsys.readouterr().out
    _write(code_folder() / "a.code", b"code")
    assert main(["data", "cache", "--clear", "--all"]) == 0
    assert capsys.readouterr().out == "removed 3 of 3, 0.0 MB\n"


def test_compiled_code_in_numbas_own_folder_and_checksums_of_files_are_listed_too(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    code = tmp_path / "numba" / "fourfold-0123" / "a.code"
    note = cache_folder() / "hashes" / "0123.json"
    others = tmp_path / "numba" / "other" / "b.code"
    for path in (code, note, others):
        path.parent.mkdir(parents=True)
        path.write_text("x")
    main(["data", "cache"])
    printed = capsys.readouterr().out
    assert "compiled  (machine code)\n  1 function, 0.0 MB" in printed
    assert "hashes  (of large files)\n  1 file, 0.0 MB" in printed
    assert main(["data", "cache", "--clear", "--all"]) == 0
    assert [path.exists() for path in (code, note, others)] == [False, False, True]
