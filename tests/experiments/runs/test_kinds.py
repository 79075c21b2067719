"""A kind of run that is added gets lists, filters, comparisons, repetition, export and sweeps."""

import csv
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest
from made_records import made_record

from fourfold.conf.json_types import typed
from fourfold.conf.launcher_schema import LauncherConfig
from fourfold.conf.sweep import Sweep
from fourfold.experiments.cli import main
from fourfold.experiments.cli.sweep import sweep_runs
from fourfold.experiments.runs import kinds as registry
from fourfold.experiments.runs import store
from fourfold.experiments.runs.envelope import DatasetEntry, MetricEntry, json_object
from fourfold.experiments.runs.kinds import Kind, add_kind
from fourfold.experiments.runs.store import RecordLayout, check_schema, write_file
from fourfold.experiments.runs.sweep_plan import Done, Known


@dataclass(frozen=True)
class CoinRecord:
    """What a run of the toy kind leaves: a coin is tossed for each group."""

    schema: int
    name: str
    created: str
    config: dict
    dataset: DatasetEntry
    versions: dict
    timings: dict
    n_seeds: int
    metrics: dict[str, MetricEntry]
    tosses: list[int] = field(default_factory=list)

    def to_json(self):
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text):
        found = json_object(text)
        check_schema(found, 1)
        return typed(cls, found, "the record")


LAYOUT = RecordLayout("coin.json", "tosses.txt", "a coin", "'fourfold runs' shows it", CoinRecord.from_json)


@dataclass(frozen=True)
class CoinConfig:
    out: str
    coin: str


def toss(out, coin, mean=50.0):
    """Write the record of one run."""
    entry = MetricEntry([mean, mean], mean, 0.0)
    record = CoinRecord(
        1, f"{sum(map(ord, coin)):016x}", "2026-11-30T10:00:00+00:00", {"coin": coin}, made_record().dataset,
        {"python": "3"}, {"toss": 1.0}, 2, {"wd": entry}, [0, 1],
    )  # fmt: skip
    store.write(LAYOUT, Path(out), record, lambda folder: write_file(folder / "tosses.txt", b"01"))
    return record


class CoinRuns:
    """How a sweep does them."""

    def __init__(self, out):
        self.out = str(out)

    def compose(self, words):
        return CoinConfig(self.out, dict(word.split("=") for word in words)["coin"])

    def shown(self, word):
        return word

    def look(self, config, shared):
        return Known(f"{sum(map(ord, config.coin)):016x}", "coins", "", lambda: None)

    def is_done(self, config, name):
        return store.find(LAYOUT, Path(config.out), name) is not None

    def do(self, config, bars, shared):
        record = toss(config.out, config.coin)
        return Done(Path(config.out) / record.name, fresh=True)


@dataclass(frozen=True)
class Again:
    equal: bool

    def lines(self):
        return ["tosses: equal" if self.equal else "tosses: other"]


class CoinKind(Kind[CoinRecord]):
    name = "coin"
    plural = "of coins"
    layout = LAYOUT
    out = "runs"

    def title(self, record):
        return f"coin {record.config['coin']}"

    def repeat(self, folder, bars, walls, out, cache):
        return Again(store.read(LAYOUT, folder).tosses == [0, 1])

    def export(self, folder, out, walls, force):
        return folder / "tosses.txt"

    def runs(self):
        return CoinRuns(self.out)


@pytest.fixture
def coins(tmp_path, monkeypatch):
    """The kind, and two of its records in the folder ``runs``."""
    monkeypatch.setattr(registry, "_ADDED", [])
    monkeypatch.chdir(tmp_path)
    add_kind(CoinKind())
    return [toss("runs", "penny"), toss("runs", "euro", 40.0)]


def test_its_records_are_listed_filtered_and_sorted(coins, capsys):
    assert main(["runs"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("runs: 2 records of coins")
    assert "coin penny" in text
    assert "50.0±0.0" in text
    assert main(["runs", "coin=euro"]) == 0
    text = capsys.readouterr().out
    assert "coin euro" in text
    assert "coin penny" not in text
    assert main(["runs", "--json", "--sort", "wd"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(each["kind"], each["title"]) for each in listed] == [
        ("coin", "coin euro"),
        ("coin", "coin penny"),
    ]
    assert main(["runs", "coins=1"]) == 2
    assert "no record has a setting coins: did you mean coin=?" in capsys.readouterr().err


def test_its_records_are_compared_repeated_and_exported(coins, capsys):
    penny, euro = (str(Path("runs") / record.name) for record in coins)
    assert main(["runs", "--compare", penny, euro]) == 0
    text = capsys.readouterr().out
    assert "coin: penny -> euro" in text
    assert "WD" in text
    assert main(["run", "--from", penny]) == 0
    assert capsys.readouterr().out == "tosses: equal\n"
    assert main(["export", penny]) == 0
    assert capsys.readouterr().out == f"{penny}/tosses.txt\n"


def test_its_runs_are_swept_and_not_repeated(coins, capsys, tmp_path):
    runs = (("coin=penny",), ("coin=cent",))
    sweep = Sweep(runs, ("coin",), False, LauncherConfig("basic"), ("launcher=basic",))
    assert sweep_runs(CoinKind(), sweep) == 0
    printed = capsys.readouterr()
    assert "2 runs done, 1 of them now" in printed.out
    assert "coin cent" in printed.out
    assert "1 of 2 runs are done already" in printed.err


def test_a_damaged_record_of_it_is_left_out_and_named(coins, capsys):
    (Path("runs") / coins[0].name / "tosses.txt").write_text("11")
    assert main(["runs"]) == 0
    printed = capsys.readouterr()
    assert "left out: the record" in printed.err
    assert "tosses.txt is not as it was written" in printed.err
    assert "coin penny" not in printed.out


def test_another_schema_is_refused_with_what_to_do(coins, capsys):
    record = Path("runs") / coins[0].name
    record.joinpath("coin.json").write_text(coins[0].to_json().replace('"schema": 1', '"schema": 0'))
    assert main(["runs"]) == 0
    assert (
        "of an older fourfold: its schema is 0, and this fourfold reads 1: delete that folder and run again"
        in capsys.readouterr().err
    )


def test_what_a_kind_does_not_do_is_said(coins, capsys):
    class Bare(CoinKind):
        repeat = Kind.repeat
        export = Kind.export

    registry._ADDED[:] = [Bare()]
    record = str(Path("runs") / coins[0].name)
    for words, said in (
        (["run", "--from", record], "such runs cannot be repeated"),
        (["export", record], "has no predictions to export"),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err


def test_its_records_are_a_table_in_every_format(coins, capsys):
    def printed(*words):
        assert main(["runs", *words]) == 0
        return capsys.readouterr().out

    rows = list(csv.DictReader(printed("--csv", "--sort", "wd").splitlines()))
    assert [(row["kind"], row["title"], row["coin"], row["wd"]) for row in rows] == [
        ("coin", "coin euro", "euro", "40.0"),
        ("coin", "coin penny", "penny", "50.0"),
    ]
    assert [row["seconds.toss"] for row in rows] == ["1.0", "1.0"]
    assert [row["seed"] for row in csv.DictReader(printed("--csv", "--per-seed").splitlines())] == list(
        "0101"
    )
    assert "| coin penny | " in printed("--format", "markdown")
    assert r"\toprule" in printed("--format", "latex")
