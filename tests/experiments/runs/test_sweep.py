"""A sweep in this process, with an encoder that needs no model: what is done, kept, failed and left out."""

import errno
import io
import json
import logging

import pytest
from letter_walls import walls_document

from fourfold.conf.sweep import read_sweep
from fourfold.errors import UserError
from fourfold.experiments.pipeline import run as run_module
from fourfold.experiments.pipeline.cluster import cluster_in_blocks
from fourfold.experiments.runs import sweep as sweep_module
from fourfold.experiments.runs.encoder.files import list_records
from fourfold.experiments.runs.encoder.runs import EncoderRuns
from fourfold.experiments.runs.sweep import Tally, do_sweep
from fourfold.experiments.runs.sweep_job import Spool
from fourfold.experiments.runs.sweep_plan import plan_sweep
from fourfold.experiments.terminal.progress import ProgressBars


@pytest.fixture
def words(walls_file, tmp_path):
    """What all sweeps here have in common."""
    return ["dataset=ocw", f"paths.ocw={walls_file}", f"out={tmp_path / 'runs'}", "cache=false"]


def go(*words):
    sweep = read_sweep(words)
    tally = Tally()
    do_sweep(
        sweep, plan_sweep(EncoderRuns(), sweep, ProgressBars(shown=False)), ProgressBars(shown=False), tally
    )
    return tally


def records(tmp_path):
    return {listed.folder.name: listed.record for listed in list_records(tmp_path / "runs")}


@pytest.mark.slow
def test_every_run_keeps_a_record_and_is_not_repeated(words, encoder, tmp_path, capsys):
    first = go(*words, "seeds=1,2", "solver.n_init=1,2")
    assert (first.total, len(first.done), first.before, first.failed, first.absent) == (4, 4, 0, [], [])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("[1/4] seeds=1 solver.n_init=1: done in ")
    assert len(lines) == 4
    kept = records(tmp_path)
    assert len(kept) == 4
    assert {record.config["dataset"]["path"] for record in kept.values()} == {words[1].partition("=")[2]}
    assert not [path for path in (tmp_path / "runs").iterdir() if path.name.startswith(".")]
    second = go(*words, "seeds=1,2,3", "solver.n_init=1,2")
    assert (second.total, len(second.done), second.before) == (6, 6, 4)
    assert {name: record for name, record in records(tmp_path).items() if name in kept} == kept
    third = go(*words, "seeds=1,2,3", "solver.n_init=1,2")
    assert (third.total, third.before) == (6, 6)


def test_a_split_is_for_the_data_sets_that_have_splits(walls_file, encoder, tmp_path):
    (tmp_path / "ocw").mkdir()
    for name in ("train", "validation", "test"):
        (tmp_path / "ocw" / f"{name}.json").write_text(json.dumps(walls_document(2)))
    sweep = read_sweep(
        [
            "dataset=ocw,ocw_randomized,bundled", "dataset.split=test", f"out={tmp_path / 'runs'}",
            f"paths.ocw={tmp_path / 'ocw'}", f"paths.ocw_randomized={walls_file}",
        ]
    )  # fmt: skip
    plan = plan_sweep(EncoderRuns(), sweep, ProgressBars(shown=False))
    found = {(run.config.dataset.name, run.config.dataset.split): run.label for run in plan.runs}
    assert found == {
        ("ocw", "test"): "dataset=ocw",
        ("ocw_randomized", None): "dataset=ocw_randomized",
        ("bundled", None): "dataset=bundled",
    }
    one = ["dataset=ocw,bundled", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}"]
    runs = plan_sweep(EncoderRuns(), read_sweep(one), ProgressBars(shown=False)).runs
    assert {(run.config.dataset.name, run.config.dataset.path) for run in runs} == {
        ("ocw", str(walls_file)),
        ("bundled", None),
    }
    with pytest.raises(UserError, match=r"dataset.split=test does not apply to the file .*name the folder"):
        go("dataset=ocw", f"paths.ocw={walls_file}", "dataset.split=test,validation")


@pytest.mark.slow
def test_seeds_are_for_the_solvers_that_depend_on_them(words, encoder, tmp_path, capsys):
    first = go(*words, "solver=kmeans,exact", "seeds=2,3")
    assert (first.total, len(first.done), first.failed) == (3, 3, [])
    found = sorted((record.config["solver"]["name"], record.n_seeds) for record in records(tmp_path).values())
    assert found == [("exact", 1), ("kmeans", 2), ("kmeans", 3)]
    assert "[3/3] solver=exact: done in " in capsys.readouterr().err
    again = go(*words, "solver=exact,kmeans", "seeds=3")
    assert (again.total, again.before) == (2, 2)
    both = go(*words, "solver=exact", "embedding=static,contextual", "seeds=2")
    assert (both.total, both.before, len(both.done)) == (2, 1, 2)
    contextual = [
        each for each in records(tmp_path).values() if each.config["embedding"]["name"] == "contextual"
    ]
    assert [record.n_seeds for record in contextual] == [2]


def test_what_others_log_goes_on(words, encoder):
    class Handler(logging.StreamHandler):
        closed = False

        def close(self):
            self.closed = True
            super().close()

    handler = Handler(io.StringIO())
    logging.getLogger("somebody").addHandler(handler)
    try:
        go(*words, "seeds=1")
        logging.getLogger("somebody").warning("still here")
    finally:
        logging.getLogger("somebody").removeHandler(handler)
    assert not handler.closed
    assert handler.stream.getvalue() == "still here\n"


@pytest.mark.slow
def test_runs_of_one_model_share_its_encoder_and_what_it_made(words, encoder, monkeypatch):
    made = []

    def make(*_):
        made.append(encoder)
        return encoder

    monkeypatch.setattr(run_module, "make_encoder", make)
    plan = plan_sweep(
        EncoderRuns(), read_sweep([*words, "seeds=1,2", "solver=kmeans"]), ProgressBars(shown=False)
    )
    assert len(plan.jobs) == 1
    made.clear()
    go(*words, "seeds=1,2", "solver.n_init=1,2", "features=none,pca")
    assert len(encoder.calls) == 2  # once for each kind of features
    assert len(made) == 2  # for the plan, and for the job


@pytest.mark.slow
def test_each_model_and_embedding_is_a_job(words, encoder):
    sweep = read_sweep([*words, "model.pooling=mean,cls", "embedding=static,contextual", "seeds=1,2"])
    plan = plan_sweep(EncoderRuns(), sweep, ProgressBars(shown=False))
    assert [len(job) for job in plan.jobs] == [2, 2, 2, 2]
    for job in plan.jobs:
        assert len({(run.config.model.pooling, run.config.embedding.name) for run in job}) == 1


@pytest.mark.slow
def test_the_third_run_fails_and_the_others_are_kept(words, encoder, tmp_path, monkeypatch):
    """Case 18: a failure is listed with its reason, and it alone is tried again."""

    def fail_at_3(solver, gram, n_runs, *rest):
        if n_runs == 3:
            raise MemoryError("the device has\nno memory left")
        return cluster_in_blocks(solver, gram, n_runs, *rest)

    monkeypatch.setattr(run_module, "cluster_in_blocks", fail_at_3)
    tally = go(*words, "seeds=1,2,3,4")
    assert [label for label, _ in tally.done] == ["seeds=1", "seeds=2", "seeds=4"]
    assert tally.failed == [("seeds=3", "MemoryError: the device has no memory left")]
    kept = records(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(run_module, "make_encoder", lambda *_: encoder)
    again = go(*words, "seeds=1,2,3,4")
    assert (again.before, len(again.done), again.failed) == (3, 4, [])
    assert records(tmp_path).items() >= kept.items()


def test_the_same_run_twice_in_a_sweep_is_done_once(words, encoder):
    assert go(*words, "device=auto,cpu", "seeds=2").total == 1


def test_the_same_run_into_two_folders_is_done_in_each(words, encoder, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    tally = go(*words, f"out={here},{there}", "seeds=1")
    assert sorted(record.parent for _, record in tally.done) == [here, there]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["seeds=1,2,x"], "^seeds=x: expected a whole number"),
        (["seeds=1", "dataset.path=/no/such.json,WALLS"], "dataset.path=/no/such.json: /no/such.json"),
        (["solver=exact", "seeds=1,2"], "seeds=2 does not apply to solver=exact"),
        (
            ["experiment=seeds_1000", "solver=kmeans,exact"],
            "solver=exact: seeds=1000 does not apply to solver=exact",
        ),
        (["model=minilm,minlm"], r"^model=minlm is not known: did you mean minilm\?"),
        (["dataset=ocw,nyt"], "^dataset=nyt needs its file or folder: add .* or paths.nyt=PATH"),
        (["out=/dev/null/runs"], "out=/dev/null/runs cannot be a folder"),
        (
            ["features=none,tsne", "features.perplexity=99"],
            "features.perplexity= is a setting of other features",
        ),
        (["solver.device=cpu,toaster"], "^solver.device=toaster: "),
    ],
)
def test_what_is_wrong_anywhere_is_found_before_any_work(words, more, said, encoder, walls_file, tmp_path):
    more = [word.replace("WALLS", str(walls_file)) for word in more]
    with pytest.raises(UserError, match=said) as caught:
        go(*words, *more)
    assert "\n" not in str(caught.value)
    assert encoder.calls == []
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_model_that_an_experiment_named_and_that_is_not_here_is_no_failure(words, encoder, monkeypatch):
    def make(model, embedding):
        return encoder if model.title == "MiniLM" else Absent()

    monkeypatch.setattr(run_module, "make_encoder", make)
    tally = go("experiment=table3", *words[1:], "seeds=1")
    assert [label for label, _ in tally.done] == ["model=minilm"]
    assert len(tally.absent) == 11
    assert tally.absent[0] == ("model=glove", "it is not on this machine")
    assert tally.failed == []
    named = go("experiment=table3", "model=minilm,glove", *words[1:], "seeds=1")
    assert named.failed == [("model=glove", "it is not on this machine")]
    assert len(named.done) == 1


class Absent:
    name = "absent"

    def encode(self, texts, progress=None):
        raise AssertionError("it was to be asked for its model first")

    def describe(self):
        raise UserError("it is not on this machine")


@pytest.mark.slow
def test_an_interrupted_sweep_keeps_what_is_done(words, encoder, tmp_path, monkeypatch):
    def interrupt_at_2(solver, gram, n_runs, *others):
        if n_runs == 2:
            raise KeyboardInterrupt
        return cluster_in_blocks(solver, gram, n_runs, *others)

    monkeypatch.setattr(run_module, "cluster_in_blocks", interrupt_at_2)
    sweep, tally = read_sweep([*words, "seeds=1,2,3"]), Tally()
    plan = plan_sweep(EncoderRuns(), sweep, ProgressBars(shown=False))
    with pytest.raises(KeyboardInterrupt):
        do_sweep(sweep, plan, ProgressBars(shown=False), tally)
    assert (len(tally.done), tally.total) == (1, 3)
    assert len(list((tmp_path / "runs").iterdir())) == 1


@pytest.mark.slow
def test_a_job_that_ends_before_its_time_is_tried_once_more(words, encoder, monkeypatch):
    launched = []

    def die_with_2(job, numbers, launcher_words, folder):
        launched.append(list(numbers))
        for number in numbers:
            for run in job.jobs[number]:
                if job.spool.read(run.number) is None:
                    job.spool.begin(run.number)
                    if run.config.seeds == 2:
                        raise RuntimeError("a worker was killed")
                    job.spool.report(run.number, job._done(run, run_module.Shared()))

    monkeypatch.setattr(sweep_module, "launch", die_with_2)
    tally = go(*words, "seeds=1,2,3")
    assert [label for label, _ in tally.done] == ["seeds=1", "seeds=3"]
    reason = "its job ended before it was done (RuntimeError: a worker was killed)"
    assert tally.failed == [("seeds=2", reason)]
    assert launched == [[0], [0], [0]]


def test_a_launcher_that_cannot_start_fails_every_run_at_once(words, encoder, tmp_path, monkeypatch):
    def refuse(*_):
        raise FileNotFoundError("no sbatch")

    monkeypatch.setattr(sweep_module, "launch", refuse)
    tally = go(*words, "seeds=1,2")
    assert [label for label, _ in tally.failed] == ["seeds=1", "seeds=2"]
    assert "no sbatch" in tally.failed[0][1]
    assert not (tmp_path / "runs").exists()


def test_data_sets_have_a_path_each(words, encoder, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps(walls_document(2)), encoding="utf-8")
    tally = go(*words[1:], "dataset=ocw,ocw_randomized", f"paths.ocw_randomized={other}", "seeds=1")
    assert [label for label, _ in tally.done] == ["dataset=ocw", "dataset=ocw_randomized"]
    assert sorted(record.dataset.n_walls for record in records(tmp_path).values()) == [2, 3]


def test_a_full_disk_under_the_sweeps_own_folder_names_out(words, tmp_path, encoder, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Spool, "report", full)
    with pytest.raises(UserError, match=r"out=.*runs cannot be written to .No space left.*: make room"):
        go(*words, "seeds=1,2")
    assert "Error executing job" not in capsys.readouterr().err
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").glob(".*"))
