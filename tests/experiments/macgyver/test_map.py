"""A map of problems or tools: clusters of bounded size with central names."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from macgyver_files import write_release, write_table

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.macgyver import problem_map as problem_vectors
from fourfold.experiments.macgyver.problem_map import central, default_bounds, make_map, short_form


def three_bunches():
    """30 vectors about three directions, the first of each bunch exactly on it."""
    rng = np.random.default_rng(0)
    centres = np.eye(5)[[0, 2, 4]]
    rows = np.repeat(centres, 10, axis=0) * rng.uniform(1, 3, (30, 1))
    noise = 0.2 * rng.standard_normal(rows.shape)
    noise[::10] = 0
    return (rows + noise).astype(np.float32)


def test_bunches_are_found_and_the_most_central_comes_first():
    made = make_map(three_bunches(), 3, 5, 15)
    assert sorted(cluster.members[0] // 10 for cluster in made.clusters) == [0, 1, 2]
    for number, cluster in enumerate(made.clusters):
        assert {member // 10 for member in cluster.members} == {cluster.members[0] // 10}
        assert (made.labels[list(cluster.members)] == number).all()
        assert 0.9 < cluster.cohesion < 1
    again = make_map(three_bunches(), 3, 5, 15)
    assert again.clusters == made.clusters


@given(st.integers(1, 40), st.data())
@settings(deadline=None, max_examples=25)
def test_sizes_are_within_the_bounds_and_nothing_is_lost(n_things, data):
    n_clusters = data.draw(st.integers(1, n_things))
    vectors = np.random.default_rng(n_things).standard_normal((n_things, 4)).astype(np.float32)
    made = make_map(vectors, n_clusters)
    low, high = default_bounds(n_things, n_clusters)
    assert (made.size_min, made.size_max) == (low, high)
    sizes = [cluster.size for cluster in made.clusters]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= high
    assert len(sizes) == n_clusters or low == 0
    assert sorted(member for cluster in made.clusters for member in cluster.members) == list(range(n_things))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((0,), "--clusters 0 for 30 things: expected from 1 to 30"),
        ((31,), "--clusters 31"),
        ((3, 11, 12), "3 clusters of 11 to 12 hold 33 to 36 and not 30"),
        ((3, 1, 9), "hold 3 to 27"),
        ((3, 12, 8), "3 clusters of 12 to 8"),
    ],
)
def test_sizes_that_cannot_be_are_one_line(arguments, told):
    with pytest.raises(UserError, match=told):
        make_map(three_bunches(), *arguments)


def test_equal_vectors_and_zeros_are_clustered_too():
    made = make_map(np.zeros((6, 3), np.float32), 2, 3, 3)
    assert [cluster.size for cluster in made.clusters] == [3, 3]


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        ("The sea boils. You have a cup.", "The sea boils."),
        (" 12. The sea boils.\nHow?", "The sea boils."),
        ("It is 5 sq. m wide. How?", "It is 5 sq. m wide."),
        ("word " * 40, "word " * 16 + "word…"),
        ("?", "?"),
    ],
)
def test_short_forms(problem, expected):
    assert short_form(problem) == expected
    assert len(short_form(problem)) <= 90


def test_central_names_are_each_once():
    (cluster,) = make_map(np.ones((4, 2), np.float32), 1).clusters
    assert central(cluster, ["a", "a", "b", "c"], 2) == ["a", "b"]


class LetterEncoder:
    """Counts of letters."""

    name = "letters"

    def encode(self, texts, progress=None):
        return np.array([[text.count(letter) for letter in "abcdefghij"] for text in texts], np.float32)

    def describe(self):
        return {}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(problem_vectors, "text_encoder", lambda model, device, cache: LetterEncoder())
    return str(write_release(tmp_path / "data"))


def test_the_command_prints_problems_or_tools(folder, capsys):
    assert main(["macgyver", "map", "--data", folder, "--clusters", "2"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("3 problems in clusters of 1 to 3, 2 in all; cohesion")
    assert "You must boil the sea." in text
    assert main(["macgyver", "map", "--data", folder, "--clusters", "3", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["size_min"], len(content["clusters"])) == (1, 3)
    assert sorted(place for cluster in content["clusters"] for place in cluster["places"]) == [1, 2, 3]
    words = [
        "macgyver",
        "map",
        "--data",
        folder,
        "--of",
        "tools",
        "--clusters",
        "3",
        "--json",
        "--least",
        "1",
    ]
    assert main([*words, "--size-min", "1", "--top", "2"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["of"], content["size_min"], content["model"]) == ("tools", 1, "letters")
    members = sorted(name for cluster in content["clusters"] for name in cluster["members"])
    assert members == ["banana", "café's menu", "napkin", "pen", "rubber band", "ruler", "spoon"]
    assert sum(cluster["times"] for cluster in content["clusters"]) == 7
    assert all(len(cluster["name"]) <= 2 for cluster in content["clusters"])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tsne", "pca"])
def test_the_map_is_drawn(folder, tmp_path, capsys, method):
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    out = tmp_path / "map.svg"
    rows = [{"text": text} for text in ("abc", "bcd", "cde", "def", "efg", "fgh", "ghi", "hij")]
    path = write_table(tmp_path / "p.jsonl", rows)
    words = ["macgyver", "map", "--data", str(path), "--clusters", "2", "--out", str(out), "--method", method]
    assert main(words) == 0
    assert capsys.readouterr().out.endswith(f"{out}\n")
    first = out.read_bytes()
    assert main([*words, "--force", "--json"]) == 0
    json.loads(capsys.readouterr().out)  # and nothing else
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--clusters", "4"], "--clusters 4 for 3 things"),
        (["--clusters", "1", "--size-max", "2"], "1 cluster of 1 to 2 hold 1 to 2 and not 3"),
        (["--of", "tools"], "no tool is in 2 problems: lower --least"),
        (["--size-max", "x"], "got 'x', expected a whole number of at least 0"),
        (["--out", "map.doc"], "which is not a format of figures"),
        (["--field", "X"], "expected --field X"),
    ],
)
def test_what_is_wrong_is_one_line_before_the_work(folder, monkeypatch, capsys, words, told):
    monkeypatch.delattr(LetterEncoder, "encode")
    assert main(["macgyver", "map", "--data", folder, *words]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
