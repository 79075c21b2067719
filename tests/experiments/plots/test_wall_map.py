"""A wall's map: what is on it and where."""

import matplotlib as mpl
import numpy as np
import pytest
from figure_boxes import contains, inside, overlap, points, text_boxes
from matplotlib.colors import to_hex
from wall_views import CLUES, CONNECTIONS, made_view, made_wall

from fourfold.errors import UserError
from fourfold.experiments.plots.group_legend import GROUP_COLOURS, GROUP_MARKERS
from fourfold.experiments.plots.sheet import LEAST_SIZE, POINTS, print_style
from fourfold.experiments.plots.wall_map import MARKER, draw_wall_map

pytestmark = pytest.mark.usefixtures("style")


def one_line(text):
    return " ".join(text.split())


def maps(figure):
    return [axes for axes in figure.axes if axes.get_label().startswith("map")]


def markers(axes):
    """Group number: the places of its markers in the axes' points."""
    return {
        int(line.get_gid().split()[1]): np.column_stack(line.get_data())
        for line in axes.lines
        if (line.get_gid() or "").startswith("group")
    }


def check_labels(figure):
    renderer = figure.canvas.get_renderer()
    for axes in maps(figure):
        frame = points(axes.get_window_extent(renderer))
        boxes = [points(text.get_window_extent(renderer)) for text in axes.texts if text.get_gid() == "clue"]
        assert len(boxes) == 16
        origin = np.array(frame[:2])
        spots = np.vstack(list(markers(axes).values())) + origin
        for i, box in enumerate(boxes):
            assert inside(box, frame)
            assert not any(overlap(box, other) for other in boxes[:i])
            nearest = np.clip(spots, box[:2], box[2:])
            assert np.hypot(*(nearest - spots).T).min() > MARKER / 2
    assert all(text.get_fontsize() >= LEAST_SIZE for text in figure.findobj(mpl.text.Text) if text.get_text())
    whole = (0, 0, *(figure.get_size_inches() * POINTS))
    for gid in ("clue", "connection", "note"):
        assert all(inside(box, whole) for _, box in text_boxes(figure, gid))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "spread"), [(396, 1.0), (396, 0.05), (252, 1.0), (504, 4.0)])
def test_labels_overlap_neither_each_other_nor_markers_nor_the_frame(width, spread):
    figure = draw_wall_map([made_view(spread=spread)], width=width)
    assert figure.get_size_inches()[0] * POINTS == pytest.approx(width)
    check_labels(figure)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pca", "kernel_pca"])
def test_other_methods_too(method):
    figure = draw_wall_map([made_view()], method)
    check_labels(figure)
    assert ("principal" if method == "pca" else "kernel PCA") in text_boxes(figure, "note")[0][0]


@pytest.mark.slow
def test_every_clue_and_every_connection_is_there_as_it_is_written():
    figure = draw_wall_map([made_view()])
    shown = sorted(one_line(text).replace(" ", "") for text, _ in text_boxes(figure, "clue"))
    assert shown == sorted(clue.replace(" ", "") for group in CLUES for clue in group)
    legend = [one_line(text) for text, _ in text_boxes(figure, "connection")]
    assert legend[:4] == list(CONNECTIONS)
    boxes = [box for _, box in text_boxes(figure, "connection")]
    assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.slow
def test_a_group_has_one_colour_and_one_marker_on_the_map_and_in_the_legend():
    view = made_view()
    figure = draw_wall_map([view])
    (axes,) = maps(figure)
    lines = {line.get_gid(): line for line in axes.lines}
    legend = next(axes for axes in figure.axes if axes.get_label() == "legend")
    for group in range(4):
        line, key = lines[f"group {group}"], legend.lines[group]
        assert len(line.get_xdata()) == 4
        for one in (line, key):
            assert to_hex(one.get_color()).upper() == GROUP_COLOURS[group].upper()
            assert one.get_marker() == GROUP_MARKERS[group]
    assert len(set(GROUP_COLOURS[:4])) == len(set(GROUP_MARKERS[:4])) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "labels",
    [None, [0] * 16, [0] + [1] * 2 + [2] * 3 + [3] * 10, [0, 5] * 8, list(range(16))],
    ids=["fours", "one", "1, 2, 3 and 10", "two", "sixteen"],
)
def test_hulls_hold_the_predicted_groups(labels):
    view = made_view(labels=labels)
    figure = draw_wall_map([view])
    (axes,) = maps(figure)
    hulls = {
        int(patch.get_gid().split()[1]): patch.get_xy()[:-1]
        for patch in axes.patches
        if (patch.get_gid() or "").startswith("hull")
    }
    assert sorted(hulls) == sorted(set(view.labels.tolist()))
    places = np.empty((16, 2))
    for group, spots in markers(axes).items():
        places[view.truth == group] = spots
    for group, corners in hulls.items():
        assert contains(corners, places[view.labels == group]).all()


@pytest.mark.slow
def test_the_same_clue_twice_is_shown_twice_with_both_markers_seen():
    wall = made_wall()
    assert wall.clues.count("Pan") == 2
    view = made_view(wall)
    twice = [place for place, clue in enumerate(wall.clues) if clue == "Pan"]
    view.vectors[twice[1]] = view.vectors[twice[0]]
    figure = draw_wall_map([view], "pca")
    check_labels(figure)
    assert [text for text, _ in text_boxes(figure, "clue")].count("Pan") == 2
    spots = np.vstack(list(markers(maps(figure)[0]).values()))
    gaps = np.linalg.norm(spots[:, np.newaxis] - spots, axis=-1)[np.triu_indices(16, 1)]
    assert gaps.min() >= MARKER


@pytest.mark.slow
def test_several_maps_stand_side_by_side_under_their_own_titles():
    views = [made_view(title="MiniLM, static"), made_view(seed=3, title="MiniLM, contextual", run=2)]
    figure = draw_wall_map(views, width=504)
    check_labels(figure)
    left, right = maps(figure)
    assert left.get_title() == "MiniLM, static: 2 of 4 groups"
    assert right.get_title() == "MiniLM, contextual: 2 of 4 groups"
    assert left.get_position().x1 < right.get_position().x0
    assert [text for text, _ in text_boxes(figure, "note")][1].startswith("wall 8cde, run 2; t-SNE")
    assert len(text_boxes(figure, "connection")) == 5


@pytest.mark.slow
@pytest.mark.parametrize(("n_views", "width"), [(1, 180), (2, 241), (2, 396), (2, 504), (3, 504)])
def test_captions_keep_apart_at_any_width(n_views, width):
    titles = ["MiniLM, static", "all-mpnet-base-v2, contextual, mean of all tokens", "E5"]
    views = [made_view(seed=place, title=titles[place], run=place) for place in range(n_views)]
    figure = draw_wall_map(views, width=width)
    check_labels(figure)
    renderer = figure.canvas.get_renderer()
    frames = [points(axes.get_window_extent(renderer)) for axes in maps(figure)]
    whole = (0, 0, *(figure.get_size_inches() * POINTS))
    captions = [box for gid in ("note", "title", "connection") for _, box in text_boxes(figure, gid)]
    assert len(captions) == 2 * n_views + 5
    assert all(inside(box, whole) for box in captions)
    assert not any(overlap(a, b) for i, a in enumerate(captions) for b in [*captions[:i], *frames])
    for gid in ("note", "title"):
        for (_, box), frame in zip(text_boxes(figure, gid), frames, strict=True):
            assert frame[0] - 0.5 <= box[0]
            assert box[2] <= frame[2] + 0.5
    notes = [one_line(text) for text, _ in text_boxes(figure, "note")]
    assert [note.partition(";")[0] for note in notes] == [f"wall 8cde, run {n}" for n in range(n_views)]


@pytest.mark.slow
def test_equal_vectors_are_drawn():
    view = made_view()
    view.vectors[:] = 1
    check_labels(draw_wall_map([view]))


@pytest.mark.slow
def test_a_figure_too_small_for_its_labels_is_refused():
    with pytest.raises(
        UserError, match=r"do not fit on a figure 2 inches wide and 2 high: raise --width or --h"
    ):
        draw_wall_map([made_view()], width=144, height=144)
    with pytest.raises(UserError, match="2 inches wide is too narrow for 2 maps"):
        draw_wall_map([made_view()] * 2, width=144)


@pytest.mark.slow
def test_a_height_is_kept():
    figure = draw_wall_map([made_view()], height=360)
    assert figure.get_size_inches() * POINTS == pytest.approx([396, 360])
    check_labels(figure)


@pytest.mark.slow
def test_the_users_settings_are_neither_used_nor_changed():
    with mpl.rc_context({"text.usetex": True, "font.size": 30, "figure.autolayout": True}):
        before = dict(mpl.rcParams)
        with print_style():
            check_labels(draw_wall_map([made_view()]))
        assert dict(mpl.rcParams) == before
