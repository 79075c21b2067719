"""Downloads: resumed, checked and unpacked, whatever the server does; from a small server on this machine."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
from file_server import Served, Site, site

from fourfold.embeddings import download as download_module
from fourfold.embeddings.download import fetch, note_path
from fourfold.embeddings.published import PUBLISHED, Download
from fourfold.errors import UserError

CONTENT = bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()
SOURCE = str(Path(__file__).parents[2] / "src")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy before this machine's own server, and no pause between tries."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download_module, "PAUSE", 0.0)


@pytest.fixture
def server() -> Iterator[Site]:
    with site({"/a/words.txt": Served(CONTENT)}) as made:
        yield made


def words(server: Site, **known: object) -> Download:
    return Download(f"{server.address}/a/words.txt", "words.txt", **known)


def zipped(names: tuple[str, ...] = ("glove/words.txt", "glove/more.txt")) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, CONTENT)
    return packed.getvalue()


def tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("data/en/words.txt")
        entry.size = len(CONTENT)
        archive.addfile(entry, io.BytesIO(CONTENT))
    return packed.getvalue()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.endswith(".lock")}


def test_a_file_is_downloaded_once_and_noted(server: Site, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    path, note = fetch(words(server), tmp_path, lambda have, total: seen.append((have, total)))
    assert path.read_bytes() == CONTENT
    assert (note.size, note.sha256, note.url) == (len(CONTENT), SHA256, f"{server.address}/a/words.txt")
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert names(tmp_path) == {"words.txt", "words.txt.json"}
    assert fetch(words(server), tmp_path) == (path, note)
    assert len(server.requests) == 1


def test_a_cut_connection_is_resumed(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"].cuts = [1000, 0, 2500]
    path, _ = fetch(words(server), tmp_path)
    assert path.read_bytes() == CONTENT
    assert [asked for _, asked, _ in server.requests] == [None, "bytes=1000-", "bytes=1000-", "bytes=3500-"]
    assert {only_if for _, asked, only_if in server.requests if asked} == {'"one"'}


def test_a_download_that_was_stopped_goes_on(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"].cuts = [4000] + [0] * 5
    with pytest.raises(
        UserError, match=r"cannot be had \(the connection was cut\): 0.0 MB are kept, start again"
    ):
        fetch(words(server), tmp_path)
    assert (tmp_path / "words.txt.part").read_bytes() == CONTENT[:4000]
    server.requests.clear()
    path, _ = fetch(words(server), tmp_path)
    assert path.read_bytes() == CONTENT
    assert [asked for _, asked, _ in server.requests] == ["bytes=4000-"]
    assert names(tmp_path) == {"words.txt", "words.txt.json"}


@pytest.mark.parametrize("version", ['"one"', "Tue, 01 Jan 2019 00:00:00 GMT", ""])
def test_halves_of_two_files_are_never_joined(server: Site, tmp_path: Path, version: str) -> None:
    """The file is another one by now, or nothing says that it is not."""
    (tmp_path / "words.txt.part").write_bytes(CONTENT[:4000])
    (tmp_path / "words.txt.part.version").write_text(version)
    new = CONTENT[::-1]
    server.files["/a/words.txt"] = Served(new, headers={"ETag": '"two"'})
    assert fetch(words(server), tmp_path)[0].read_bytes() == new


def test_a_weak_etag_names_no_version(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"] = Served(CONTENT, headers={"ETag": 'W/"one"'}, cuts=[4000])
    assert fetch(words(server), tmp_path)[0].read_bytes() == CONTENT
    assert [asked for _, asked, _ in server.requests] == [None, None]


def test_a_date_names_a_version_too(server: Site, tmp_path: Path) -> None:
    date = "Tue, 01 Jan 2019 00:00:00 GMT"
    server.files["/a/words.txt"] = Served(CONTENT, headers={"Last-Modified": date}, cuts=[4000])
    assert fetch(words(server), tmp_path)[0].read_bytes() == CONTENT
    assert server.requests[1][1:] == ("bytes=4000-", date)


def test_a_known_checksum_joins_halves_without_a_version(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"] = Served(CONTENT, headers={}, cuts=[4000])
    assert fetch(words(server, sha256=SHA256), tmp_path)[0].read_bytes() == CONTENT
    assert server.requests[1][1:] == ("bytes=4000-", None)


def test_a_server_without_ranges_sends_all_of_it_again(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"] = Served(CONTENT, ranges=False, cuts=[4000])
    assert fetch(words(server), tmp_path)[0].read_bytes() == CONTENT


def test_a_server_that_does_not_say_how_long(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"] = Served(CONTENT, length=False)
    seen: list[tuple[int, int | None]] = []
    fetch(words(server), tmp_path, lambda have, total: seen.append((have, total)))
    assert seen[-1] == (len(CONTENT), None)


def test_a_part_that_is_whole_needs_no_more(server: Site, tmp_path: Path) -> None:
    (tmp_path / "words.txt.part").write_bytes(CONTENT)
    (tmp_path / "words.txt.part.version").write_text('"one"')
    assert fetch(words(server), tmp_path)[0].read_bytes() == CONTENT
    (tmp_path / "words.txt").unlink()
    (tmp_path / "words.txt.part").write_bytes(CONTENT + b"too much")
    (tmp_path / "words.txt.part.version").write_text('"one"')
    assert fetch(words(server), tmp_path)[0].read_bytes() == CONTENT


def test_a_passing_fault_of_the_server_is_tried_again(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"].statuses = [503, 500]
    assert fetch(words(server), tmp_path)[0].read_bytes() == CONTENT


def test_a_lasting_fault_says_what_to_do(server: Site, tmp_path: Path) -> None:
    server.files["/a/words.txt"].statuses = [503] * 9
    with pytest.raises(
        UserError, match=r"the server answers 503 .*put it into .* and run this command again"
    ):
        fetch(words(server), tmp_path)
    assert len(server.requests) == download_module.TRIES


@pytest.mark.parametrize("status", [404, 403, 410])
def test_a_file_that_is_not_served_is_asked_for_once(server: Site, tmp_path: Path, status: int) -> None:
    server.files["/a/words.txt"].statuses = [status]
    said = (
        rf"{server.address}/a/words.txt: the server answers {status} .*if the file has moved, fetch .* put it"
    )
    with pytest.raises(UserError, match=said):
        fetch(words(server), tmp_path)
    assert len(server.requests) == 1


def test_offline_says_which_file_to_fetch_and_where_to_put_it(tmp_path: Path) -> None:
    glove = Download(
        "http://127.0.0.1:9/data/glove.6B.zip", "glove.6B.100d.txt", size=862_182_613, member="x"
    )
    with pytest.raises(UserError, match="cannot be had") as caught:
        fetch(glove, tmp_path)
    said = str(caught.value)
    assert f"fetch {glove.url} (862.2 MB) on a machine that reaches it, put it into {tmp_path} " in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"sha256": "0" * 64}, rf"its SHA-256 is {SHA256}, expected {'0' * 64}\) and was removed"),
        ({"size": 7}, r"it is 10,240 bytes long, expected 7\) and was removed"),
    ],
)
def test_a_file_that_is_not_the_published_one_is_refused(
    server: Site, tmp_path: Path, known: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=rf"words.txt is not the published file \({said}"):
        fetch(words(server, **known), tmp_path)
    assert names(tmp_path) == set()


def test_a_file_that_changes_afterwards_is_noticed(server: Site, tmp_path: Path) -> None:
    path, _ = fetch(words(server), tmp_path)
    path.write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(
        UserError, match=r"words.txt has changed since .*delete words.txt.json|words.txt.json"
    ):
        fetch(words(server), tmp_path)
    note_path(path).unlink()
    assert fetch(words(server), tmp_path)[1].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(("name", "packed"), [("words.zip", zipped()), ("words.tar.gz", tarred())])
def test_what_is_needed_is_unpacked_and_the_archive_goes(
    server: Site, tmp_path: Path, name: str, packed: bytes
) -> None:
    server.files[f"/{name}"] = Served(packed)
    download = Download(f"{server.address}/{name}", "words.txt", member="words.txt", size=len(packed))
    path, note = fetch(download, tmp_path)
    assert path.read_bytes() == CONTENT
    assert (note.sha256, note.size) == (SHA256, len(CONTENT))
    assert (note.downloaded_sha256, note.downloaded_size) == (hashlib.sha256(packed).hexdigest(), len(packed))
    assert names(tmp_path) == {"words.txt", "words.txt.json"}
    assert fetch(download, tmp_path) == (path, note)


def test_an_archive_that_the_user_brought_is_checked_unpacked_and_kept(tmp_path: Path) -> None:
    packed = zipped()
    digest = hashlib.sha256(packed).hexdigest()
    (tmp_path / "words.zip").write_bytes(packed)
    nowhere = Download("http://127.0.0.1:9/words.zip", "words.txt", member="words.txt", sha256=digest)
    assert fetch(nowhere, tmp_path)[0].read_bytes() == CONTENT
    assert names(tmp_path) == {"words.zip", "words.txt", "words.txt.json"}


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (zipped(("other.txt",)), r"expected one words.txt in it, found 0"),
        (zipped(("a/words.txt", "b/words.txt")), r"expected one words.txt in it, found 2"),
        (b"no archive at all", "ReadError"),
        (zipped()[:-40], "ReadError"),
        (tarred()[:120], "EOFError|ReadError"),
    ],
)
def test_an_archive_that_cannot_be_unpacked_is_named(tmp_path: Path, packed: bytes, said: str) -> None:
    (tmp_path / "words.zip").write_bytes(packed)
    nowhere = Download("http://127.0.0.1:9/words.zip", "words.txt", member="words.txt")
    with pytest.raises(UserError, match=rf"words.zip cannot be unpacked \(.*({said}).*\): delete it and run"):
        fetch(nowhere, tmp_path)
    assert names(tmp_path) == {"words.zip"}


def test_a_full_disk_is_told_beforehand(
    server: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, 5000))
    with pytest.raises(UserError, match=r"has 0.0 MB left .*make room, or name another cache folder"):
        fetch(words(server), tmp_path)


def test_two_processes_at_once_download_once(server: Site, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from fourfold.embeddings.download import fetch\n"
        "from fourfold.embeddings.published import Download\n"
        "print(fetch(Download(sys.argv[1], 'words.txt'), Path(sys.argv[2]))[1].sha256)"
    )
    url = f"{server.address}/a/words.txt"
    command = [sys.executable, "-c", code, url, str(tmp_path)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCE})
        for _ in range(2)
    ]
    assert [process.communicate(timeout=60)[0] for process in both] == [f"{SHA256}\n"] * 2
    assert len(server.requests) == 1


def test_what_is_published_is_written_down_without_slips() -> None:
    assert list(PUBLISHED) == ["glove", "crawl", "news", "bpemb", "elmo"]
    for name, published in PUBLISHED.items():
        assert published.name == name
        assert published.folder.name == name
        for download in published.downloads:
            assert download.url.startswith("https://")
            packed = download.archive.endswith((".zip", ".tar.gz"))
            assert packed == (download.member is not None)
            assert download.file == (download.member or download.archive)
            assert download.sha256 is None or len(bytes.fromhex(download.sha256)) == 32
    vectors = PUBLISHED["crawl"].downloads[1].file  # gensim looks for it beside the table, by this name
    assert vectors == f"{PUBLISHED['crawl'].downloads[0].file}.vectors.npy"


def test_the_note_is_plain_json(server: Site, tmp_path: Path) -> None:
    path, note = fetch(words(server), tmp_path)
    assert json.loads(note_path(path).read_text(encoding="utf-8"))["sha256"] == note.sha256
