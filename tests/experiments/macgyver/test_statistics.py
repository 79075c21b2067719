"""The counts of a release beside the paper's."""

import json

import pytest
from macgyver_files import released_folder, write_release

from fourfold.experiments.cli import main
from fourfold.experiments.macgyver.readers import read_release
from fourfold.experiments.macgyver.statistics import statistics


def by_name(found, section):
    return {count.name: count for count in found.sections[section]}


def test_counts_and_differences_of_a_small_release(tmp_path):
    found = statistics(read_release(write_release(tmp_path)))
    counts = by_name(found, "Table 1")
    values = {name: (count.value, count.of) for name, count in counts.items()}
    assert values == {
        "solvable": (2, 3),
        "unsolvable": (1, 3),
        "problems": (3, None),
        "unconventional": (1, 2),
        "conventional": (1, 2),
    }
    assert counts["solvable"].percent == pytest.approx(200 / 3)
    assert counts["conventional"].difference == 1 - 233
    benchmark = by_name(found, "Benchmark")
    assert benchmark["problems of the benchmark"].value == 2
    assert benchmark["answers without a label"].value == 1
    # Problem 9 has a wrong solution and a person's right answer.
    assert benchmark["problems with a solution that nothing calls wrong"].value == 3
    gpt4 = by_name(found, "GPT-4 on all problems (section 3)")
    assert gpt4["solvable: efficient"].difference == pytest.approx(50 - 18.9)
    assert gpt4["unsolvable: wrong solution"].difference is None


@pytest.mark.slow
def test_the_release_differs_from_the_paper_where_it_is_said_to():
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    found = statistics(read_release(released_folder()))
    differences = {count.name: count.difference for count in found.sections["Table 1"]}
    assert differences == {
        "solvable": 0, "unsolvable": 0, "problems": 0, "unconventional": -117, "conventional": 117,
    }  # fmt: skip
    assert by_name(found, "Benchmark")["that say as the release whether it is solvable"].value == 519 - 182
    assert "507 have none among the release" in found.notes[1]
    assert "Of the 4,771 judged answers, 349 are an answer that is judged again" in found.notes[2]
    assert found.notes[0] == (
        "The release differs from Table 1: unconventional 956 (paper 1,073); conventional 350 (paper 233)."
    )


def test_the_command_prints_a_table_or_json(tmp_path, capsys):
    folder = str(write_release(tmp_path))
    assert main(["macgyver", "stats", "--data", folder]) == 0
    text = capsys.readouterr().out
    assert ["unconventional", "1", "50.0%", "1,073", "−1,072"] in [line.split() for line in text.splitlines()]
    assert main(["macgyver", "stats", "--data", folder, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["sections"]["Table 1"][0] == {
        "name": "solvable", "value": 2, "percent": pytest.approx(200 / 3), "paper": 1306,
        "paper_unit": "count", "difference": -1304,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["stat"], "'macgyver stat' is not a command: did you mean stats?"),
        (["stats"], "the following arguments are required: --data"),
        (["stats", "--data", "/no/where"], "--data /no/where: got no such folder"),
    ],
)
def test_what_is_wrong_is_one_line(capsys, words, told):
    assert main(["macgyver", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"fourfold: {told}")
    assert captured.err.count("\n") == 1


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as raised:
        main(["macgyver", "--help"])
    assert raised.value.code == 0
    assert "  stats " in capsys.readouterr().out
