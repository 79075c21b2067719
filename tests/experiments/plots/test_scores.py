"""Figures of several records."""

import numpy as np
import pytest
from figure_boxes import overlap, points
from made_records import made_config, made_dataset, made_metric, made_record
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer

from fourfold.conf.model_schema import TransformerConfig
from fourfold.conf.schema import KMeansConfig
from fourfold.errors import UserError
from fourfold.experiments.metrics.scores import METRICS
from fourfold.experiments.plots.group_legend import BLUE, VERMILION
from fourfold.experiments.plots.scores import bin_edges, draw_models, draw_seeds
from fourfold.experiments.plots.yardsticks import chance, chosen_metric, people, published, titles

pytestmark = pytest.mark.usefixtures("style")

GROUPS, ARI, WD = METRICS["correct_groups"], METRICS["ari"], METRICS["wd"]
HUMAN = {"n_walls": 494, "solved_walls": 285, "correct_groups": 1405, "correct_connections": 0}


def record(title, values, paper_row=None, name=None, n_walls=494, human=HUMAN, **changes):
    config = made_config(model=TransformerConfig(f"a/{title}", title, paper_row, pooling="cls"), **changes)
    made = made_record(
        name=(name or title).encode().hex().ljust(16, "0")[:16],
        n_seeds=len(values),
        config=config,
        dataset=made_dataset(n_walls=n_walls, n_groups=4 * n_walls, human=human),
    )
    return made_record(
        name=made.name, n_seeds=len(values), config=config, dataset=made.dataset,
        metrics=made.metrics | {"correct_groups": made_metric(values), "wd": made_metric(values)},
    )  # fmt: skip


@pytest.fixture
def records():
    return [
        record("E5 base", [90.0, 86.0], "e5_base"),
        record("BERT base", [20.0, 24.0], "bert_base"),
        record("Own", [50.0, 52.0, 54.0]),
    ]


def errorbars(axes, colour):
    """(value, spread, row) of the points of that colour."""
    found = []
    for bars in axes.containers:
        if not isinstance(bars, ErrorbarContainer):
            continue
        line, _, (reach,) = bars.lines
        if to_hex(line.get_color()).upper() == colour:
            for x, y, segment in zip(*line.get_data(), reach.get_segments(), strict=True):
                found.append((x, (segment[1][0] - segment[0][0]) / 2, y))
    return found


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_each_model_has_its_row_the_best_at_the_top(records):
    axes = draw_models(records, GROUPS).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["BERT base", "Own", "E5 base"]
    values = errorbars(axes, BLUE)
    assert [value for value, _, _ in values] == [22, 52, 88]
    assert [spread for _, spread, _ in values] == pytest.approx([2, np.std([50, 52, 54]), 2])
    lower_is_better = draw_models(records, WD).axes[0]
    assert [label.get_text() for label in lower_is_better.get_yticklabels()] == [
        "E5 base",
        "Own",
        "BERT base",
    ]


def test_the_papers_value_is_beside_ours(records):
    figure = draw_models(records, GROUPS)
    paper = errorbars(figure.axes[0], VERMILION)
    assert [(value, pytest.approx(spread)) for value, spread, _ in paper] == [(22, 2), (89, 6)]
    rows = [row for _, _, row in errorbars(figure.axes[0], BLUE)]
    assert [round(row) for _, _, row in paper] == [round(rows[0]) - 6, round(rows[2]) - 6]
    assert legend_of(figure) == [
        "fourfold: mean and spread over the runs of each",
        "paper",
        "chance",
        "people: 1,405, beyond the scale",
    ]


def test_counts_of_the_paper_are_scaled_to_other_walls():
    ours = record("E5 base", [100.0, 102.0], "e5_base", n_walls=618)
    found = published(ours, GROUPS)
    assert found.mean == pytest.approx(89 * 618 / 494)
    assert found.spread == pytest.approx(6 * 618 / 494)
    assert found.name == "paper (on its 494 walls, scaled to these)"
    assert published(ours, ARI).mean == 16.3
    assert published(ours, ARI).name == "paper (on its 494 walls)"
    assert published(record("Own", [1.0]), GROUPS) is None
    assert published(ours, METRICS["wd_matched"]) is None


@pytest.mark.slow
def test_chance_is_what_random_groups_reach():
    entry = record("Own", [1.0])
    random = np.random.default_rng(0)
    truth = np.arange(16) // 4
    found, together = 0, 0
    for _ in range(20_000):
        drawn = random.permutation(truth)
        counts = np.zeros((4, 4), int)
        np.add.at(counts, (truth, drawn), 1)
        found += (counts == 4).sum()
        together += (counts * (counts - 1) / 2).sum() / 24
    assert chance(entry, GROUPS).value / 494 == pytest.approx(found / 20_000, rel=0.2)
    assert chance(entry, METRICS["fms"]).value == pytest.approx(100 * together / 20_000, rel=0.02)
    assert chance(entry, ARI).value == 0
    assert chance(entry, WD) is None


@pytest.mark.parametrize("width", [241, 396])
def test_long_names_take_their_room(width):
    long = [record(f"A model {n} with a name as long as a whole paper's", [float(n)]) for n in range(5)]
    figure = draw_models(long, GROUPS, width)
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    boxes = [points(label.get_window_extent(renderer)) for label in figure.axes[0].get_yticklabels()]
    assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert min(box[0] for box in boxes) >= 0


def test_people_are_a_line_or_words_in_the_legend(records):
    assert people(records[0], GROUPS).value == 1405
    figure = draw_models(records, GROUPS)
    assert legend_of(figure)[-1] == "people: 1,405, beyond the scale"
    assert figure.axes[0].get_xlim()[1] < 200
    near = [record("Good", [1000.0, 1004.0])]
    figure = draw_models(near, GROUPS)
    assert legend_of(figure)[-1] == "people"
    assert any(list(line.get_xdata()) == [1405, 1405] for line in figure.axes[0].lines)


def test_peoples_counts_are_scaled_where_not_every_wall_has_them():
    half = record("Own", [1.0], n_walls=100, human={**HUMAN, "n_walls": 50, "correct_groups": 120})
    assert people(half, GROUPS).value == 240
    assert people(half, GROUPS).name == "people (scaled from 50 walls)"
    assert people(record("Own", [1.0], n_walls=100, human=None), GROUPS) is None
    assert people(record("Own", [1.0], human=None), GROUPS).value == 1405  # the paper's, on its walls


def test_what_people_found_on_other_walls_is_not_shown():
    """The groups of OCW-Randomized bring along what people did on the walls that they are from."""
    easier = record("Own", [1.0, 2.0])
    easier = made_record(config=easier.config, dataset=made_dataset(name="ocw_randomized", human=HUMAN))
    assert people(easier, GROUPS) is None
    assert not any(text.startswith("people") for text in legend_of(draw_models([easier], GROUPS)))


def test_records_of_several_data_sets_are_not_shown_together(records):
    other = made_record(dataset=made_dataset(name="nyt", fingerprint="e" * 64))
    for draw in (draw_models, draw_seeds):
        with pytest.raises(
            UserError, match=r"of 2 data sets.*ocw, 494 walls .f{8}.: 3 records; nyt, 2 walls"
        ):
            draw([*records, other], GROUPS)


def test_records_of_one_name_are_told_apart_by_their_settings():
    pair = [record("Own", [1.0], name=str(n), solver=KMeansConfig(n_init=n)) for n in (1, 10)]
    assert titles(pair) == ["Own, solver.n_init=1", "Own, solver.n_init=10"]
    same = [record("Own", [1.0], name=name) for name in "ab"]
    assert titles(same) == [f"Own, {one.name[:8]}" for one in same]


def test_a_model_without_a_title_is_called_by_the_last_part_of_its_path():
    config = made_config(model=TransformerConfig("/home/me/models/mine"))
    assert titles([made_record(config=config)]) == ["mine"]


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_can_be_drawn(records, metric):
    for draw in (draw_models, draw_seeds):
        figure = draw(records, METRICS[metric])
        figure.draw_without_rendering()
        assert METRICS[metric].title in figure.axes[-1].get_xlabel()


def test_an_unknown_metric_has_a_near_one_named():
    with pytest.raises(
        UserError, match=r"--metric corect_groups is not known: did you mean correct_groups\?"
    ):
        chosen_metric("corect_groups")
    with pytest.raises(UserError, match="--metric bleu is not known: choose from wd, fms"):
        chosen_metric("bleu")


def test_each_record_has_its_histogram_on_one_scale(records):
    figure = draw_seeds(records, GROUPS)
    assert len(figure.axes) == 3
    ranked = [records[0], records[2], records[1]]
    for axes, entry in zip(figure.axes, ranked, strict=True):
        assert sum(patch.get_height() for patch in axes.patches) == entry.n_seeds
        assert axes.get_xlim() == figure.axes[0].get_xlim()
        mean = entry.metrics["correct_groups"].mean
        assert f"{mean:.1f} ± " in axes.get_title(loc="left")
        assert errorbars(axes, "#000000")[0][0] == mean
    assert legend_of(figure) == ["mean and spread", "paper"]


def test_a_record_of_one_run_has_no_spread():
    with pytest.raises(UserError, match=r"one run, which has no spread: leave it out"):
        draw_seeds([record("Own", [1.0])], GROUPS)


@pytest.mark.parametrize("n_runs", [2, 16, 1000])
@pytest.mark.parametrize("whole", [True, False])
def test_bins_hold_every_run(n_runs, whole):
    values = np.random.default_rng(n_runs).normal(50, 6, n_runs)
    values = values.round() if whole else values
    edges = bin_edges([values, values[:2]], whole)
    assert np.histogram(values, edges)[0].sum() == n_runs
    assert len(edges) <= 42
    if whole:
        assert (edges % 1 == 0.5).all()


def test_equal_values_have_one_bin():
    assert bin_edges([np.array([3.2, 3.2])], False).tolist() == [2.7, 3.7]
    assert bin_edges([np.array([3.0, 3.0])], True).tolist() == [2.5, 3.5]
