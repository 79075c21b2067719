"""Vectors of word files and BPEmb: against a slow oracle and against flair 0.9's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tiny_words
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tiny_words import KINDS, N_NUMBERS, N_PIECE_NUMBERS

from fourfold.embeddings.words import WordEncoder
from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls

pytest.importorskip("gensim", reason="word vectors need the extra 'experiments'")
pytest.importorskip("bpemb", reason="word vectors need the extra 'experiments'")
pytest.importorskip("segtok", reason="word vectors need the extra 'experiments'")

GOLDEN = Path(__file__).parents[1] / "golden" / "flair_0_9_words"
EXACT = {"rtol": 1e-6, "atol": 1e-6}
TEXTS = [
    "Jam",
    "a piece of cake",
    "New York",
    "unknownword",
    "8.5",
    "7",
    "1990s",
    "R2-D2",
    "don't",
    "%",
    "jam",
]


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    return tiny_words.vectors()


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BPEmb model trained on the bundled clues."""
    clues = [clue for wall in bundled_walls().walls for clue in wall.clues]
    return tiny_words.make_byte_pairs(tmp_path_factory.mktemp("pieces"), clues)


@pytest.fixture(scope="module")
def loaded(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, np.ndarray], pieces: Path
) -> WordEncoder:
    """An encoder that has read its files, for the many examples of a property."""
    path = tiny_words.write(tmp_path_factory.mktemp("words"), "keyed", table)
    encoder = WordEncoder(str(path), byte_pairs=str(pieces))
    encoder.load()
    return encoder


@pytest.mark.parametrize("name", ["words.gensim", "words.bin"])
def test_vectors_equal_those_of_flair_0_9(name: str) -> None:
    golden = json.loads((GOLDEN / "clues.json").read_text(encoding="utf-8"))
    clues = [entry["clue"] for entry in golden]
    expected = np.load(GOLDEN / "vectors.npz")
    both = WordEncoder(str(GOLDEN / name), byte_pairs=str(GOLDEN)).encode(clues)
    assert_allclose(both, expected["both"], rtol=0, atol=1e-5)
    alone = WordEncoder(str(GOLDEN / name), byte_pairs=None).encode(clues)
    assert_allclose(alone, expected["words"], rtol=0, atol=1e-5)
    byte_pairs = WordEncoder(None, byte_pairs=str(GOLDEN)).encode(clues)
    assert_allclose(byte_pairs, expected["byte_pairs"], rtol=0, atol=1e-5)


def test_tokens_equal_those_of_flair_0_9() -> None:
    from fourfold.embeddings.tokens import tokenize

    for entry in json.loads((GOLDEN / "clues.json").read_text(encoding="utf-8")):
        assert tokenize(entry["clue"].lower()) == entry["tokens"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_vectors(tmp_path: Path, table: dict[str, np.ndarray], kind: str) -> None:
    encoder = WordEncoder(str(tiny_words.write(tmp_path, kind, table)), byte_pairs=None)
    vectors = encoder.encode(["jam", "a piece of cake", "é", "unknownword"])
    assert vectors.dtype == np.float32
    assert_allclose(vectors[0], table["jam"], **EXACT)
    assert_allclose(
        vectors[1], np.mean([table[word] for word in ["a", "piece", "of", "cake"]], axis=0), **EXACT
    )
    assert_allclose(vectors[2], table["é"], **EXACT)
    assert_array_equal(vectors[3], np.zeros(N_NUMBERS))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Bask", "Bask"),  # exactly
        ("GLAMOUR", "glamour"),  # lower-cased
        ("1987", "####"),  # each digit as #
        ("42", "00"),  # each digit as 0, since ## is not there
        ("0", "0"),
        ("٤٢", "00"),  # whatever a digit looks like
        ("GLAMOURS", None),
    ],
)
def test_a_word_is_looked_up_in_four_steps(
    tmp_path: Path, table: dict[str, np.ndarray], text: str, found: str | None
) -> None:
    path = tiny_words.write(tmp_path, "keyed", table)
    encoder = WordEncoder(str(path), byte_pairs=None, lower_case=False)
    expected = np.zeros(N_NUMBERS) if found is None else table[found]
    assert_allclose(encoder.encode([text])[0], expected, **EXACT)
    assert encoder.count_tokens([text]).tolist() == [[1, int(found is None)]]


def test_lower_case_is_a_choice(tmp_path: Path, table: dict[str, np.ndarray]) -> None:
    path = str(tiny_words.write(tmp_path, "headless", table))
    kept = WordEncoder(path, byte_pairs=None, lower_case=False).encode(["Bask"])
    lowered = WordEncoder(path, byte_pairs=None).encode(["Bask"])
    assert_allclose(kept[0], table["Bask"], **EXACT)
    assert_allclose(lowered[0], table["bask"], **EXACT)


def test_unknown_tokens_count_as_zeros_in_the_mean(loaded: WordEncoder, table: dict[str, np.ndarray]) -> None:
    (vector,) = loaded.encode(["jam xyzzy"])
    assert_allclose(vector[:N_NUMBERS], table["jam"] / 2, **EXACT)


def test_byte_pairs_are_the_first_and_the_last_piece_with_digits_as_0(
    loaded: WordEncoder, pieces: Path
) -> None:
    from bpemb import BPEmb

    model = BPEmb(lang=None, dim=None, model_file=pieces / "pieces.model", emb_file=pieces / "pieces.w2v.bin")
    assert len(model.encode("strawberry")) > 2
    (vector,) = loaded.encode(["Strawberry"])
    ends = model.embed("strawberry")[[0, -1]].reshape(-1)
    assert_allclose(vector[N_NUMBERS:], ends, **EXACT)
    assert vector.shape == (N_NUMBERS + 2 * N_PIECE_NUMBERS,)
    twins = loaded.encode(["route 66", "route 97"])[:, N_NUMBERS:]
    assert_array_equal(twins[0], twins[1])


def test_byte_pairs_alone(loaded: WordEncoder, pieces: Path) -> None:
    alone = WordEncoder(None, byte_pairs=str(pieces))
    assert alone.name == str(pieces)
    assert_array_equal(alone.encode(TEXTS), loaded.encode(TEXTS)[:, N_NUMBERS:])
    assert alone.count_tokens(["jam", "東京", "jam 東"]).tolist() == [[1, 0], [1, 1], [2, 1]]


def test_counts_are_of_tokens_that_the_table_does_not_know(loaded: WordEncoder) -> None:
    counts = loaded.count_tokens(["jam", "jam xyzzy", "quite unknown", "don't"])
    assert counts.tolist() == [[1, 0], [2, 1], [2, 2], [2, 0]]
    assert loaded.count_tokens([]).shape == (0, 2)


def test_vectors_do_not_depend_on_the_batch_or_its_order(loaded: WordEncoder) -> None:
    alone = np.concatenate([loaded.encode([text]) for text in TEXTS])
    assert_array_equal(loaded.encode(TEXTS), alone)
    beside_long = loaded.encode(["cake and jam " * 50, *TEXTS[::-1]])[1:]
    assert_array_equal(beside_long, alone[::-1])
    assert loaded.encode([]).shape == (0, N_NUMBERS + 2 * N_PIECE_NUMBERS)


@pytest.mark.slow
@given(texts=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=6))
@settings(deadline=None, max_examples=150)
def test_any_text_has_a_finite_vector_in_its_row_or_is_refused(loaded: WordEncoder, texts: list[str]) -> None:
    refused = {}
    for text in texts:
        try:
            loaded.encode([text])
        except UserError as error:
            refused[text] = str(error)
    for text, said in refused.items():
        assert re.match(r"texts\[0\] is (blank|no valid Unicode)|the text .* has no visible character", said)
        assert not any(letter.isalnum() for letter in text) or "\ud800" <= max(text) <= "\udfff"
    if refused:
        with pytest.raises(UserError, match=r"texts\[\d\]|no visible character"):
            loaded.encode(texts)
    kept = [text for text in texts if text not in refused]
    vectors = loaded.encode(kept)
    assert vectors.shape == (len(kept), N_NUMBERS + 2 * N_PIECE_NUMBERS)
    assert np.isfinite(vectors).all()
    for text, vector in zip(kept, vectors, strict=True):
        assert_array_equal(loaded.encode([text])[0], vector)


def test_describe_names_what_is_needed_to_repeat(
    tmp_path: Path, table: dict[str, np.ndarray], pieces: Path
) -> None:
    path = tiny_words.write(tmp_path, "keyed", table)
    described = WordEncoder(str(path), byte_pairs=str(pieces)).describe()
    assert json.loads(json.dumps(described)) == described
    files = described["files"]
    assert isinstance(files, dict)
    assert set(files) == {"words.kv", "words.kv.vectors.npy", "pieces.model", "pieces.w2v.bin"}
    assert all(re.fullmatch("[0-9a-f]{64}", str(digest)) for digest in files.values())
    assert (described["lower_case"], described["pooling"], described["device"]) == (True, "mean", "cpu")
    text_file = tiny_words.write(tmp_path, "headless", table)
    before = WordEncoder(str(text_file), byte_pairs=None).describe()
    WordEncoder(str(text_file), byte_pairs=None).load()
    assert WordEncoder(str(text_file), byte_pairs=None).describe() == before


@pytest.mark.parametrize(
    ("words", "byte_pairs", "said"),
    [
        (None, None, "words and byte_pairs are both none"),
        (" ", None, "words=' ' is blank"),
        ("glove", "", "byte_pairs='' is blank"),
    ],
)
def test_arguments_are_checked(words: str | None, byte_pairs: str | None, said: str) -> None:
    with pytest.raises(UserError, match=said):
        WordEncoder(words, byte_pairs=byte_pairs)


@pytest.mark.parametrize(
    ("words", "byte_pairs", "said"),
    [
        ("glove", None, r"word vectors glove are not on this machine: .*'fourfold data get glove'"),
        (
            "no/such.vec",
            None,
            r"word vectors 'no/such.vec': there is no such file.* choose glove, crawl, news or",
        ),
        (None, "bpemb", r"word vectors bpemb are not on this machine: .*'fourfold data get bpemb'"),
        (None, "no/such", r"BPEmb 'no/such': there is no such folder"),
        (None, ".", r"BPEmb: expected one \*.model and one .* found 0 and 0"),
    ],
)
def test_what_is_not_there_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str | None, byte_pairs: str | None, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    encoder = WordEncoder(words, byte_pairs=byte_pairs)
    for call in (lambda: encoder.encode(["jam"]), encoder.describe):
        with pytest.raises(UserError, match=said):
            call()


@pytest.mark.parametrize(
    ("texts", "kind", "said"),
    [
        (["jam", " "], UserError, r"texts\[1\] is blank"),
        (["\u200b\ufeff"], UserError, r"the text '.u200b.ufeff' is nothing to .* has no visible character"),
        (["\ud800"], UserError, r"texts\[0\] is not valid Unicode"),
        ("jam", TypeError, "expected a sequence of texts, not one text"),
        ([8.5], TypeError, r"texts\[0\] is 8.5, a float"),
    ],
)
def test_texts_that_are_none(loaded: WordEncoder, texts: list[str], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        loaded.encode(texts)


def test_byte_pair_files_must_be_whole_and_belong_together(tmp_path: Path, pieces: Path) -> None:
    model, table = (pieces / "pieces.model").read_bytes(), (pieces / "pieces.w2v.bin").read_bytes()
    (tmp_path / "pieces.model").write_bytes(model)
    (tmp_path / "pieces.w2v.bin").write_bytes(table[:-50])
    encoder = WordEncoder(None, byte_pairs=str(tmp_path))
    with pytest.raises(UserError, match=r"BPEmb cannot be loaded from .*get the files again"):
        encoder.load()
    few = dict(zip(["▁", "a", "b"], np.eye(N_NUMBERS, dtype=np.float32), strict=False))
    tiny_words.keyed(few).save_word2vec_format(str(tmp_path / "pieces.w2v.bin"), binary=True)
    with pytest.raises(UserError, match=r"has 220 pieces and .* the vectors of 3"):
        encoder.load()


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys; from fourfold.embeddings.words import WordEncoder; WordEncoder('glove')\n"
        "print(sorted({'gensim', 'bpemb', 'segtok', 'torch', 'sentencepiece'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


@pytest.mark.parametrize("module", ["gensim", "bpemb", "segtok"])
def test_a_missing_package_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: dict[str, np.ndarray], pieces: Path, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "words.txt").write_bytes(tiny_words.text(table, header=False))
    encoder = WordEncoder(str(tmp_path / "words.txt"), byte_pairs=str(pieces))
    with pytest.raises(UserError, match=rf"the package {module} is needed .*'fourfold\[experiments\]'"):
        encoder.encode(["jam"])
