"""``fourfold data get``, with a small server in the place of the makers' own."""

from dataclasses import replace

import pytest
from file_server import Served, site

from fourfold.embeddings import download as download_module
from fourfold.embeddings.published import PUBLISHED, Download
from fourfold.experiments.cli import main


@pytest.fixture
def served(monkeypatch):
    """A server of two small files that ``glove`` consists of here."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download_module, "PAUSE", 0.0)
    with site({"/one.txt": Served(b"jam 1 2\n"), "/two.txt": Served(b"more")}) as made:
        downloads = tuple(Download(f"{made.address}/{name}", name) for name in ("one.txt", "two.txt"))
        monkeypatch.setitem(PUBLISHED, "glove", replace(PUBLISHED["glove"], downloads=downloads))
        yield made


def test_get_brings_the_files_and_says_where_they_are(served, capsys):
    assert main(["data", "get", "glove"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""  # no progress in a pipe
    folder = PUBLISHED["glove"].folder
    assert [path.read_bytes() for path in PUBLISHED["glove"].present_paths()] == [b"jam 1 2\n", b"more"]
    assert f"{folder / 'one.txt'} (0.0 MB): no checksum is published for it; this one is noted" in printed.out
    assert "SHA-256 " in printed.out
    assert main(["data", "get", "glove"]) == 0
    assert "one.txt (0.0 MB): is there, as it was" in capsys.readouterr().out
    assert len(served.requests) == 2


def test_without_a_name_it_lists_what_there_is(served, capsys):
    assert main(["data", "get"]) == 0
    text = capsys.readouterr().out
    for published in PUBLISHED.values():
        assert f"{published.name}: {published.title} (not here)" in text
        assert str(published.folder) in text
        assert all(download.url in text for download in published.downloads)
    main(["data", "get", "glove"])
    capsys.readouterr()
    main(["data", "get"])
    assert f"glove: {PUBLISHED['glove'].title} (here)" in capsys.readouterr().out


def test_a_terminal_sees_progress(served, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["data", "get", "glove"]) == 0
    assert "one.txt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get", "glov"], "nothing published is called 'glov': choose glove, crawl, news, bpemb"),
        (["gte"], "'data gte' is not a command: did you mean get?"),
        (["zzzz"], "'data zzzz' is not a command: choose from get, "),
        (["get", "--fast"], "unrecognized arguments: --fast"),
    ],
)
def test_a_mistake_is_one_line(words, said, capsys):
    assert main(["data", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"fourfold: {said}")
    assert printed.err.count("\n") == 1


def test_a_server_that_is_gone_is_one_line(served, capsys):
    del served.files["/two.txt"]
    assert main(["data", "get", "glove"]) == 2
    printed = capsys.readouterr()
    assert f"{served.address}/two.txt: the server answers 404" in printed.err
    assert printed.err.count("\n") == 1


def test_help(capsys):
    with pytest.raises(SystemExit):
        main(["data", "--help"])
    assert "get " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["data", "get", "--help"])
    assert "usage: fourfold data get" in capsys.readouterr().out
