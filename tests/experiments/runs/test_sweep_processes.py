"""Sweeps as processes: killed half-way and started again, two at once, Ctrl-C, and every launcher.

Case 18 of the inputs that make other tools fail, but for its failing run, which ``test_sweep`` has.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import tiny_words
from letter_walls import walls_document

from fourfold.experiments.runs.encoder.files import list_records

SOURCE = Path(__file__).parents[3] / "src"
WITH_LETTERS = Path(__file__).parents[2] / "support" / "run_with_letters.py"
PLAIN = "import sys; from fourfold.experiments.cli import main; sys.exit(main())"


@pytest.fixture
def words(tmp_path):
    """Four runs: two data sets, two numbers of seeds."""
    paths = []
    for number, name in enumerate("ab", start=2):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(walls_document(number)), encoding="utf-8")
        paths.append(str(path))
    return [
        "sweep", "dataset=ocw", f"dataset.path={','.join(paths)}", "seeds=1,2", "cache=false",
        f"out={tmp_path / 'runs'}",
    ]  # fmt: skip


def start(*arguments, folder):
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"},
    )


def finish(process):
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def wait_for(path):
    for _ in range(12_000):
        if path.exists():
            return
        time.sleep(0.01)
    raise TimeoutError(path)


def records(tmp_path):
    found = list(list_records(tmp_path / "runs"))
    assert not [listed.problem for listed in found if listed.record is None]
    return {listed.folder.name: listed.record for listed in found}


def hidden(tmp_path):
    return [path.name for path in (tmp_path / "runs").iterdir() if path.name.startswith(".")]


def test_a_killed_sweep_goes_on_where_it_was(words, tmp_path):
    begun = tmp_path / "begun"
    process = start(WITH_LETTERS, "--stall", begun, "--after", 1, *words, folder=tmp_path)
    wait_for(begun)
    process.kill()
    process.communicate()
    kept = records(tmp_path)
    assert len(kept) == 2
    assert len(hidden(tmp_path)) == 1
    code, out, err = finish(start(WITH_LETTERS, *words, folder=tmp_path))
    assert (code, "4 runs done, 2 of them now" in out) == (0, True), err
    assert "2 of 4 runs are done already" in err
    assert len(records(tmp_path)) == 4
    assert records(tmp_path).items() >= kept.items()
    assert hidden(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "begun", "runs"]


def test_two_sweeps_at_once_lose_nothing(words, tmp_path):
    both = [start(WITH_LETTERS, *words, folder=tmp_path) for _ in range(2)]
    fresh = 0
    for process in both:
        code, out, err = finish(process)
        assert code == 0, err
        told = re.search(r"4 runs done, (\d) of them now", out)
        assert told, out
        assert int(told[1]) == len(re.findall(r": done in ", err))
        fresh += int(told[1])
    assert fresh == 4  # what the other did is not said to be one's own
    assert len(records(tmp_path)) == 4
    assert hidden(tmp_path) == []


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(words, tmp_path):
    begun = tmp_path / "begun"
    process = start(WITH_LETTERS, "--stall", begun, "--after", 1, *words, folder=tmp_path)
    wait_for(begun)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert (code, out) == (130, "")
    said = "fourfold: stopped; 2 of 4 runs are done and kept: the same command goes on with the others"
    assert said in err.splitlines()
    assert "Traceback" not in err
    assert len(records(tmp_path)) == 2
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(
    ("launcher", "package"),
    [
        ("launcher=basic", "hydra"),
        ("launcher=joblib", "hydra_plugins.hydra_joblib_launcher"),
        ("launcher=submitit_local", "hydra_plugins.hydra_submitit_launcher"),
    ],
)
def test_each_launcher_does_the_runs_and_leaves_the_folder_clean(words, launcher, package, tmp_path):
    """Two models in two jobs; one of them is not a file of vectors, and only its runs fail."""
    pytest.importorskip(package, reason="Hydra's launchers are the extras joblib and slurm")
    pytest.importorskip("gensim", reason="word vectors need the extra 'experiments'")
    clues = [f"w{wall}{letter}{n}" for wall in range(3) for letter in "abcd" for n in range(1, 5)]
    rng = np.random.default_rng(0)
    table = {clue: rng.normal(size=6).astype(np.float32) for clue in [*clues, "a1"]}
    good = tiny_words.write(tmp_path, "headless", table)
    bad = tmp_path / "bad.txt"
    bad.write_text("jam 1 2 3\ncake 1 2\n", encoding="utf-8")
    models = ["model=glove", f"model.name={good},{bad}", "model.byte_pairs=null", launcher]
    code, out, err = finish(start("-c", PLAIN, *words, *models, folder=tmp_path))
    assert code == 1, err
    assert "failed: 4 of 8 runs" in err
    assert "bad.txt" in err.split("failed: 4 of 8 runs")[1]
    assert "4 runs done, 4 of them now" in out
    assert len(records(tmp_path)) == 4
    assert hidden(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.json", "b.json", "bad.txt", "runs", good.name
    ]  # fmt: skip
