"""Which record stands in which row of a published table, and how far off it is said to be."""

from math import sqrt
from pathlib import Path

import pytest
from made_records import made_dataset, made_record

from fourfold.experiments.runs.encoder.record import CLUSTERING
from fourfold.experiments.runs.envelope import MetricEntry
from fourfold.experiments.tables.comparison import NOT_IN_PAPER, compare_with_paper, table_of
from fourfold.experiments.tables.comparison_sheet import own_title
from fourfold.experiments.tables.paper.encoders import TABLES

K_MEANS = {
    "name": "kmeans",
    "n_init": 10,
    "max_iter": 300,
    "assignment_cost": "euclidean",
    "random_state": 42,
}
PAPER_WALLS = {"n_walls": 494, "n_groups": 1976, "split": "test"}


def record_of(row="glove", n_seeds=16, created="2026-01-01T00:00:00+00:00", values=None, **changes):
    """A record of a model of the paper on its walls, unless ``changes`` say otherwise."""
    model = {"name": "a/model", "title": "A model", "paper_row": row} | changes.pop("model", {})
    config = {"model": model, "solver": K_MEANS | changes.pop("solver", {}), "seeds": n_seeds}
    config |= {group: {"name": changes.pop(group)} for group in ("embedding", "features") if group in changes}
    record = made_record(
        n_seeds=n_seeds,
        config=config,
        created=created,
        clustering=changes.pop("clustering", CLUSTERING),
        dataset=made_dataset(**(PAPER_WALLS | changes)),
    )
    for name, (mean, std) in (values or {}).items():
        record.metrics[name] = MetricEntry([mean] * n_seeds, mean, std)
    return record


def compared(*records, number=3, **options):
    return compare_with_paper(
        TABLES[number], [(Path(f"r{place}"), record) for place, record in enumerate(records)], **options
    )


def folders(comparison, key):
    (row,) = [row for row in comparison.rows if row.key == key]
    return [str(own.folder) for own in row.ours]


def differences(record, number=3):
    return next(compared(record, number=number).own).differences


def test_every_row_of_the_paper_is_there_and_those_without_a_record_are_empty():
    found = compared(record_of("glove"))
    assert [row.key for row in found.rows] == list(TABLES[3].rows)
    assert [row.key for row in found.rows if row.ours] == ["glove"]
    assert not list(compared().own)


def test_the_difference_is_in_units_of_both_spreads():
    # The paper has 84.9 with a spread of 0.4.
    assert differences(record_of(values={"wd": (85.4, 0.3)}))["wd"] == pytest.approx(0.5 / 0.5)
    assert differences(record_of(values={"wd": (84.4, 0.0)}))["wd"] == pytest.approx(-0.5 / 0.4)


def test_counts_are_compared_as_shares():
    # The paper has 68 with a spread of 4 of 1,976 groups.
    on_half = record_of(values={"correct_groups": (33.0, 1.5)}, n_walls=247, n_groups=988)
    assert differences(on_half)["correct_groups"] == pytest.approx((66 - 68) / sqrt(3**2 + 4**2))
    on_all = record_of(values={"correct_groups": (66.0, 3.0)})
    assert differences(on_all)["correct_groups"] == pytest.approx(-2 / 5)


def test_without_any_spread_there_is_a_difference_only_where_there_is_none():
    # The paper has 0 solved walls with a spread of 0.
    assert differences(record_of(values={"solved_walls": (0.0, 0.0)}))["solved_walls"] == 0
    assert differences(record_of(values={"solved_walls": (1.0, 0.0)}))["solved_walls"] is None
    assert differences(record_of(values={"solved_walls": (1.0, 0.5)}))["solved_walls"] == pytest.approx(2)


def test_a_metric_that_a_record_lacks_has_no_difference():
    record = record_of()
    del record.metrics["wd"]
    assert differences(record)["wd"] is None
    assert differences(record)["fms"] is not None


@pytest.mark.parametrize(
    ("far", "near"),
    [
        ({"n_walls": 618, "n_groups": 2472}, {"model": {"pooling": "mean"}}),
        ({"n_walls": 30, "n_groups": 120}, {"n_walls": 618, "n_groups": 2472, "model": {"pooling": "mean"}}),
        ({"model": {"pooling": "mean"}}, {"n_seeds": 1000}),
        ({"solver": {"assignment_cost": "squared"}}, {"created": "2025-01-01T00:00:00+00:00"}),
        ({"model": {"pooling": "mean", "prefix": "query: "}}, {"model": {"pooling": "mean"}}),
        ({"n_seeds": 8}, {"n_seeds": 1000}),
        ({"clustering": CLUSTERING - 1}, {"n_walls": 30, "n_groups": 120}),
        ({"n_seeds": 1000}, {"n_seeds": 16}),
        ({"created": "2025-12-31T00:00:00+00:00"}, {"created": "2026-01-01T00:00:00+00:00"}),
    ],
)
def test_of_several_records_the_nearest_to_the_papers_run_is_shown(far, near):
    far, near = record_of(**far), record_of(**near)
    assert folders(compared(far, near), "glove") == ["r1"]
    found = compared(near, far)
    assert folders(found, "glove") == ["r0"]
    assert found.left_out == 1
    found = compared(far, near, every=True)
    assert folders(found, "glove") == ["r1", "r0"]
    assert found.left_out == 0


def test_a_record_of_an_older_clustering_is_called_so():
    old, new = (compared(record_of(clustering=version)) for version in (CLUSTERING - 1, CLUSTERING))
    assert [own_title(found.table, own) for found in (old, new) for own in found.own] == [
        "ours, of an older fourfold", "ours",
    ]  # fmt: skip


def test_settings_that_a_model_lacks_are_not_unlike_the_papers():
    (own,) = compared(record_of(model={"pooling": "mean", "lower_case": True})).own
    assert [(item.key, item.ours, item.paper) for item in own.unlike] == [("pooling", "mean", "cls")]
    (own,) = compared(record_of(solver={"name": "exact"})).own
    assert [item.written(item.ours) for item in own.unlike] == ["solver=exact"]
    (own,) = compared(record_of(solver={"name": "faiss", "max_iter": 25})).own
    assert [item.written(item.ours) for item in own.unlike] == ["solver=faiss"]


def test_a_setting_is_written_as_the_command_line_takes_it():
    (own,) = compared(record_of(model={"prefix": "query: ", "normalize": True, "pooling": "mean"})).own
    assert [item.written(item.ours) for item in own.unlike] == [
        "pooling=mean", "prefix='query: '", "normalize=true",
    ]  # fmt: skip
    assert own.unlike[1].written("") == "prefix=''"


@pytest.mark.parametrize(
    ("number", "dataset", "embedding"),
    [
        (3, "ocw", "static"),
        (6, "ocw", "contextual"),
        (7, "ocw_randomized", "static"),
        (8, "ocw_wordnet", "static"),
    ],
)
def test_a_record_belongs_to_the_table_of_its_data_set_and_embedding(number, dataset, embedding):
    record = record_of("elmo_large", embedding=embedding, name=dataset)
    for other in TABLES:
        assert bool(list(compared(record, number=other).own)) == (other == number)
    assert table_of(record) is TABLES[number]


def test_what_the_paper_has_no_table_for_is_beside_that_of_its_own_walls():
    assert table_of(record_of(name="nyt")) is TABLES[3]
    assert table_of(record_of(name="nyt", embedding="contextual")) is TABLES[6]
    assert table_of(record_of(name="ocw_randomized", embedding="contextual")) is TABLES[6]


def test_another_data_set_can_be_asked_for():
    found = compared(record_of(name="bundled", n_walls=30, n_groups=120), dataset="bundled")
    assert folders(found, "glove") == ["r0"]
    assert found.in_shares
    assert not next(found.own).on_paper_walls


def test_models_that_the_paper_does_not_have_come_last():
    found = compared(
        record_of(None, model={"title": "mine"}),
        record_of(None, model={"title": "Yours"}),
        record_of("glove", features="pca"),
        record_of(None, model={"title": "mine"}, solver={"name": "exact"}),
        record_of(None, model={"title": "mine"}, n_seeds=2),
    )
    others = [row for row in found.rows if row.key is None]
    assert [row.title for row in others] == ["A model, pca", "mine", "mine, exact", "Yours"]
    assert {row.section for row in others} == {NOT_IN_PAPER}
    assert found.left_out == 1
    assert all(value is None for row in others for own in row.ours for value in own.differences.values())


def test_a_row_that_only_another_table_has_is_not_in_this_one():
    found = compared(record_of("glove", embedding="contextual"), number=6)
    assert [row.title for row in found.rows if row.ours] == ["A model, contextual"]
    assert next(row for row in found.rows if row.ours).key is None


def test_counts_are_shown_as_shares_once_a_record_is_on_other_walls():
    assert not compared().in_shares
    assert not compared(record_of()).in_shares
    both = compared(record_of(), record_of("bert_base", n_walls=618, n_groups=2472, fingerprint="e" * 64))
    assert both.in_shares
    assert [walls.n_walls for walls in both.walls] == [494, 618]


def test_people_did_not_see_the_walls_that_are_made_of_others():
    human = {"n_walls": 494, "solved_walls": 100, "correct_groups": 1405, "correct_connections": 1}
    ((walls, counts),) = compared(record_of(human=human)).solved_by_people
    assert (walls.n_walls, counts) == (494, human)
    assert not compared(record_of(name="ocw_randomized", human=human), number=7).solved_by_people
