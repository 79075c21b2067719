"""The published tables as data: every cell against the paper's text, and some by hand where it is absent."""

import re

import pytest
from shared_data import shared_path

from fourfold.conf.choices import FOLDER
from fourfold.experiments.metrics import METRICS
from fourfold.experiments.tables.paper.encoders import COLUMNS, TABLES

# How the paper's text, which has lost its subscripts, names the rows.
NAMES = {
    "GloVe": "glove",
    "FastText (Crawl)": "fasttext_crawl",
    "FastText (News)": "fasttext_news",
    "ELMoLARGE": "elmo_large",
    "DistilBERTBASE": "distilbert_base",
    "BERTLARGE": "bert_large",
    "BERTBASE": "bert_base",
    "RoBERTaLARGE": "roberta_large",
    "all-mpnetBASE": "all_mpnet_base",
    "E5LARGE": "e5_large",
    "E5BASE": "e5_base",
}
# Four percentages and two counts, each with its spread; Table 6 has no blanks between its cells.
CELLS = r"\s*".join([r"(\d+\.\d) ± (\d?\.\d)"] * 4 + [r"(\d+) ± (\d)", r"(\d+) ± (\d+)"])
STATIC_ROWS = 11
CONTEXTUAL_ROWS = 8


def rows_in_text(number):
    """The cells of a table by row, read from the lines above its caption."""
    lines = shared_path("papers/only_connect_wall.txt").read_text(encoding="utf-8").splitlines()
    (caption,) = [place for place, line in enumerate(lines) if line.startswith(f"Table {number}: ")]
    start = max(place for place in range(caption) if lines[place].startswith("WD ↓"))
    found = {}
    for line in lines[start + 1 : caption]:
        name = next((name for name in NAMES if line.startswith(name)), None)
        if name is not None:
            cells = re.fullmatch(CELLS, line.removeprefix(name).strip())
            assert cells is not None, line
            values = [float(value) for value in cells.groups()]
            found[NAMES[name]] = dict(zip(COLUMNS, zip(values[::2], values[1::2], strict=True), strict=True))
    return found


@pytest.mark.parametrize("number", TABLES)
def test_every_cell_is_the_papers(number):
    expected = rows_in_text(number)
    assert len(expected) == (CONTEXTUAL_ROWS if number == 6 else STATIC_ROWS)
    assert {key: dict(row.values) for key, row in TABLES[number].rows.items()} == expected
    assert list(TABLES[number].rows) == list(expected)


def test_what_people_solved_is_the_papers():
    text = shared_path("papers/only_connect_wall.txt").read_text(encoding="utf-8")
    human = TABLES[3].human
    assert f"{human['solved_walls']} / 494 {human['correct_groups']} / 1976" in text
    assert TABLES[6].human == human
    assert TABLES[7].human is None
    assert TABLES[8].human is None


@pytest.mark.parametrize(
    ("number", "key", "metric", "cell"),
    [
        (3, "glove", "wd", (84.9, 0.4)),
        (3, "e5_base", "correct_groups", (89, 6)),
        (3, "roberta_large", "ami", (9.4, 0.4)),
        (6, "elmo_large", "ari", (4.5, 0.5)),
        (6, "e5_base", "correct_groups", (46, 5)),
        (7, "fasttext_crawl", "solved_walls", (13, 1)),
        (7, "e5_base", "wd", (75.1, 0.8)),
        (8, "all_mpnet_base", "solved_walls", (256, 4)),
        (8, "fasttext_crawl", "correct_groups", (1173, 18)),
    ],
)
def test_some_cells_by_hand(number, key, metric, cell):
    assert TABLES[number].rows[key].values[metric] == cell


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.number)
def test_a_table_is_whole(table):
    assert table.columns == COLUMNS
    assert set(COLUMNS) == set(METRICS) - {"wd_matched"}
    for row in table.rows.values():
        assert set(row.values) == set(COLUMNS)
        assert row.section
    assert (table.n_walls, table.n_groups, table.n_runs) == (494, 1976, 16)


def test_every_row_is_that_of_a_model_and_every_models_row_is_there():
    named = set()
    for path in (FOLDER / "model").glob("*.yaml"):
        named |= set(re.findall(r"^paper_row: (\S+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert named - {"null"} == set(TABLES[3].rows)
    assert set(TABLES[6].rows) < set(TABLES[3].rows)
    assert set(TABLES[7].rows) == set(TABLES[8].rows) == set(TABLES[3].rows)
