"""``fourfold solve``: where the clues come from, and what is printed."""

import io
import json
import re

import pytest

from fourfold.experiments.cli import main
from fourfold.experiments.pipeline import encode as encoders

CLUES = [f"{letter}{number}" for number in range(1, 5) for letter in "abcd"]
GROUPS = [[f"{letter}{number}" for number in range(1, 5)] for letter in "abcd"]


@pytest.fixture
def stdin(monkeypatch):
    """Put bytes on standard input."""

    def put(data):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


def solved(capsys, *words):
    assert main(["solve", "--json", *words]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def complaint(capsys, *words):
    assert main(["solve", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_clues_as_arguments(encoder, capsys):
    found = solved(capsys, *CLUES)
    assert found["clues"] == CLUES
    assert found["model"] == "letters"
    assert found["groups"] == GROUPS
    assert found["cost"] == pytest.approx(4 * 5.0)
    assert len(found["runners_up"]) == 5
    costs = [found["cost"], *(other["cost"] for other in found["runners_up"])]
    assert costs == sorted(costs)
    assert {herring["clue"] for herring in found["red_herrings"]} <= set(CLUES)
    assert encoder.calls == [sorted(CLUES)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "\n".join(CLUES) + "\n",
        ", ".join(CLUES),
        "\r\n\r\n".join(f" {clue} " for clue in CLUES),
        "\ufeff" + "\n".join(CLUES),
    ],
    ids=["lines", "commas", "CRLF and blanks", "BOM"],
)
def test_clues_from_a_file_and_from_standard_input(text, encoder, capsys, tmp_path, stdin):
    path = tmp_path / "wall.txt"
    path.write_bytes(text.encode())
    assert solved(capsys, "--file", str(path))["clues"] == CLUES
    stdin(text.encode())
    assert solved(capsys, "-")["clues"] == CLUES
    stdin(text.encode())
    assert solved(capsys, "--file", "-")["clues"] == CLUES


def test_a_comma_within_a_line_of_many_is_kept(encoder, capsys, tmp_path):
    path = tmp_path / "wall.txt"
    path.write_text("Paris, a1\na2\nb1\nb2\n", encoding="utf-8")
    assert solved(capsys, "--file", str(path))["groups"] == [["Paris, a1", "a2"], ["b1", "b2"]]


@pytest.mark.parametrize(
    ("words", "sizes"),
    [
        (["--groups", "2", *CLUES[:6]], [3, 3]),
        (["--group-size", "2", *CLUES[:6]], [2, 2, 2]),
        (["--group-size", "1,2,3", *CLUES[:6]], [1, 2, 3]),
        (CLUES[:9], [3, 3, 3]),
    ],
)
def test_other_shapes(words, sizes, encoder, capsys):
    found = solved(capsys, *words)
    assert [len(group) for group in found["groups"]] == sizes


def test_the_report_for_people(encoder, capsys):
    assert main(["solve", "--top", "3", *CLUES]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0].endswith("16 clues, cost 20")
    assert "1  a1  a2  a3  a4\n" in text
    assert re.search(r"^2\.  \+\d+\.\d\d%  \w\d \d→\d, \w\d \d→\d$", text, flags=re.MULTILINE)
    assert "\n4." not in text
    assert re.search(r"^\w\d  in \d, could be in \d.*\+\d+\.\d\d%  \d of 2$", text, flags=re.MULTILINE)


def test_only_the_best(encoder, capsys):
    assert main(["solve", "--top", "1", *CLUES]) == 0
    text = capsys.readouterr().out
    assert "runners-up" not in text
    assert "red herrings" not in text


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("minilm", "packaged:all-MiniLM-L6-v2"),
        ("some/model", "some/model"),
        ("packaged:all-MiniLM-L6-v2", "packaged:all-MiniLM-L6-v2"),
    ],
)
def test_the_model_is_a_choice_or_a_name(given, name, encoder, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(encoders, "make_encoder", lambda model: asked.append(model) or encoder)
    solved(capsys, "--model", given, "--device", "cpu", *CLUES)
    assert [(model.name, model.device) for model in asked] == [(name, "cpu")]


@pytest.mark.slow
def test_several_models_are_fused(encoder, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(encoders, "make_encoder", lambda model: asked.append(model) or encoder)
    solved(
        capsys, "--model", "minilm", "--model", "some/model", "--weights", "1,2", "--device", "cpu", *CLUES
    )
    (model,) = asked
    assert [part.name for part in model.models] == ["packaged:all-MiniLM-L6-v2", "some/model"]
    assert (model.weights, model.device) == ([1.0, 2.0], "cpu")
    assert main(["solve", "--model", "minilm", "--model", "e5_base", *CLUES]) == 0
    assert capsys.readouterr().out.startswith("MiniLM + E5 base, 16 clues")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "got no clues: name them, or use --file FILE"),
        (["a1", "", "b1", "b2"], "clue 2 of 4 is empty"),
        (["--file", "/no/such/wall.txt"], "cannot read /no/such/wall.txt: No such file"),
        (["--file", "x", "a1"], "got both --file x and the clue 'a1'"),
        (CLUES[:12], "got 12 clues: .*--group-size"),
        (["--groups", "5", *CLUES], "got 16 clues and --groups 5, which does not divide"),
        (["--groups", "0", *CLUES], "--groups: got '0', expected a whole number of at least 1"),
        (["--group-size", "3,x", *CLUES], "--group-size: got 'x', expected a whole number"),
        (["--top", "none", *CLUES], "--top: got 'none', expected a whole number"),
        (["--model", "minlm", *CLUES], r"model=minlm is not known: did you mean minilm\?"),
        (
            ["--model", "minilm", "--model", "minlm", *CLUES],
            r"model=minlm is not known: did you mean minilm\?",
        ),
        (["--weights", "1,2", *CLUES], "got 2 --weights and 1 --model: give one for each"),
        (["--weights", "1,x", *CLUES], "--weights: got '1,x', expected numbers with commas"),
        (
            ["--model", "minilm", "--model", "e5_base", "--weights", "1,0", *CLUES],
            "0 for e5_base is not a weight",
        ),
        (["--fast", *CLUES], "unrecognized arguments: --fast"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_what_the_user_can_mend(words, said, encoder, capsys):
    assert re.search(said, complaint(capsys, *words))
    assert encoder.calls == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"caf\xe9\n", "not UTF-8 text .byte 3 is 0xe9"),
        (b"", "holds no clues"),
        (b'[{"groups": {}}]', "is JSON: expected one clue a line"),
        (b"\n ,, \n", "holds no clues"),
    ],
)
def test_a_text_without_clues(data, said, encoder, capsys, tmp_path, stdin):
    path = tmp_path / "wall.txt"
    path.write_bytes(data)
    said_of_file = complaint(capsys, "--file", str(path))
    assert str(path) in said_of_file
    assert re.search(said, said_of_file)
    stdin(data)
    said_of_stdin = complaint(capsys, "-")
    assert "standard input" in said_of_stdin
    assert re.search(said, said_of_stdin)
