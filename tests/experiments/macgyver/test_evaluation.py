"""References, measures of answers, and how they follow people's labels."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from macgyver_files import ANSWERS, HUMAN_SOLUTIONS, PROBLEMS, released_folder, write_release
from naive_bleu import naive_bleu
from scipy import stats

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.macgyver import evaluation
from fourfold.experiments.macgyver import measures as text_measures
from fourfold.experiments.macgyver.judging import SCORES
from fourfold.experiments.macgyver.measures import correlation
from fourfold.experiments.macgyver.readers import read_release
from fourfold.experiments.macgyver.references import plain_text, references, same_text


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return read_release(write_release(tmp_path_factory.mktemp("release")))


def test_markup_and_blanks_go():
    assert plain_text(" Step 1: a < b<br>\nStep 2:\tc <BR/> d</p>") == "Step 1: a < b Step 2: c d"
    assert same_text("Use<br>\n  the Rope.", "use the rope.")
    assert not same_text("use the rope", "use a rope")


def test_sound_references_leave_out_what_is_labelled_as_wrong(release):
    assert references(release, "released") == {
        7: ("Step 1: wind the rubber band around the shoe.",),
        8: ("Step 1: write on the napkin.",),
        9: ("It cannot be done.",),
    }
    assert references(release) == {
        7: ("Step 1: wind the rubber band around the shoe.", "The band."),
        8: ("Step 1: write on the napkin.",),
        9: ("The sea is too big.",),
    }
    with pytest.raises(ValueError, match="kind is 'some'"):
        references(release, "some")


def test_a_person_who_contradicts_the_problem_is_no_reference(tmp_path):
    human = [HUMAN_SOLUTIONS[0] | {"Solvable?": "No"}, HUMAN_SOLUTIONS[1] | {"Solvable?": "Yes"}]
    found = read_release(write_release(tmp_path, additional_human_solutions=human))
    assert references(found) == {
        7: ("Step 1: wind the rubber band around the shoe.",),
        8: ("Step 1: write on the napkin.",),
    }


def test_what_counts_as_a_pair(tmp_path):
    answers = [
        *ANSWERS,
        {"ID": "7", "model": "solutions_gpt4", "annotation": "correct_efficient", "solution": "the  BAND."},
    ]
    found = read_release(write_release(tmp_path, benchmark_results=answers))
    sound = evaluation.pairs(found, "sound")
    assert (len(sound.kept), sound.identical, sound.without_reference) == (10, 1, 0)
    assert len(evaluation.pairs(found, "sound", identical=True).kept) == 11
    aggregated = evaluation.pairs(found, "sound", aggregate=True)
    ruler = [pair for pair in aggregated.kept if pair.text == "ruler"]
    assert [pair.category.name for pair in ruler] == ["E"]
    assert len(aggregated.kept) == 9


def test_answers_to_problems_without_a_solution_are_counted(tmp_path):
    problems = [PROBLEMS[0] | {"Label": "infeasible"}, *PROBLEMS[1:]]
    found = read_release(
        write_release(
            tmp_path, problem_solution_pair=problems, additional_human_solutions=HUMAN_SOLUTIONS[1:]
        )
    )
    compared = evaluation.pairs(found, "sound")
    assert {pair.problem_id for pair in compared.kept} == {9}
    assert compared.without_reference == 6
    assert evaluation.notes(compared, "sound") == [
        "Left out: 6 answers whose problem has no solution that is labelled as right."
    ]
    none = [PROBLEMS[0] | {"Label": "infeasible"}, PROBLEMS[1], PROBLEMS[2]]
    nothing = write_release(
        tmp_path / "b",
        problem_solution_pair=none,
        additional_human_solutions=[{**HUMAN_SOLUTIONS[0], "ID": "8"}],
    )
    with pytest.raises(UserError, match="no answer has both a label and a solution"):
        evaluation.pairs(read_release(nothing), "sound")


WORDS = st.lists(st.sampled_from(["rope", "Tape", "a", "of", "knot"]), max_size=9).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(text=WORDS, known=st.lists(WORDS.filter(bool), min_size=1, max_size=3), order=st.integers(1, 4))
def test_bleu_is_its_definition(text, known, order):
    pytest.importorskip("sacrebleu")
    (found,) = text_measures.bleu([text], [known], order)
    assert found == pytest.approx(naive_bleu(text, known, order), abs=1e-9)


def test_bleu_of_the_same_text_is_all_and_of_another_nothing():
    pytest.importorskip("sacrebleu")
    found = text_measures.bleu(["Tie the rope.", "xyz"], [["no", "tie the rope ."], ["a b c"]], 3)
    assert found == [pytest.approx(100), 0.0]
    assert text_measures.bleu_signature(2).startswith("nrefs:var|case:lc|eff:yes|tok:13a|smooth:exp|version:")


def test_bert_takes_the_best_reference():
    class Lengths:
        def f1(self, predicted, true):
            return [1 / (1 + abs(len(a) - len(b))) for a, b in zip(predicted, true, strict=True)]

    found = text_measures.bert(["aa", "b"], [["a", "aa", "a"], ["bbb"]], Lengths())
    assert found == [100.0, pytest.approx(100 / 3)]
    with pytest.raises(ValueError, match="name is 'rouge'"):
        text_measures.text_measure("rouge")


def naive_interval(x, y, groups, draws, seed):
    names = sorted(set(map(str, groups)))
    rng = np.random.default_rng(seed)
    found = []
    for start in range(0, draws, 100):
        weights = rng.multinomial(
            len(names), np.full(len(names), 1 / len(names)), size=min(100, draws - start)
        )
        for row in weights:
            taken = [
                place
                for name, times in zip(names, row, strict=True)
                for _ in range(times)
                for place, group in enumerate(groups)
                if str(group) == name
            ]
            a, b = [x[place] for place in taken], [y[place] for place in taken]
            if np.std(a) > 0 and np.std(b) > 0:
                found.append(np.corrcoef(a, b)[0, 1])
    return np.quantile(found, [0.025, 0.975])


def test_correlation_is_numpys_and_its_intervals_are_scipys_and_the_slow_bootstraps():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 12, 60).tolist()
    x = (rng.normal(size=60) + np.array(groups) / 4).tolist()
    y = (0.5 * np.array(x) + rng.normal(size=60)).tolist()
    found = correlation(x, y, groups, 150, seed=4)
    assert found.r == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    half = stats.norm.ppf(0.975) / np.sqrt(57)
    np.testing.assert_allclose(found.fisher, np.tanh(np.arctanh(found.r) + [-half, half]), rtol=1e-9)
    np.testing.assert_allclose(found.bootstrap, naive_interval(x, y, groups, 150, 4), rtol=1e-9)
    assert correlation(x, y, groups, 0).bootstrap is None


def test_correlation_of_what_does_not_vary_is_none():
    assert correlation([1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [1, 2, 3], 10).r is None
    assert correlation([1.0, 2.0], [0.0, 1.0], [1, 2], 10).r is None
    with pytest.raises(ValueError, match="got 1 score, 2 labels and 1 group,"):
        correlation([1.0], [1.0, 2.0], [1], 10)


def test_rows_by_subset_leave_out_what_has_no_score(release):
    kept = evaluation.pairs(release, "sound").kept
    values = [None if place == 0 else SCORES[pair.category] for place, pair in enumerate(kept)]
    found = {row.subset: row for row in evaluation.measure_rows("bleu2", kept, values, 20)}
    whole = found["all answers"]
    assert (whole.score.n, whole.n_problems, whole.score.r, whole.paper) == (9, 2, pytest.approx(1), 0.07)
    assert found["people's answers"].score.n + found["models' answers"].score.n == 9
    assert found["solvable problems"].paper is None
    with pytest.raises(ValueError, match="pairs and 1 score,"):
        evaluation.measure_rows("bleu2", kept, [1.0], 0)


def run(folder: Path, capsys, *words: str):
    code = main(["macgyver", "evaluate", "--data", str(folder), "--measures", "bleu2", *words])
    return code, capsys.readouterr()


@pytest.mark.slow
def test_bleu_of_the_released_solutions_is_the_papers(capsys):
    pytest.importorskip("sacrebleu")
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    code, printed = run(released_folder(), capsys, "--references", "released", "--draws", "0", "--json")
    whole = json.loads(printed.out)["rows"][0]
    assert (code, whole["answers"], whole["n"]) == (0, "all answers", 4547)
    assert whole["score"]["r"] == pytest.approx(0.07, abs=0.015)


def test_the_command_prints_a_table_and_json_and_writes_scores(tmp_path, capsys):
    pytest.importorskip("sacrebleu")
    folder = write_release(tmp_path / "release")
    code, printed = run(folder, capsys, "--draws", "10")
    assert code == 0
    assert "BLEU-2 (nrefs:var|case:lc" in printed.out
    assert "its BLEU comes out with --references released" in printed.out
    out = tmp_path / "scores.jsonl"
    code, printed = run(folder, capsys, "--json", "--out", str(out), "--draws", "0", "--aggregate")
    content = json.loads(printed.out)
    assert content["rows"][0]["paper"] == 0.07
    assert content["rows"][0]["score"]["bootstrap"] is None
    written = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(written) == content["rows"][0]["n"] == 9
    assert set(written[0]) == {"problem", "model", "annotation", "answer", "bleu2"}
    assert run(folder, capsys, "--out", str(out), "--draws", "0")[0] == 2
    assert run(folder, capsys, "--out", str(out), "--draws", "0", "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--measures", "rouge"], "got 'rouge', expected bleu2, bleu3"),
        (["--measures", ","], "got ','"),
        (["--draws", "-1"], "got '-1', expected a whole number of at least 0"),
        (["--draws", "1000000"], "expected at most 100,000"),
        (["--references", "none"], "invalid choice: 'none'"),
        (["--out", "nowhere/scores.jsonl"], "is not a folder: make it first"),
        (["--out", "."], "is a folder: name a file"),
        (["--out", "there.jsonl"], "there.jsonl is there already: choose another --out, or replace it with"),
        (["--out", "release/benchmark_results.jsonl"], "benchmark_results.jsonl is read as well: choose"),
        (["--out", "release/problem_solution_pair.jsonl", "--force"], "is read as well: choose"),
        (["--out", "link.jsonl", "--force"], "link.jsonl is read as well: choose another --out"),
        (["--measures", "minilm", "--device", "tpu"], "tpu"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    folder = write_release(tmp_path / "release")
    (tmp_path / "there.jsonl").write_text("mine", encoding="utf-8")
    (tmp_path / "link.jsonl").hardlink_to(folder / "benchmark_results.jsonl")
    if "--out" in words:
        monkeypatch.setattr(evaluation, "pairs", lambda *_: pytest.fail("told before the work"))
    code, printed = run(folder, capsys, *words)
    assert code == 2
    assert (tmp_path / "there.jsonl").read_text(encoding="utf-8") == "mine"
    assert told in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.slow
def test_the_release_follows_labels_weakly_as_in_the_paper():
    pytest.importorskip("sacrebleu")
    pytest.importorskip("openpyxl")
    compared = evaluation.pairs(read_release(released_folder()), "sound")
    kept = compared.kept[::4]
    scores = text_measures.bleu([pair.text for pair in kept], [pair.references for pair in kept], 2)
    row = evaluation.measure_rows("bleu2", kept, scores, 0)[0]
    assert 0 < row.score.r < 0.25
    assert len(compared.kept) + compared.without_reference + compared.identical == 4770
