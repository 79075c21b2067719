"""Figures as files."""

import re

import pytest

from fourfold.errors import UserError
from fourfold.experiments.plots.save import check_target, save_figure
from fourfold.experiments.plots.sheet import new_figure

pytestmark = pytest.mark.usefixtures("style")

HEADS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def drawn():
    figure = new_figure(200, 100)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], marker="o")
    axes.set_title("Déjà Vu")
    return figure


@pytest.mark.parametrize("ending", HEADS)
def test_the_ending_says_the_format_and_the_bytes_are_the_same_each_time(ending, tmp_path, monkeypatch):
    first, second = tmp_path / f"a{ending}", tmp_path / f"deep/b{ending.upper()}"
    second.parent.mkdir()
    save_figure(drawn(), first, "a title")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    save_figure(drawn(), second, "a title")
    content = first.read_bytes()
    assert content.startswith(HEADS[ending])
    assert content == second.read_bytes()
    assert b"a title" in content
    assert not re.search(rb"20\d\d-\d\d-\d\d|D:20\d\d", content)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [first.name]


def test_dots_an_inch(tmp_path):
    sizes = []
    for dpi in (100, 200):
        save_figure(drawn(), tmp_path / f"{dpi}.png", "", dpi=dpi)
        sizes.append(int.from_bytes((tmp_path / f"{dpi}.png").read_bytes()[16:20]))
    assert sizes == pytest.approx([200 / 72 * 100, 200 / 72 * 200], abs=1)


def test_nothing_is_replaced_unasked(tmp_path):
    out = tmp_path / "a.svg"
    out.write_text("mine", encoding="utf-8")
    for refused in (lambda: check_target(out, False), lambda: save_figure(drawn(), out, "")):
        with pytest.raises(
            UserError, match="is there already: choose another --out, or replace it with --force"
        ):
            refused()
    assert out.read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.iterdir())) == 1
    check_target(out, True)
    save_figure(drawn(), out, "", force=True)
    assert out.read_bytes().startswith(b"<?xml")


def test_a_failure_leaves_nothing(tmp_path, monkeypatch):
    figure = drawn()

    def fail(path, **_):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(UserError, match=r"cannot be written .No space left on device."):
        save_figure(figure, tmp_path / "a.png", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.pgn", r"ends in .pgn, which is not a format of figures: did you mean a.png\?"),
        ("a.jpeg", r"ends in .jpeg, .*: end it in .png, .svg, .pdf"),
        ("a", r"has no ending, .*: end it in .png, .svg, .pdf"),
        ("folder.png", "is a folder: name a file in it"),
        ("file/b/a.png", "cannot be written, since .*b is not a folder: make it first"),
    ],
)
def test_a_place_that_cannot_be_is_refused_beforehand(name, said, tmp_path):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=said):
        check_target(tmp_path / name, False)


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(UserError, match=r"cannot be written .Permission denied."):
        check_target(tmp_path / "a.png", False)
    assert list(tmp_path.iterdir()) == []
