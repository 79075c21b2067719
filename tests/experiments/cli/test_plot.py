"""``fourfold plot``: what it writes, what it says, and what it refuses."""

import json
import sys

import pytest
from letter_walls import walls_document
from made_records import made_dataset, made_labels, made_record

pytest.importorskip("matplotlib", reason="the extra plot is not installed")

from fourfold.conf.compose import compose_run
from fourfold.experiments.cli import commands as extras
from fourfold.experiments.cli import main
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder.files import write_record
from fourfold.experiments.terminal.progress import ProgressBars


@pytest.fixture
def done(walls_file, tmp_path, encoder, monkeypatch):
    """A record of a run; what is drawn goes into a folder of its own."""
    made = do_run(walls_file, tmp_path)
    (tmp_path / "figures").mkdir()
    monkeypatch.chdir(tmp_path / "figures")
    return made


def do_run(walls, tmp_path, *words):
    words = ["dataset=ocw", f"dataset.path={walls}", f"out={tmp_path / 'runs'}", "seeds=3", *words]
    return run(compose_run(words), ProgressBars(shown=False)).folder


def plot(capsys, *words, code=0):
    assert main(["plot", *map(str, words)]) == code
    return capsys.readouterr()


def complaint(capsys, *words):
    printed = plot(capsys, *words, code=2)
    assert printed.out == ""
    assert printed.err.startswith("fourfold: ")
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.slow
def test_each_figure_is_written_and_named(done, capsys, tmp_path):
    name = done.name
    for words, expected in (
        (("wall", done, "--wall", "wall-1"), f"wall_wall-1_{name}.png"),
        (("wall", done, "--wall", "wall-1", "--run", 2), f"wall_wall-1_{name}_run2.png"),
        (("wall", done, "--wall", "wall-1", "--method", "pca"), f"wall_wall-1_{name}_pca.png"),
        (("similarity", done, "--wall", "wall-1"), f"similarity_wall-1_{name}.png"),
        (("models", tmp_path / "runs", "--metric", "ari"), "models_ari.png"),
        (("seeds", done), "seeds_correct_groups.png"),
    ):
        printed = plot(capsys, *words)
        assert printed.out == f"{expected}\n"
        assert printed.err == ""
        assert (tmp_path / "figures" / expected).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_record_gives_the_same_file(done, capsys, tmp_path, ending):
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        plot(capsys, "wall", done, "--wall", "wall-1", "--out", file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert done.name.encode() in files[0].read_bytes()


@pytest.mark.slow
def test_two_records_side_by_side(done, capsys, tmp_path):
    other = tmp_path / "other.json"
    document = walls_document(1)
    other.write_text(json.dumps(document), encoding="utf-8")
    second = do_run(other, tmp_path)
    assert second != done
    plot(capsys, "wall", done, second, "--wall", "wall-0", "--out", "both.svg", "--width", "page")
    assert "504pt" in (tmp_path / "figures" / "both.svg").read_text(encoding="utf-8")

    document["dataset"][0]["gt_connections"][0] = "Other"
    document["dataset"][0]["groups"]["group_1"]["gt_connection"] = "Other"
    other.write_text(json.dumps(document), encoding="utf-8")
    third = do_run(other, tmp_path)
    assert "has other groups than that of" in complaint(capsys, "wall", done, third, "--wall", "wall-0")


@pytest.mark.slow
def test_nothing_is_replaced_unasked(done, capsys, tmp_path):
    words = ("wall", done, "--wall", "wall-1", "--out", "a.png")
    plot(capsys, *words)
    written = tmp_path / "figures" / "a.png"
    written.write_bytes(b"mine")
    assert "a.png is there already" in complaint(capsys, *words)
    assert written.read_bytes() == b"mine"
    plot(capsys, *words, "--force")
    assert written.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--wall", "wall-7"], "has no wall wall-7: did you mean wall-"),
        (["--wall", "wall-1", "--run", "3"], "--run 3 is not in the record"),
        (["--wall", "wall-1", "--run", "-1"], "got '-1', expected a run's number"),
        (["--wall", "wall-1", "--out", "a.gif"], "a.gif ends in .gif, which is not a format of figures"),
        (["--wall", "wall-1", "--width", "wide"], "expected inches from 1.5 to 40, column, text, page"),
        (["--wall", "wall-1", "--width", "nan"], "got 'nan', expected inches"),
        (["--wall", "wall-1", "--dpi", "5"], "got '5', expected a whole number from 50 to 2400"),
        (["--wall", "wall-1", "--width", "1.5", "--height", "1.5"], "do not fit on a figure 1.5 inches wide"),
        (["--wall", "wall-1", "--method", "umap"], "invalid choice: 'umap'"),
        ([], "the following arguments are required: --wall"),
    ],
)  # fmt: skip
def test_wrong_words_are_one_line(done, capsys, tmp_path, words, said):
    assert said in complaint(capsys, "wall", done, *words)
    assert list((tmp_path / "figures").iterdir()) == []


@pytest.mark.slow
def test_walls_that_moved_can_be_named(done, walls_file, capsys, tmp_path):
    moved = walls_file.rename(tmp_path / "moved.json")
    words = ("similarity", done, "--wall", "wall-1")
    assert "say where they are with --walls PATH" in complaint(capsys, *words)
    plot(capsys, *words, "--walls", moved)
    moved.write_text(moved.read_text(encoding="utf-8").replace("All a", "All of a"), encoding="utf-8")
    assert "are not those of the record" in complaint(capsys, *words, "--walls", moved, "--force")


def test_a_damaged_record_is_refused(done, capsys):
    (done / "labels.npz").write_bytes(b"PK")
    assert "is damaged" in complaint(capsys, "wall", done, "--wall", "wall-1")
    assert "is not a record of an encoder" in complaint(capsys, "wall", done.parent, "--wall", "wall-1")


@pytest.mark.slow
def test_a_model_that_changed_since_is_told(done, capsys, monkeypatch):
    monkeypatch.setattr(
        "fourfold.experiments.pipeline.encode.model_identity", lambda model: {"name": "another"}
    )
    printed = plot(capsys, "wall", done, "--wall", "wall-1")
    assert "are not those of the run" in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.slow
def test_a_letter_that_no_font_has_is_told_and_the_figure_drawn(tmp_path, encoder, capsys, monkeypatch):
    walls = tmp_path / "walls.json"
    text = json.dumps(walls_document(1)).replace("w0b2", "\\udbff\\udffdb2").replace("All c", "$x_1 and $y")
    walls.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    printed = plot(capsys, "wall", do_run(walls, tmp_path), "--wall", "wall-0")
    assert printed.err == (
        "fourfold: no installed font has \U0010fffd (U+10FFFD) of '\U0010fffdb2', which is drawn as a box:"
        " install a font that has it\n"
    )


@pytest.mark.slow
def test_a_data_set_is_told_from_those_whose_names_go_on(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, of in (("ocw", "a"), ("ocw_randomized", "b"), ("ocw_wordnet", "c")):
        record = made_record(of * 16, dataset=made_dataset(name=name, fingerprint=of * 64))
        write_record(tmp_path / "runs", record, made_labels(), made_labels()[..., 0].astype(float))
    for chosen in ("ocw", "ocw_r"):
        assert plot(capsys, "models", "runs", "--dataset", chosen, "--out", f"{chosen}.svg").err == ""
    assert "the records are of 3 data sets" in complaint(capsys, "models", "runs", "--dataset", "oc")


@pytest.mark.slow
def test_records_of_several_data_sets_are_chosen_from(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place, changes in enumerate(({}, {"name": "nyt", "fingerprint": "e" * 64})):
        record = made_record(str(place) * 16, dataset=made_dataset(**changes))
        write_record(tmp_path / "runs", record, made_labels(), made_labels()[..., 0].astype(float))
    assert "the records are of 2 data sets" in complaint(capsys, "models", "runs")
    assert "--dataset ocx is that of no record" in complaint(capsys, "models", "runs", "--dataset", "ocx")
    for chosen in ("nyt", "ffff"):
        assert (
            plot(capsys, "models", "runs", "--dataset", chosen, "--force").out
            == "models_correct_groups.png\n"
        )
    (tmp_path / "runs" / ("0" * 16) / "record.json").write_text("{", encoding="utf-8")
    printed = plot(capsys, "seeds", "runs", "--out", "seeds.pdf")
    assert printed.err.startswith("fourfold: left out: the record runs/0000000000000000 is damaged")
    assert printed.out == "seeds.pdf\n"
    assert "there is no record in" in complaint(capsys, "models", ".", "--force")
    assert "--metric arj is not known: did you mean ari?" in complaint(
        capsys, "seeds", "runs", "--metric", "arj"
    )


def test_records_of_one_run_have_no_seeds_to_show(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for n_seeds in (1, 2):
        record = made_record(str(n_seeds) * 16, n_seeds=n_seeds)
        labels = made_labels(n_seeds=n_seeds)
        write_record(tmp_path / "runs", record, labels, labels[..., 0].astype(float))
    printed = plot(capsys, "seeds", "runs")
    assert printed.err == "fourfold: left out: the record 1111111111111111 has one run, which has no spread\n"
    assert "every record has one run" in complaint(capsys, "seeds", f"runs/{'1' * 16}", "--force")


def test_an_unknown_figure_has_a_near_one_named(capsys):
    assert "'plot walls' is not a figure: did you mean wall?" in complaint(capsys, "walls")
    assert "'plot tree' is not a figure: choose from wall, similarity, models, seeds" in complaint(
        capsys, "tree"
    )


@pytest.mark.parametrize("figure", ["wall", "similarity", "models", "seeds"])
def test_each_figure_has_help(figure, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["plot", figure, "--help"])
    assert exit_.value.code == 0
    assert f"usage: fourfold plot {figure}" in capsys.readouterr().out


def test_without_the_extra_it_is_named(done, capsys, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module == "matplotlib" else sys)
    assert complaint(capsys, "wall", done, "--wall", "wall-1") == (
        "fourfold: 'fourfold plot' needs matplotlib, which the base install leaves out:"
        " pip install 'fourfold[plot]'\n"
    )
