"""Sixteen clues however they are typed, and texts that can be read in two ways."""

import pytest

from fourfold.errors import UserError
from fourfold.experiments.cli.solve import main
from fourfold.experiments.cli.solve_clues import clues_of, read_clues
from fourfold.experiments.pipeline.solve import group_sizes

GROUPS = [[f"{letter}{number}" for number in range(1, 5)] for letter in "abcd"]
CLUES = [clue for group in GROUPS for clue in group]


def fits(group_size=None, n_groups=None):
    def does(n_clues):
        try:
            return max(group_sizes(n_clues, group_size, n_groups)) > 1
        except UserError:
            return False

    return does


def rows(between, end="\n", groups=GROUPS):
    return "".join(between.join(group) + end for group in groups)


FORMS = {
    "a clue a line": "\n".join(CLUES),
    "a clue a line with CRLF and blank lines": "\r\n\r\n".join(CLUES) + "\r\n",
    "a clue a line between quotes": "\n".join(f'"{clue}"' for clue in CLUES),
    "commas": rows(","),
    "commas and blanks": rows(" , "),
    "commas at the ends too": rows(", ", ",\n"),
    "semicolons": rows("; "),
    "tabs": rows("\t"),
    "bars": rows(" | "),
    "bars around": "".join(f"| {' | '.join(group)} |\n" for group in GROUPS),
    "CSV with CRLF": rows(",", "\r\n"),
    "CSV with CRLF and quotes": "".join(",".join(f'"{clue}"' for clue in group) + "\r\n" for group in GROUPS),
    "two lines of eight": rows(",", groups=[CLUES[:8], CLUES[8:]]),
    "three lines of other lengths": rows(", ", groups=[CLUES[:6], CLUES[6:12], CLUES[12:]]),
    "blanks": rows(" "),
    "one line with commas": ", ".join(CLUES),
    "one line with semicolons": "; ".join(CLUES),
    "one line with bars": "|".join(CLUES),
    "one line with tabs": "\t".join(CLUES),
    "one line of groups": "; ".join(", ".join(group) for group in GROUPS),
    "one line of groups with bars": " | ".join("; ".join(group) for group in GROUPS),
}


@pytest.mark.parametrize("form", FORMS)
def test_sixteen_clues(form):
    assert clues_of(FORMS[form], "wall.txt", fits()) == CLUES


@pytest.mark.parametrize("between", [", ", ",", ";", "\t", " | ", " "])
def test_four_arguments_of_four(between):
    assert read_clues([between.join(group) for group in GROUPS], None, fits()) == CLUES


OWN = "Tinker, Tailor; Soldier | Spy"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([OWN, *CLUES[1:]]),
        "\n".join([f'"{OWN}"', *CLUES[1:]]),
        ",".join([f'"{OWN}"', *CLUES[1:]]),
        rows(",", groups=[[f'"{OWN}"', *CLUES[1:4]], *GROUPS[1:]]),
        rows(", ", groups=[[f'"{OWN}"', *CLUES[1:4]], *GROUPS[1:]]),
    ],
)
def test_a_separator_within_a_clue(text):
    assert clues_of(text, "wall.txt", fits()) == [OWN, *CLUES[1:]]


def test_names_with_a_comma_each_are_clues_and_quotes_of_their_own_stay():
    names = [f"{clue}, Jr" for clue in CLUES]
    assert clues_of("\n".join(names), "wall.txt", fits()) == names
    titles = ['"Heroes"', '7" single', '"open', *CLUES[3:]]
    assert clues_of("\n".join(titles), "wall.txt", fits()) == titles
    cities = [f"{clue}, Ohio" for clue in CLUES[:4]]
    quoted = "\n".join(f'"{city}"' for city in cities)
    assert clues_of(quoted, "wall.txt", fits()) == cities


@pytest.mark.parametrize(
    ("shape", "text", "expected"),
    [
        ({"n_groups": 2}, "a,b,c\nd,e,f", list("abcdef")),
        ({"group_size": (3, 4, 5)}, "a,b,c\nd,e,f,g\nh,i,j,k,l", list("abcdefghijkl")),
        ({"n_groups": 2}, "a\nb\nc\nd\ne\nf", list("abcdef")),
        ({}, "a\nb\nc\nd", list("abcd")),
        ({}, "a,b\nc,d", list("abcd")),
        ({}, "a b c\nd e f\ng h i", list("abcdefghi")),
    ],
)
def test_other_shapes(shape, text, expected):
    assert clues_of(text, "wall.txt", fits(**shape)) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (rows(",", groups=[*GROUPS[:3], GROUPS[3][:3]]), ("4 clues, one a line", "15 clues with commas")),
        (
            rows(" ", groups=[*GROUPS[:3], ["New", *GROUPS[3]]]),
            ("4 clues, one a line", "17 clues with blanks"),
        ),
        ("\n".join(f"{clue}, Ohio" for clue in CLUES[:4]), ("4 clues, one a line", "8 clues with commas")),
        ("a, b; c, d; e, f; g, h; i, j; k, l; m, n; o, p; q", ("9 clues", "semicolons", "commas")),
        (" ".join(CLUES), ("16 words", "put commas between clues")),
    ],
)
def test_two_readings_are_an_error_that_says_what_to_write(text, parts):
    with pytest.raises(UserError) as caught:
        clues_of(text, "wall.txt", fits())
    said = str(caught.value)
    assert said.startswith("wall.txt: got ")
    assert "expected" in said
    assert all(part in said for part in (*parts, "; "))
    assert len(said) < 400


def test_a_clue_that_begins_with_a_dash():
    with pytest.raises(UserError, match=r"such as -ism, write -- before the clues"):
        main(["-ism", *CLUES[1:]])
    with pytest.raises(UserError, match=r"such as --un, write -- before"):
        main([*CLUES[:15], "--un"])


def test_a_reading_by_blanks_is_said(capsys):
    clues_of(FORMS["blanks"], "wall.txt", fits())
    assert capsys.readouterr().err.startswith(
        "fourfold: wall.txt: read as 16 clues with blanks between them; "
    )
    clues_of(FORMS["commas"], "wall.txt", fits())
    assert capsys.readouterr().err == ""


def test_clues_that_all_hold_another_separator_are_not_taken_in_silence():
    with pytest.raises(UserError, match=r"got 4 clues with semicolons between them or 8 clues with"):
        clues_of("a,b;c,d;e,f;g,h", "FILE", lambda n: n in (4, 9, 16))
    pairs = "; ".join(f"City {n}, Country {n}" for n in range(16))
    assert clues_of(pairs, "FILE", lambda n: n == 16) == pairs.split("; ")
