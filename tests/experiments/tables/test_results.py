"""The table of a run, as a user reads it."""

import re
from pathlib import Path

import pytest
from made_records import made_dataset, made_record
from rich.console import Console

from fourfold.experiments.metrics import METRICS
from fourfold.experiments.runs.envelope import MetricEntry
from fourfold.experiments.tables.results import footer, results_sheet
from fourfold.experiments.tables.sheet import fitted


def shown(record, width=120):
    console = Console(width=width, force_terminal=False)
    with console.capture() as text:
        console.print(fitted(results_sheet(record), console))
    return text.get()


def with_paper(row="e5_base", **dataset):
    config = {"model": {"name": "a/model", "title": "A model", "paper_row": row}}
    return made_record(config=config, dataset=made_dataset(**dataset))


def line_of(text, start):
    return next(line for line in text.splitlines() if line.startswith(start)).split()


def test_our_row_has_every_metric_with_its_spread_and_shares():
    text = shown(made_record())
    assert "ocw: 2 walls, 2 runs" in text
    assert line_of(text, "A model")[2:] == [f"{place}.5±0.5" for place in range(1, 8)]
    # 5.5 of 2 walls and 6.5 of 8 groups
    assert "275.0%" in text
    assert "81.2%" in text
    assert "paper" not in text
    assert "people" not in text
    for metric in METRICS.values():
        assert metric.title.split()[0] in text


def test_one_run_of_another_solver_has_no_spread():
    model = {"name": "a/model", "title": "A model"}
    text = shown(made_record(n_seeds=1, config={"model": model, "solver": {"name": "exact"}}))
    assert "2 walls, 1 run\n" in re.sub(r" +\n", "\n", text)
    assert line_of(text, "A model, exact")[3:] == [f"{place}.0" for place in range(1, 8)]
    assert "±" not in text
    assert "deviation" not in text


def test_a_contextual_run_is_named_and_not_compared_with_static_rows():
    config = with_paper("glove").config | {"embedding": {"name": "contextual"}}
    text = shown(made_record(config=config))
    assert line_of(text, "A model,")[:3] == ["A", "model,", "contextual"]
    assert "paper" not in text


def test_features_are_named_and_not_compared_with_rows_without():
    config = with_paper().config | {"features": {"name": "pca"}}
    text = shown(made_record(config=config))
    assert "A model, pca" in text
    assert "paper" not in text


def test_a_split_is_named():
    assert "ocw test: 2 walls" in shown(made_record(dataset=made_dataset(split="test")))


def test_a_model_without_a_title_goes_by_its_name():
    assert "a/model" in shown(made_record(config={"model": {"name": "a/model"}}))


def test_the_paper_is_on_other_walls_unless_these_are_its_494():
    text = shown(with_paper())
    assert line_of(text, "paper: E5 base")[3:] == [
        "83.8±0.6", "33.1±0.3", "16.3±0.4", "19.5±0.4", "1±0", "89±6", "–",
    ]  # fmt: skip
    assert "on its 494 walls" in text
    assert "4.5%" in text  # 89 of 1,976 groups
    flat = " ".join(text.split())
    assert "on the 494 walls of its test split, not on these: compare the shares" in flat


def test_the_papers_row_stands_alone_on_its_own_walls():
    text = shown(with_paper(n_walls=494, n_groups=1976))
    assert "paper: E5 base" in text
    assert "not on these" not in " ".join(text.split())
    assert "not on these" in " ".join(shown(with_paper(n_walls=494, n_groups=1976, name="nyt")).split())


def test_the_papers_settings_are_named_where_ours_are_others():
    model = {"name": "a/model", "paper_row": "e5_base", "lower_case": True, "pooling": "mean"}
    text = shown(made_record(config={"model": model}))
    assert "with pooling=cls" in text
    assert "lower_case" not in text


def test_people_are_shown_where_the_data_has_them():
    human = {"n_walls": 2, "solved_walls": 1, "correct_groups": 6}
    text = shown(made_record(dataset=made_dataset(human=human)))
    assert line_of(text, "people") == ["people", "–", "–", "–", "–", "1", "6", "–"]
    assert "50.0%" in text
    assert "75.0%" in text
    assert "people" not in shown(made_record(dataset=made_dataset(human=human, name="ocw_randomized")))
    part = {"n_walls": 1, "solved_walls": 1, "correct_groups": 4}
    text = shown(made_record(dataset=made_dataset(human=part)))
    assert re.search(r"on 1 wall\b", text)
    assert "100.0%" in text


def test_the_table_fits_a_terminal_of_80_columns():
    record = with_paper()
    values = {name: MetricEntry([85.0, 86.0], 85.5, 0.5) for name in METRICS}
    record = made_record(config=record.config, metrics=values)
    text = shown(record, width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("85.5±0.5") == len(METRICS)


@pytest.mark.parametrize("width", [70, 50, 40, 33])
def test_a_narrower_terminal_costs_no_digit(width):
    values = {name: MetricEntry([85.0, 86.0], 85.5, 0.5) for name in METRICS}
    text = shown(made_record(config=with_paper().config, metrics=values), width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("85.5±0.5") == len(METRICS)
    assert text.count("33.1±0.3") == 1
    assert "…" not in text


def test_a_contextual_or_randomized_run_is_beside_its_own_table():
    config = with_paper().config | {"embedding": {"name": "contextual"}}
    assert "46±5" in shown(made_record(config=config))
    assert "249±8" in shown(with_paper(name="ocw_randomized"))
    assert "1259±10" in shown(with_paper(name="ocw_wordnet"))


def test_a_solver_unlike_the_papers_is_named():
    config = with_paper().config | {"solver": {"name": "kmeans", "assignment_cost": "squared"}}
    assert "with assignment_cost=euclidean" in " ".join(shown(made_record(config=config)).split())


def test_the_footer_of_a_run_that_was_done_before_says_whose_timings_these_are():
    text = footer(made_record(), Path("runs/0123"), fresh=False)
    assert text.startswith("when it was run, 2026-01-02T03:04:05+00:00: encode 1.2 s, cluster 0.5 s")
    assert "when it was run" not in footer(made_record(), Path("runs/0123"))


def test_the_footer_says_where_time_went_and_where_the_record_is():
    text = footer(made_record(), Path("runs/0123"))
    assert "encode 1.2 s, cluster 0.5 s (encoder on cpu, solver on cpu)" in text
    assert text.endswith("record: runs/0123")
    assert "stopped before" not in text
    assert "3 fits of 4 stopped before they had converged" in footer(made_record(unfinished=3), Path("x"))
