"""A record that is damaged is named and left out; the others are listed, compared and set into tables."""

import contextlib
import io
import shutil
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import numpy as np
from damage import damage
from language_records import made as made_language
from made_records import made_labels, made_record

from fourfold.conf.compose import compose_language_run
from fourfold.experiments.cli import main
from fourfold.experiments.games.rules import Rules
from fourfold.experiments.runs.encoder.files import write_record
from fourfold.experiments.runs.envelope import UsageEntry
from fourfold.experiments.runs.game.record import PlayRecord, write_play_record
from fourfold.experiments.runs.language_model.record import write_language_record
from fourfold.experiments.runs.store import CHECKSUMS

NAMES = [f"{number:016x}" for number in range(1, 8)]


def trial(seed: int, folder: Path) -> Counter[str]:
    """Damage one file of one record, with and without its checksums, and show all records in every way."""
    random = Random(seed)
    runs = folder / "runs"
    if not runs.exists():
        write_all(runs)
    name = random.choice(NAMES[1:6])
    whole = folder / name
    before = {path: path.read_bytes() for path in (runs / name).rglob("*") if path.is_file()}
    shutil.copytree(runs / name, whole)
    path = random.choice(list(before))
    how = damage(path, random)
    same = path.exists() and path.read_bytes() == before[path]
    noticed = not same and path.name != CHECKSUMS
    if path.name != CHECKSUMS and random.random() < 0.5:  # as in a record of before there were any
        (runs / name / CHECKSUMS).unlink()
        how, noticed = f"{how}, without checksums", False
    try:
        counts = check(runs, name, f"seed {seed}: {how} of {name}")
        assert not (noticed and counts["listed"]), f"seed {seed}: {how} of {name} is listed"
        return counts
    finally:
        shutil.rmtree(runs / name)
        whole.rename(runs / name)


def check(runs: Path, name: str, how: str) -> Counter[str]:
    """Show the records; AssertionError where a whole one is missing, or an error is not the user's."""
    counts: Counter[str] = Counter(trials=1)
    whole = [each for each in NAMES[:6] if each != name]
    out, err = show(["runs", str(runs), "--json"], how)
    for each in whole:
        assert f'"{each}"' in out, f"{how}: {each} is not listed"
    listed = f'/{name}"' in out
    assert listed or name in err, f"{how}: neither listed nor named"
    counts["listed" if listed else "left out"] += 1
    show(["runs", str(runs), "--sort", "ari", "model=a/model"], how)
    for number in ("3", "4", "5"):
        out, err = show(["table", number, str(runs), "--format", "json"], how)
    out, _ = show(["play", "--records", str(runs), "--json"], how)
    assert NAMES[6] in out, how
    for pair in (NAMES[:2], NAMES[2:4], NAMES[4:6]):
        show(["runs", str(runs), "--compare", *pair], how, also=2 if name in pair else 0)
    return counts


def show(words: list[str], how: str, also: int = 0) -> tuple[str, str]:
    """What a command prints; AssertionError unless it ends with 0 or ``also``."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["--debug", *words])
    assert code in (0, also), f"{how}: {' '.join(words)} ended with {code}: {err.getvalue()}"
    assert "\x1b" not in out.getvalue() + err.getvalue(), how
    assert all(len(line) <= 400 for line in err.getvalue().splitlines() if line.startswith("fourfold: ")), how
    return out.getvalue(), err.getvalue()


def write_all(runs: Path) -> None:
    """Two records of encoders, two of language models' groups, two of connections, and one of games."""
    inertia = np.zeros((2, 2))
    for name in NAMES[:2]:
        write_record(runs, made_record(name), made_labels(), inertia)
    clues = [f"clue {place}" for place in range(16)]
    groups = {"predicted_groups": [clues[start : start + 4] for start in (0, 4, 8, 12)]}
    named = {"predicted_connections": ["a", "b", "c", "d"]}
    for task, predictions, names in ((1, groups, NAMES[2:4]), (2, named, NAMES[4:6])):
        config = asdict(compose_language_run([f"task={task}", "model.name=m", "model.base_url=http://h/v1"]))
        values = {} if task == 1 else {"exact_match": [1.0], "rouge1": [2.0], "bertscore": [3.0]}
        for name in names:
            record = made_language(name, task=task, n_walls=2, dataset="ocw", **values)
            record = replace(record, config=config)
            write_language_record(runs, record, [[{"text": "x"}] * 2], [[predictions] * 2])
    play = PlayRecord(
        schema=1, name=NAMES[6], created=record.created, player="encoder", title="t", config={},
        rules=asdict(Rules()), order=0, dataset=record.dataset, model={}, examples=[], versions={},
        platform="", timings={}, solved=[1, 2], groups=[2, 4], ended={"solved": 1, "lives": 1, "guesses": 0},
        wrong=1, void=0, usage=UsageEntry(1, 1, 1, 1, 0, None),
    )  # fmt: skip
    write_play_record(runs, play, [{}])
