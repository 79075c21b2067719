"""A record's text, what is wrong with a damaged one, and its name."""

import json

import pytest
from made_records import made_dataset, made_record

from fourfold.experiments.runs.encoder.record import SCHEMA, Record, record_name

CONFIG = {
    "model": {"name": "a/model", "pooling": "cls", "device": "cpu"},
    "embedding": {"name": "static"},
    "solver": {"name": "kmeans", "n_init": 10, "device": "auto"},
    "dataset": {"path": "/here/walls.json", "name": "ocw"},
    "seeds": 16,
    "out": "runs",
    "device": "auto",
    "paths": {"ocw": "/here"},
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
        (lambda _: "[]", r"expected a JSON object, got \[\]"),
        (
            lambda text: text.replace(f'"schema": {SCHEMA}', '"schema": 999'),
            "of a newer .* is 999, .* reads 2",
        ),
        (lambda text: text.replace(f'"schema": {SCHEMA}', '"schema": 1'), "of an older .* is 1, .* reads 2"),
        (
            lambda text: text.replace(f'"schema": {SCHEMA}', '"schema": "2"'),
            "schema: expected a whole number",
        ),
        (lambda _: "[" * 100_000, "no whole JSON"),
        (lambda text: text.replace('"timings"', '"timing"'), "the record lacks timings"),
        (lambda text: text.replace('"schema"', '"more": 1, "schema"'), "the record has more, which"),
        (lambda text: text.replace('"fingerprint"', '"print"'), "dataset lacks fingerprint"),
        (lambda text: text.replace('"n_seeds": 2', '"n_seeds": 3'), "n_seeds is 3, and config.seeds 2"),
        (lambda text: json.dumps(json.loads(text) | {"dataset": None}), "dataset: expected an object"),
        (lambda text: json.dumps(json.loads(text) | {"metrics": []}), "metrics: expected an object"),
    ],
)
def test_a_damaged_record_says_what_is_wrong(damage, said):
    with pytest.raises(ValueError, match=said):
        Record.from_json(damage(made_record().to_json()))


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("name", "../elsewhere", "name: expected 16 hexadecimal digits"),
        ("created", "yesterday", "created: expected a date and time, got 'yesterday'"),
        ("n_seeds", True, "n_seeds: expected a whole number, got True"),
        ("unfinished", 0.5, "unfinished: expected a whole number, got 0.5"),
        ("platform", None, "platform: expected a text, got None"),
        ("timings.encode", "1 s", "timings.encode: expected a number, got '1 s'"),
        ("timings.encode", float("nan"), "timings.encode: expected a number, got nan"),
        ("timings.encode", 10**400, "timings.encode: expected a number, got 1000"),
        ("versions.numba", 1, "versions.numba: expected a text, got 1"),
        ("versions", [], r"versions: expected an object, got \[\]"),
        ("device", {"encoder": "cpu"}, "device lacks solver"),
        ("dataset.n_walls", 0, "dataset.n_walls: expected at least 1, got 0"),
        ("dataset.human", {"n_walls": 1}, "dataset.human lacks correct_connections"),
        ("encoder.unknown", 3, "encoder.unknown: expected an object, got 3"),
        ("encoder.equal", 5, "encoder.equal: expected an object, got 5"),
        ("encoder.equal", {"clues": "a", "of_clues": 1, "walls": 0}, "encoder.equal.clues: expected a whole"),
        ("encoder.unknown", {"clues": 3}, "encoder.unknown lacks of_clues"),
        ("encoder.unknown", {"glove": {"clues": "x"}}, "encoder.unknown.glove lacks"),
        ("metrics.fleeb", {"per_seed": [1.0, 1.0], "mean": 1.0, "std": 0.0}, "metrics.fleeb is not a metric"),
        ("metrics.wd.per_seed", [1.0, "x"], r"metrics.wd.per_seed\[1\]: expected a number, got 'x'"),
        ("metrics.wd.per_seed", [1.0], "metrics.wd has 1 value for 2 runs"),
        ("metrics.wd.mean", 50.0, "metrics.wd.mean is 50, and that of its values 1.5"),
        ("metrics.wd.std", 0.0, "metrics.wd.std is 0, and that of its values 0.5"),
        ("config", {}, "config lacks dataset, embedding, features, model, solver"),
        ("config.model.kind", "magic", "config.model.kind: expected one of transformer, .*, got 'magic'"),
        ("config.model.kind", ["words"], "config.model.kind: expected one of"),
        ("config.model.pooling", 3, "config.model.pooling: expected a text, got 3"),
        ("config.model.poling", "cls", "config.model has poling, which the schema does not"),
        ("config.solver.n_init", 0, "solver.n_init must be a whole number of at least 1, got 0"),
        ("config.seeds", 3, "n_seeds is 2, and config.seeds 3"),
    ],
)
def test_a_record_of_wrong_types_says_where(place, value, said):
    found = json.loads(made_record().to_json())
    *groups, last = place.split(".")
    inner = found
    for group in groups:
        inner = inner[group]
    inner[last] = value
    with pytest.raises(ValueError, match=said):
        Record.from_json(json.dumps(found))


def test_a_whole_number_will_do_for_a_number():
    text = made_record().to_json().replace('"encode": 1.25', '"encode": 1')
    assert Record.from_json(text).timings["encode"] == 1.0


def test_every_kind_of_encoder_and_data_set_reads_back():
    unknown = {"clues": 1, "of_clues": 32, "words": 2, "of_words": 40}
    human = {"n_walls": 2, "solved_walls": 1, "correct_groups": 5, "correct_connections": 4}
    for said in ({"unknown": unknown}, {"unknown": {"glove": unknown}}, {}):
        record = made_record(encoder=said, dataset=made_dataset(human=human))
        assert Record.from_json(record.to_json()) == record


def test_nan_is_never_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        made_record(timings={"encode": float("nan")}).to_json()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("out", "elsewhere"),
        ("device", "cpu"),
        ("model.device", "cuda"),
        ("solver.device", "cpu"),
        ("paths.ocw", "/there"),
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


def test_the_name_leaves_out_the_devices_of_fused_models():
    parts = [{"name": name, "device": "cpu"} for name in "ab"]
    others = [part | {"device": "cuda"} for part in parts]
    fused = changed("model", {"name": "fused", "models": parts})
    assert record_name(fused, "f") == record_name(changed("model", {"name": "fused", "models": others}), "f")
    assert record_name(fused, "f") != record_name(changed("model", {"name": "fused", "models": []}), "f")


def test_the_name_holds_the_walls():
    names = {record_name(CONFIG, "f"), record_name(CONFIG, "g")}
    assert len(names) == 2
    assert all(len(name) == 16 and set(name) <= set("0123456789abcdef") for name in names)


def test_the_name_does_not_depend_on_the_order_of_settings():
    assert record_name(dict(reversed(CONFIG.items())), "f") == record_name(CONFIG, "f")
