"""No text in a CSV file is a formula to a spreadsheet."""

import csv
import io

import pytest

from fourfold.experiments.tables.frame import csv_text


@pytest.mark.parametrize("title", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-model"])
def test_a_text_that_begins_like_a_formula_is_text(title):
    (line,) = csv.DictReader(io.StringIO(csv_text(["title", "ari"], [{"title": title, "ari": -0.5}])))
    assert line == {"title": f"'{title}", "ari": "-0.5"}


def test_other_texts_stay_and_what_is_missing_is_empty():
    assert csv_text(["a", "b", "c"], [{"a": "x=1", "b": None}]) == "a,b,c\nx=1,,"


def test_a_column_without_a_head_is_no_column():
    with pytest.raises(ValueError, match="'b'"):
        csv_text(["a"], [{"b": 1}])
