"""A record's text, what is wrong with a damaged one, and its name."""

import json

import pytest
from made_records import made_record

from fourfold.experiments.record import SCHEMA, Record, record_name

CONFIG = {
    "model": {"name": "a/model", "pooling": "cls", "device": "cpu"},
    "embedding": {"name": "static"},
    "solver": {"name": "kmeans", "n_init": 10, "device": "auto"},
    "dataset": {"path": "/here/walls.json", "name": "ocw"},
    "seeds": 16,
    "out": "runs",
    "device": "auto",
}


def changed(key, value):
    config = json.loads(json.dumps(CONFIG))
    group, _, last = key.rpartition(".")
    (config[group] if group else config)[last] = value
    return config


def test_a_record_reads_back_as_it_was_written():
    record = made_record(timings={"encode": 0.1 + 0.2})
    assert Record.from_json(record.to_json()) == record


def test_accents_stay_legible():
    assert "Théâtre" in made_record(platform="Théâtre").to_json()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[: len(text) // 2], "no whole JSON"),
        (lambda _: "", "no whole JSON"),
        (lambda _: "[]", "expected a JSON object, got a list"),
        (lambda text: text.replace(f'"schema": {SCHEMA}', '"schema": 999'), "its schema is 999, .* reads 1"),
        (lambda text: text.replace('"timings"', '"timing"'), "the record lacks timings"),
        (lambda text: text.replace('"schema"', '"more": 1, "schema"'), "the record has more, which"),
        (lambda text: text.replace('"fingerprint"', '"print"'), "dataset lacks fingerprint"),
        (lambda text: text.replace('"n_seeds": 2', '"n_seeds": 3'), "metrics.wd has 2 values for 3 runs"),
        (lambda text: json.dumps(json.loads(text) | {"dataset": None}), "dataset: expected an object"),
        (lambda text: json.dumps(json.loads(text) | {"metrics": []}), "metrics: expected an object"),
    ],
)
def test_a_damaged_record_says_what_is_wrong(damage, said):
    with pytest.raises(ValueError, match=said):
        Record.from_json(damage(made_record().to_json()))


def test_nan_is_never_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        made_record(timings={"encode": float("nan")}).to_json()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("out", "elsewhere"),
        ("device", "cpu"),
        ("dataset.path", "/there/walls.json"),
        ("dataset.name", "other"),
    ],
)
def test_the_name_leaves_out_what_cannot_change_a_result(key, value):
    assert record_name(changed(key, value), "f") == record_name(CONFIG, "f")


@pytest.mark.parametrize(
    ("key", "value"),
    [("model.name", "b/model"), ("model.pooling", "mean"), ("embedding.name", "contextual"), ("seeds", 17)],
)
def test_the_name_holds_what_can_change_a_result(key, value):
    assert record_name(changed(key, value), "f") != record_name(CONFIG, "f")


def test_the_name_holds_the_walls():
    names = {record_name(CONFIG, "f"), record_name(CONFIG, "g")}
    assert len(names) == 2
    assert all(len(name) == 16 and set(name) <= set("0123456789abcdef") for name in names)


def test_the_name_does_not_depend_on_the_order_of_settings():
    assert record_name(dict(reversed(CONFIG.items())), "f") == record_name(CONFIG, "f")
