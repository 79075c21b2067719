"""The command line as a process: speed of its help, pipes, signals, and two at once."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fourfold.experiments.runs.encoder.files import read_record

SOURCE = Path(__file__).parents[3] / "src"
WITH_LETTERS = Path(__file__).parents[2] / "support" / "run_with_letters.py"
HEAVY = ("numpy", "numba", "torch", "transformers", "sklearn", "scipy", "hydra", "omegaconf", "rich")
EXTRAS = ("torch", "transformers", "hydra", "omegaconf", "rich")
PLAIN = "import sys; from fourfold.experiments.cli import main; sys.exit(main())"


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(SOURCE), **more}


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment(),
    )  # fmt: skip


def finish(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def words(walls_file, tmp_path):
    return ["run", "dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=2"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["sweep", "--help"],
        ["runs", "--help"],
        ["solve", "--help"],
        ["export", "--help"],
    ],
)
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys; from fourfold.experiments.cli import main\n"
        f"try: main({arguments})\n"
        "except SystemExit: pass\n"
        f"print(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)"
    )
    returned, out, err = finish(start("-c", code))
    assert (returned, err) == (0, "[]\n")
    assert "fourfold" in out


def test_a_reader_that_has_gone_is_no_error():
    process = start("-c", f"import time; time.sleep(0.5); {PLAIN}", "--help")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 141
    assert err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", PLAIN, "--help"], env=environment(), stdout=full, stderr=-1, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "fourfold: the output could not be written (No space left on device): write it elsewhere\n"
    )


def test_closed_output_is_one_line():
    command = shlex.join([sys.executable, "-c", PLAIN, "--version"])
    done = subprocess.run(["sh", "-c", f"{command} >&-"], env=environment(), stderr=-1, check=False)
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "fourfold: the output could not be written (standard output is closed): write it elsewhere\n",
    )


@pytest.mark.slow
def test_an_encoding_without_accents_is_no_error(words):
    done = subprocess.run(
        [sys.executable, str(WITH_LETTERS), *words],
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"12.0?0.0" in done.stdout


@pytest.mark.slow
def test_a_pipe_sees_the_table_and_no_progress_and_a_done_run_needs_no_torch(words):
    code, first, err = finish(start(WITH_LETTERS, *words))
    assert code == 0
    assert "correct" in first.lower()
    assert "\x1b" not in first
    assert err in {"True\n", "False\n"}  # the encoder needs no torch; nothing else was printed
    code, second, err = finish(start(WITH_LETTERS, *words))
    assert code == 0
    assert re.sub("^when it was run, .*: (?=read )", "", second, flags=re.MULTILINE) == first
    assert err.startswith("this run is already done: ")
    assert err.endswith("\nFalse\n")


@pytest.mark.slow
def test_two_processes_at_once_make_one_record(words, tmp_path):
    codes, tables, _ = zip(*map(finish, [start(WITH_LETTERS, *words) for _ in range(2)]), strict=True)
    assert codes == (0, 0)
    assert tables[0].splitlines()[1:4] == tables[1].splitlines()[1:4]
    (folder,) = (tmp_path / "runs").iterdir()
    assert read_record(folder).n_seeds == 2


@pytest.mark.slow
@pytest.mark.parametrize(("kill", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_run_that_is_stopped_leaves_no_record_and_can_be_run_again(words, tmp_path, kill, code):
    begun = tmp_path / "begun"
    process = start(WITH_LETTERS, "--stall", begun, *words)
    limit = time.monotonic() + 60
    while not begun.exists() and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(kill)
    returned, out, err = finish(process)
    assert (returned, out) == (code, "")
    if kill == signal.SIGINT:
        assert err.splitlines()[0] == "fourfold: stopped; nothing was left half-written"
    assert not (tmp_path / "runs").exists()
    assert finish(start(WITH_LETTERS, *words))[0] == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert json.loads((folder / "record.json").read_text(encoding="utf-8"))["n_seeds"] == 2


@pytest.mark.slow
def test_the_base_install_exports_and_says_what_a_run_needs(words, tmp_path):
    assert finish(start(WITH_LETTERS, *words))[0] == 0
    (folder,) = (tmp_path / "runs").iterdir()
    hide = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS})); "
    code, out, err = finish(start("-c", hide + PLAIN, "export", folder))
    assert (code, out, err) == (0, f"{folder}/predictions\n", "")
    code, out, err = finish(start("-c", hide + PLAIN, *words))
    assert (code, out) == (2, "")
    assert err.startswith("fourfold: 'fourfold run' needs hydra-core, omegaconf, rich, torch, transformers, ")
    assert "pip install 'fourfold[experiments]'" in err


def test_the_package_is_run_as_a_module():
    code, out, err = finish(start("-m", "fourfold", "--version"))
    assert (code, err) == (0, "")
    assert out.startswith("fourfold ")
