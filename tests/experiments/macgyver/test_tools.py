"""Tools read from the texts of problems; the texts here are of our own making."""

from functools import cache
from pathlib import Path

import pytest
from macgyver_files import released_folder

from fourfold.errors import UserError
from fourfold.experiments.macgyver.readers import read_release
from fourfold.experiments.macgyver.tool_names import ToolScore, read_labelled_tools, score_tools
from fourfold.experiments.macgyver.tool_statistics import count_tools, tool_differences
from fourfold.experiments.macgyver.tools import tool_name, tools_of

LABELS = Path(__file__).with_name("labelled_tools.txt")


LISTS = {
    "It is late. Tools available: a sock, two forks, and a drum. How?": "sock|forks|drum",
    "It is late. Available tools are a sock, a roll of tape and a drum.": "sock|tape|drum",
    "You have a sock, tar, felt, and salt. But the sock is wet, old, and torn.": "sock|tar|felt|salt",
    "You don't have glue, tape, or nails. You do have a drum, a bell, and a pin.": "drum|bell|pin",
    "Your toolbox includes a bell, a drum (which is cracked, sadly), and a pin.": "bell|drum|pin",
    "All you have is a bell that is loud, a drum, and a pin.": "bell|drum|pin",
    "Available to you is a bell. You also have a drum, a pin, and a cup.": "bell|drum|pin|cup",
    "On hand, you have a small, thin plate, a long-handled pan, and wax.": "plate|long-handled pan|wax",
    "You have a bell; a small, round cup, which leaks; and a drum.": "bell|round cup|drum",
    "You have a bell, which is too small, a drum, but it is torn, and a pin.": "bell|drum|pin",
    "You have a bell, a drum, a bell, and a pin.": "bell|drum|pin",
    "With a bell, a drum, a pin, and a cup, what do you do?": "bell|drum|pin|cup",
    "You’ve got a bell, a child’s drum, and a pin.": "bell|child's drum|pin",
    "You must boil the sea. You have a spoon. How?": "spoon",
    "You have ripe, firm pears, a 10,000 mAh fan, and some rust-free, hard pins.": "pears|fan|rust-free pins",
    "You have a bell, a drum too big, making it a poor fit, and a pin.": "bell|drum|pin",
    "You have a bell, no drum, and a pin that is stuck.": "bell|pin",
    "At disposal: a bell and a drum.": "bell|drum",
    "How do you do it?": "",
    "": "",
}


@pytest.mark.parametrize("text", LISTS)
def test_lists_are_found_and_cut(text):
    assert "|".join(tools_of(text)) == LISTS[text]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("a roll of old duct tape that is nearly used up", "duct tape"),
        ("three 2-liter plastic bottles", "plastic bottles"),
        ("a rusty knife with a blunt blade", "knife"),
        ("a plastic knife", "plastic knife"),
        ("a metal knife", "metal knife"),
        ("a tin can", "tin can"),
        ("a can of beans", "can of beans"),
        ("a measuring tape", "measuring tape"),
        ("a small light bulb", "light bulb"),
        ("a hair dryer", "hairdryer"),
        ("some paperclips", "paper clips"),
        ("aluminium foil", "aluminum foil"),
        ("an orange", "orange"),
        ("3D glasses", "3d glasses"),
        ("a heavy duty half-litre bottle", "bottle"),
        ("a can of old paint", "can of paint"),
        ("a vintage, very long leather belt", "vintage leather belt"),
        ("a flat and scratched stone", "flat stone"),
        ("blue and white thread", "blue and white thread"),
        ("a set of nails of varying lengths", "nails"),
        ("a hammock big and strong enough", "hammock"),
        ("a belt worn out", "belt"),
        ("a nearly used up pen", "pen"),
        ("a lamp wrapped in foil", "lamp"),
        ("these pocket-sized maps", "maps"),
        ("a compact mirror", "compact mirror"),
        ("an instruction manual", "instruction manual"),
        ("post-it notes", "post-it notes"),
        ("a sled with one ski", "sled"),
        ("a pair of stretched out socks", "stretched socks"),
        ("two litres of water", "water"),
        ("reducing its weight", ""),
        ("no hammer", ""),
        ("malleable", ""),
        ("две ложки", "две ложки"),
        ("a café's menu", "café's menu"),
        ("a pair of", ""),
        ("it", ""),
        ("12", ""),
        ("", ""),
    ],
)
def test_names_are_without_measure_size_and_state(item, expected):
    assert tool_name(item) == expected


@pytest.mark.slow
def test_a_huge_or_odd_text_is_no_trouble():
    text = "You have " + ", ".join(f"a tool{'x' * (n % 7)}" for n in range(20_000)) + "."
    assert len(tools_of(text)) == 7
    assert isinstance(tools_of("(((" * 5000 + "You have a, b, c" + "," * 5000 + "\0\ud800"), tuple)


@cache
def released():
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    release = read_release(released_folder())
    return release, count_tools(release.texts())


@pytest.mark.slow
def test_the_parser_against_100_problems_labelled_by_hand():
    """The problems were drawn before the rules were written, which were made on others."""
    labels = read_labelled_tools(LABELS)
    assert len(labels) == 100
    score = score_tools(released()[1].by_problem, labels)
    assert score.labelled == 694
    assert score.precision > 0.98
    assert score.recall > 0.965
    assert score.exact_precision > 0.875
    assert score.exact_recall > 0.86


def test_frequencies_are_near_the_papers():
    _, tools = released()
    assert sum(not found for found in tools.by_problem.values()) <= 3
    assert 3700 < len(tools.counts) < 4000
    assert 4000 < tools.n_names < 4300
    assert "zip ties" in tools.counts  # as in Table 4
    assert "zip tie" not in tools.counts
    assert tools.percent("duct tape") == pytest.approx(2.0, abs=0.1)
    assert max(tools.counts, key=tools.counts.get) == "duct tape"


def test_tools_at_which_people_are_better_are_the_papers():
    release, tools = released()
    rows = tool_differences(tools, release.answers)
    known = [row for row in rows if row.paper is not None]
    assert len(known) >= 12
    assert all(row.difference * row.paper > 0 for row in known)
    assert [row.difference for row in rows] == sorted((row.difference for row in rows), reverse=True)
    assert tool_differences(tools, [release.answers[0]]) == []


def test_scores_count_the_same_name_and_the_same_thing():
    labelled = {1: ("rope", "tin can", "bottle of ink"), 2: ("pen",), 3: ("a",)}
    found = {1: ("climbing rope", "tin cans", "bottles", "car"), 2: (), 9: ("x",)}
    score = score_tools(found, labelled)
    assert score == ToolScore(found=4, labelled=5, exact=1, same=3)
    assert (score.precision, score.recall) == (0.75, 0.6)
    assert ToolScore(0, 0, 0, 0).precision == ToolScore(0, 0, 0, 0).exact_recall == 0.0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("7: a\n8 b", "line 2: got '8 b', expected such as"),
        ("7:", "line 1: got '7:'"),
        ("7: a\n\n7: b", "line 3: got problem 7 again"),
        ("\n", "got no tools"),
    ],
)
def test_labels_of_another_form_are_one_line(tmp_path, content, told):
    path = tmp_path / "labels.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        read_labelled_tools(path)
    with pytest.raises(UserError, match="cannot be read"):
        read_labelled_tools(tmp_path / "none")
