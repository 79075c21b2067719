"""``fourfold runs``: listing, filters, order and comparison, as a user sees them."""

import json
import re

import numpy as np
import pytest
from language_records import made as made_language_record
from made_records import made_config, made_dataset, made_labels, made_metric, made_record

from fourfold.conf.compose import compose_run
from fourfold.conf.model_schema import ContextualConfig
from fourfold.conf.schema import DatasetConfig
from fourfold.conf.solver_schema import KMeansConfig
from fourfold.experiments.cli import main
from fourfold.experiments.runs.encoder.files import write_record
from fourfold.experiments.runs.language_model.record import write_language_record

INERTIA = np.zeros((2, 2))


@pytest.fixture
def out(tmp_path):
    """Four records: two alike but for a setting, one contextual, one on other walls."""
    minilm = compose_run([]).model
    contextual = ContextualConfig("contextual")
    nyt = DatasetConfig(name="nyt", path="/n.json", layout="nyt")
    made = {
        "0" * 16: {"config": made_config(seeds=2), "created": "2026-01-01T00:00:00+00:00"},
        "1" * 16: {"config": made_config(seeds=2, solver=KMeansConfig(n_init=3))},
        "1a" + "2" * 14: {"config": made_config(seeds=2, model=minilm, embedding=contextual)},
        "3" * 16: {
            "config": made_config(seeds=2, dataset=nyt),
            "dataset": made_dataset(name="nyt", layout="nyt", fingerprint="e" * 64),
            "created": "2026-11-01T00:00:00+00:00",
        },
    }
    for place, (name, changes) in enumerate(made.items()):
        metrics = made_record().metrics | {"ari": made_metric([float(place), place + 1.0])}
        record = made_record(name, metrics=metrics, **changes)
        labels = made_labels() if place else np.roll(made_labels(), 1, axis=2)
        write_record(tmp_path / "runs", record, labels, INERTIA)
    return tmp_path / "runs"


def shown(capsys, *words):
    assert main(["runs", *map(str, words)]) == 0
    return capsys.readouterr().out


def names(capsys, *words):
    return [entry["name"][:1] for entry in json.loads(shown(capsys, "--json", *words))]


def test_records_are_listed_newest_first_with_what_tells_them_apart(out, capsys):
    text = shown(capsys, out)
    assert text.startswith(f"{out}: 4 records")
    assert names(capsys, out)[0] == "3"
    for told in ("n_init=3", "n_init=10", "MiniLM, contextual", "nyt (2)", "11111111", "1.5±0.5"):
        assert told in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["model=minilm"], "1"),
        (["model=a/model"], "013"),
        (["model=A Model"], "013"),
        (["model=e5_base"], ""),
        (["dataset=nyt"], "3"),
        (["embedding=contextual"], "1"),
        (["solver.n_init=3"], "1"),
        (["solver.n_init=10", "embedding=static"], "03"),
        (["seeds=2"], "0113"),
        (["--since", "2026-06-01"], "3"),
        (["--since", "2026-01-01T12:00"], "113"),
        (["--since", "99999w"], "0113"),
    ],
)
def test_filters_choose(out, capsys, words, expected):
    assert sorted(names(capsys, out, *words)) == sorted(expected)


def test_a_metric_sorts_the_best_first(out, capsys):
    assert names(capsys, out, "--sort", "ari") == ["3", "1", "1", "0"]


def test_nothing_to_list_is_said(out, capsys, tmp_path):
    assert shown(capsys, out, "model=e5_base") == f"of 4 records in {out} none fits\n"
    (tmp_path / "empty").mkdir()
    assert shown(capsys, tmp_path / "empty") == f"no records in {tmp_path / 'empty'}\n"


def test_a_damaged_record_is_named_and_left_out(out, capsys):
    (out / ("0" * 16) / "record.json").write_text("{", encoding="utf-8")
    assert main(["runs", str(out)]) == 0
    printed = capsys.readouterr()
    assert "3 records" in printed.out
    assert "left out: the record" in printed.err


def test_two_records_are_compared(out, capsys):
    text = shown(capsys, out, "--compare", "000", "11")
    assert "solver.n_init: 10 -> 3" in text
    lines = {line.split("  ")[0].strip(): line.split() for line in text.splitlines()}
    assert lines["ARI ↑"][-3:] == ["0.5", "1.5", "+1.4"]  # one, over the root of .25 + .25
    assert "Over 2 seeds, 100.0% of the walls are grouped alike" in text  # a rotation of 0123 0123
    found = json.loads(shown(capsys, out, "--json", "--compare", "000", "11"))
    assert found["settings"] == {"solver.n_init": [10, 3]}
    assert found["agreement"] == {"n_seeds": 2, "same_walls": 1.0, "same_groups": 1.0, "ari": 1.0}


def test_records_of_other_walls_are_compared_in_shares(out, capsys):
    text = shown(capsys, out, "--compare", out / ("0" * 16), out / ("3" * 16))
    assert "labels are not compared" in text
    assert "dataset.name: ocw -> nyt" in text
    assert re.search(r"Correct groups ↑ % +81.2 +81.2", text)  # 6.5 of 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/no/such"], "/no/such is not a folder of records"),
        (["seeds="], "'seeds=' is not a filter"),
        (["sedes=2"], "no record has a setting sedes: did you mean seeds="),
        (["solver=kmean"], "solver=kmean is not known: did you mean kmeans"),
        (["--sort", "arri"], "--sort arri is not a metric"),
        (["--since", "yesterday"], "--since yesterday is not a time"),
        (["--since", "999999w"], "--since 999999w is not a time"),
        (["--compare", "0", "9"], "is called 9"),
        (["--compare", "0", "1"], "2 records in .* begin with 1"),
        (["--compare", "0", "3", "seeds=2"], "--compare takes two records and no filter"),
        (["other"], "got the folders"),
    ],
)
def test_a_mistake_is_one_line(out, capsys, words, said):
    where = [] if words[0] == "/no/such" else [str(out)]
    assert main(["runs", *where, *words]) == 2
    printed = capsys.readouterr()
    assert re.search(said, printed.err)
    assert printed.err.count("\n") == 1


@pytest.fixture
def with_models(out):
    """Two records of language models among the others."""
    for name, task, n_examples in (("a" * 16, 1, 3), ("b" * 16, 2, 0)):
        values = {} if task == 1 else {"rouge1": [40.0]}
        record = made_language_record(name, task=task, n_examples=n_examples, created="2026-02-01", **values)
        write_language_record(out, record, [[]], [[{"wall_id": "w"}]])
    return out


def test_language_models_are_listed_beside_the_others(with_models, capsys):
    text = shown(capsys, with_models)
    assert f"{with_models}: 4 records\n" in text
    assert f"{with_models}: 2 records of language models" in text
    found = {entry["name"][:1]: entry for entry in json.loads(shown(capsys, "--json", with_models))}
    assert found["a"]["kind"] == "language_model"
    assert (found["a"]["model"], found["a"]["task"], found["a"]["examples"]) == ("m", 1, 3)
    assert found["b"]["metrics"] == {"rouge1": {"mean": 40.0, "std": 0.0}}
    assert found["0"]["kind"] == "encoder"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["examples=3"], "a"),
        (["model=Ours"], "ab"),
        (["model=m", "examples=0"], "b"),
        (["dataset=ocw"], "011ab"),
        (["solver.n_init=3"], "1"),
        (["--since", "2026-01-15"], "3ab"),
    ],
)
def test_filters_choose_language_models_too(with_models, capsys, words, expected):
    assert "".join(sorted(names(capsys, with_models, *words))) == expected


def test_a_metric_sorts_language_models_too(with_models, capsys):
    assert names(capsys, with_models, "--sort", "ari")[-2:] == ["a", "b"]


def test_filters_of_language_models_take_a_value_however_it_is_written(out, capsys):
    made = made_language_record("a" * 16)
    made.config["model"] |= {"temperature": 0.5, "prefix": " x"}
    write_language_record(out, made, [[]], [[]])
    for word in ("model.temperature=0.50", "model.temperature=5e-1", "model.prefix=' x'"):
        assert names(capsys, out, word) == ["a"]
    assert names(capsys, out, "model.temperature=0.51") == []


def test_a_metric_of_task_2_sorts_too(with_models, capsys):
    better = made_language_record("c" * 16, task=2, n_examples=0, created="2026-01-01", rouge1=[50.0])
    write_language_record(with_models, better, [[]], [[]])
    assert names(capsys, with_models, "--sort", "rouge1")[-3:] == ["c", "b", "a"]


def test_language_models_that_look_alike_are_told_apart(with_models, capsys):
    other = made_language_record("c" * 16, n_examples=3, created="2026-02-02")
    other.config["model"]["max_tokens"] = 99
    write_language_record(with_models, other, [[]], [[]])
    text = shown(capsys, with_models)
    assert "max_tokens=99" in text
    assert "max_tokens=null" in text


def predicted(*groups, connections=None):
    return {"wall_id": "w", "predicted_groups": groups, "predicted_connections": connections}


def test_two_language_models_are_compared(with_models, capsys):
    one = [predicted(["B", "a"], ["c", "d"]), predicted(["a", "b"], ["c", "d"])]
    two = [predicted(["c", "d"], ["a", "b"]), predicted(["a", "c"], ["b", "d"])]
    for name, answers in (("c" * 16, one), ("d" * 16, two)):
        made = made_language_record(name, n_walls=2, ari=[40.0, 50.0] if name[0] == "c" else [50.0, 60.0])
        made.config["examples"] = 3 if name[0] == "c" else 5
        write_language_record(with_models, made, [[], []], [answers, answers])
    text = shown(capsys, with_models, "--compare", "c", "d")
    assert "A: Ours. Task 1 (grouping), ocw test: 2 walls, 3 examples" in text
    assert "examples: 3 -> 5\n" in text
    lines = {line.split("  ")[0].strip(): line.split() for line in text.splitlines()}
    assert lines["ARI ↑"][-3:] == ["45.0", "55.0", "+1.4"]
    assert text.endswith(
        "Over 2 runs, 50.0% of the walls are answered alike and 50.0% of the groups are the same.\n"
    )
    found = json.loads(shown(capsys, with_models, "--json", "--compare", "c", "d"))
    assert found["agreement"] == {"n_runs": 2, "same_walls": 0.5, "same_answers": 0.5, "what": "groups"}
    text = shown(capsys, with_models, "--compare", with_models / ("b" * 16), with_models / ("c" * 16))
    assert text.endswith(
        "They have no metric in common.\n\nThe tasks are others: answers are not compared.\n"
    )


def test_connections_are_compared_as_they_are_scored(with_models, capsys):
    answers = {"c" * 16: ["Trees", " cars", "a", "b"], "d" * 16: ["trees ", "Boats", "a", "c"]}
    for name, said_of_it in answers.items():
        made = made_language_record(name, task=2, n_walls=1, rouge1=[40.0])
        write_language_record(with_models, made, [[]], [[predicted(connections=said_of_it)]])
    text = shown(capsys, with_models, "--compare", "c", "d")
    assert "0.0% of the walls are answered alike and 50.0% of the connections are the same" in text
    (with_models / ("c" * 16) / "predictions" / "run_00_predictions.json").write_text("[{}]")
    assert main(["runs", str(with_models), "--compare", "c", "d"]) == 2
    assert "is damaged" in capsys.readouterr().err


def test_a_language_model_is_not_compared_with_an_encoder(with_models, capsys):
    assert main(["runs", str(with_models), "--compare", "0", "aaa"]) == 2
    assert "0 is of an encoder and aaa of a language model: --compare takes two" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["herrings", "RECORD"],
        ["plot", "wall", "RECORD", "--wall", "w"],
        ["plot", "similarity", "RECORD", "--wall", "w"],
        ["plot", "models", "RECORD"],
        ["plot", "seeds", "RECORD"],
        ["table", "3", "RECORD"],
    ],
)
def test_what_takes_encoders_alone_says_what_takes_a_language_model(with_models, capsys, words, monkeypatch):
    monkeypatch.chdir(with_models)
    record = str(with_models / ("a" * 16))
    assert main([record if word == "RECORD" else word for word in words]) == 2
    printed = capsys.readouterr()
    assert f"{record} is the record of a language model: 'fourfold llm --from', 'runs'" in printed.err
    assert printed.err.count("\n") == 1


def test_predictions_of_a_language_model_are_there_already_or_copied(with_models, tmp_path, capsys):
    record = with_models / ("a" * 16)
    assert main(["export", str(record)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{record / 'predictions'}\n"
    assert "holds its predictions already" in printed.err
    copy = tmp_path / "copy"
    assert main(["export", str(record), "--out", str(copy)]) == 0
    assert json.loads((copy / "run_00_predictions.json").read_text()) == [{"wall_id": "w"}]
    assert main(["export", str(record), "--out", str(copy)]) == 2
    assert main(["export", str(record), "--out", str(copy), "--force"]) == 0
    assert main(["export", str(record), "--walls", "x"]) == 2
    held = record / "predictions" / "run_00_predictions.json"
    held.rename(held.with_name("run_00.json"))  # as records of before have it, without checksums
    (record / "files.sha256").unlink()
    assert main(["export", str(record), "--out", str(copy), "--force"]) == 0
    assert [path.name for path in copy.iterdir()] == [held.name]
    held.with_name("run_00.json").rename(held)
    (record / "predictions" / "run_00_predictions.json").unlink()
    assert main(["export", str(record)]) == 2
    assert "is damaged" in capsys.readouterr().err
