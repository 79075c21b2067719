"""The heat map of a wall's clues."""

import re

import numpy as np
import pytest
from figure_boxes import inside, overlap, text_boxes
from wall_views import CONNECTIONS, made_view, made_wall

from fourfold.errors import UserError
from fourfold.experiments.plots.sheet import POINTS
from fourfold.experiments.plots.similarity import draw_similarity, short

pytestmark = pytest.mark.usefixtures("style")


def heat_map(figure):
    return next(axes for axes in figure.axes if axes.get_label() == "similarity")


def test_cells_are_the_cosines_in_the_order_of_the_true_groups():
    view = made_view()
    shown = heat_map(draw_similarity(view)).images[0].get_array()
    order = np.argsort(view.truth, kind="stable")
    unit = view.vectors / np.linalg.norm(view.vectors, axis=1, keepdims=True)
    assert np.ma.getmaskarray(shown).tolist() == np.eye(16, dtype=bool).tolist()
    off = ~np.eye(16, dtype=bool)
    assert shown.data[off] == pytest.approx((unit @ unit.T)[np.ix_(order, order)][off])


def test_labels_follow_the_groups_and_do_not_overlap():
    view = made_view()
    figure = draw_similarity(view)
    boxes = text_boxes(figure, "clue")
    rows, columns = boxes[::2], boxes[1::2]
    expected = ["".join(view.wall.clues[place].split()) for place in np.argsort(view.truth, kind="stable")]
    for some in (rows, columns):
        assert ["".join(text.split()) for text, _ in some] == expected
        assert not any(overlap(a, b) for i, (_, a) in enumerate(some) for _, b in some[:i])
    assert [box[1] for _, box in rows] == sorted((box[1] for _, box in rows), reverse=True)
    whole = (0, 0, *(figure.get_size_inches() * POINTS))
    assert all(
        inside(box, whole) for gid in ("clue", "connection", "note") for _, box in text_boxes(figure, gid)
    )
    assert [" ".join(text.split()) for text, _ in text_boxes(figure, "connection")] == list(CONNECTIONS)


def test_groups_are_parted_by_lines():
    axes = heat_map(draw_similarity(made_view()))
    side = axes.get_xlim()[1]
    across = {line.get_xdata()[0] for line in axes.lines if list(line.get_ydata()) == [0, side]}
    assert sorted(across) == pytest.approx([side / 4, side / 2, 3 * side / 4])


@pytest.mark.slow
def test_numbers_are_in_the_cells_where_they_fit():
    figure = draw_similarity(made_view(), width=504)
    numbers = text_boxes(figure, "number")
    assert len(numbers) == 240
    assert not any(overlap(a, b, 0.5) for i, (_, a) in enumerate(numbers) for _, b in numbers[:i])
    short_clues = made_wall([[f"{letter}{digit}" for digit in range(4)] for letter in "abcd"])
    assert text_boxes(draw_similarity(made_view(short_clues), width=241), "number") == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.254, ".25"), (-0.254, "−.25"), (1.0, "1.00"), (-1.0, "−1.00"), (-0.001, ".00"), (0.0, ".00")],
)
def test_numbers_are_short(value, text):
    assert short(value) == text


def test_equal_and_zero_vectors_are_drawn():
    for value in (0, 1):
        view = made_view()
        view.vectors[:] = value
        assert heat_map(draw_similarity(view)).images


def test_a_figure_too_small_for_the_clues_is_refused():
    with pytest.raises(
        UserError, match="16 clues of wall 8cde do not fit on a figure 2 inches wide: they need a --width of "
    ):
        draw_similarity(made_view(), width=144)


@pytest.mark.slow
def test_the_size_that_a_refusal_names_is_enough():
    for height in (None, 150):
        with pytest.raises(UserError) as refused:
            draw_similarity(made_view(), width=250, height=height)
        named = [72 * float(size) for size in re.findall(r"of ([\d.]+)", str(refused.value))]
        assert draw_similarity(made_view(), *named)
