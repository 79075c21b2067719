"""ELMo beside allennlp 0.9.0 (tests/golden/make_allennlp_0_9.py), and what holds for every encoder."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from elmo_models import SENTENCES, WALL, ElmoModelFiles, copy_model
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.embeddings.elmo import ContextualElmoEncoder, ElmoEncoder
from fourfold.embeddings.encoder import Encoder
from fourfold.errors import UserError

pytest.importorskip("h5py", reason="ELMo needs the extra 'elmo'")

CLOSE = {"rtol": 0, "atol": 1e-5}
KINDS = ("large", "other")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ElmoModelFiles]:
    return {kind: copy_model(kind, tmp_path_factory.mktemp(kind)) for kind in KINDS}


@pytest.fixture(scope="module")
def large(models: dict[str, ElmoModelFiles]) -> str:
    return str(models["large"].folder)


@pytest.fixture(scope="module")
def static(large: str) -> ElmoEncoder:
    return ElmoEncoder(large)


@pytest.fixture(scope="module")
def in_context(large: str) -> ContextualElmoEncoder:
    return ContextualElmoEncoder(large)


def side_by_side(layers: np.ndarray) -> np.ndarray:
    """(n_tokens, n_layers, n_features) -> (n_tokens, n_layers * n_features), as flair does."""
    return layers.reshape(len(layers), -1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_static_vectors_are_allennlps_first_layer(models, kind, batch_size):
    model = models[kind]
    encoder = ElmoEncoder(str(model.folder), lower_case=False, batch_size=batch_size)
    found = encoder.encode([token for sentence in SENTENCES for token in sentence])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.concatenate(model.alone)[:, 0], **CLOSE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(len(SENTENCES)))
def test_vectors_in_context_are_allennlps(models, kind, number):
    model = models[kind]
    encoder = ContextualElmoEncoder(str(model.folder), lower_case=False)
    found = encoder.encode_in_context([SENTENCES[number]])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[0], side_by_side(model.alone[number]), **CLOSE)


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_in_context_are_allennlps_where_the_state_is_carried(models, kind):
    model = models[kind]
    encoder = ContextualElmoEncoder(str(model.folder), lower_case=False, carry_state=True)
    for _ in range(2):
        for sentence, expected in zip(SENTENCES, model.carried, strict=True):
            np.testing.assert_allclose(
                encoder.encode_in_context([sentence])[0], side_by_side(expected), **CLOSE
            )
        encoder.forget()


def test_the_state_is_carried_from_wall_to_wall_of_a_call_in_the_order_given(large):
    walls = [WALL, WALL[::-1], WALL]
    carrying = ContextualElmoEncoder(large, carry_state=True)
    at_once = carrying.encode_in_context(walls)
    carrying.forget()
    np.testing.assert_array_equal(
        at_once, np.concatenate([carrying.encode_in_context([wall]) for wall in walls])
    )
    assert np.abs(at_once[0] - at_once[2]).max() > 0.01
    fresh = ContextualElmoEncoder(large)
    first, _, again = fresh.encode_in_context(walls)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, fresh.encode_in_context(walls)[0])


@pytest.mark.parametrize("clip", ["cell_clip", "proj_clip"])
def test_the_comparison_reaches_both_limits(tmp_path, clip):
    model = copy_model("large", tmp_path)
    model.with_option("lstm", clip, None)
    found = ContextualElmoEncoder(str(tmp_path), lower_case=False).encode_in_context([WALL])[0]
    assert np.abs(found - side_by_side(model.alone[0])).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ElmoEncoder, ContextualElmoEncoder])
def test_what_was_unloaded_loads_again(large, kind):
    encoder = kind(large, lower_case=False)
    encode = getattr(encoder, "encode_in_context", None) or (lambda walls: encoder.encode(walls[0]))
    before, network = encode([WALL]), weakref.ref(encoder._model.network())
    encoder.unload()
    gc.collect()
    assert network() is None  # its memory is free
    np.testing.assert_array_equal(encode([WALL]), before)


def test_a_static_vector_is_the_context_free_layer_in_context(large):
    static = ElmoEncoder(large).encode(WALL)
    in_context = ContextualElmoEncoder(large).encode_in_context([WALL, WALL[::-1]])
    n_features = static.shape[1]
    np.testing.assert_allclose(in_context[0, :, :n_features], static, **CLOSE)
    np.testing.assert_allclose(in_context[1, ::-1, :n_features], static, **CLOSE)
    np.testing.assert_array_equal(static[:, : n_features // 2], static[:, n_features // 2 :])


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 2, 3, 5, 64])
def test_the_batch_size_has_no_effect(large, batch_size):
    random = np.random.default_rng(0)
    walls = [list(random.permutation(WALL)) for _ in range(5)]
    expected = [ContextualElmoEncoder(large).encode_in_context([wall])[0] for wall in walls]
    found = ContextualElmoEncoder(large, batch_size=batch_size).encode_in_context(walls)
    np.testing.assert_allclose(found, np.stack(expected), **CLOSE)


def test_order_is_kept_and_equal_texts_have_equal_vectors(large):
    encoder = ElmoEncoder(large)
    found = encoder.encode(["jam", "cake", "Jam"])
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_allclose(found[::-1], encoder.encode(["Jam", "cake", "jam"]), **CLOSE)
    np.testing.assert_allclose(found[1:2], encoder.encode(["cake"]), **CLOSE)
    cased = ElmoEncoder(large, lower_case=False).encode(["jam", "Jam"])
    assert np.abs(cased[0] - cased[1]).max() > 0.01


def test_a_clue_that_comes_twice_has_a_row_for_each_place(large):
    found = ContextualElmoEncoder(large).encode_in_context([["bask", "jam", "bask"]])[0]
    assert found.shape[0] == 3
    assert np.abs(found[0] - found[2]).max() > 0.01


def test_blanks_are_part_of_the_one_token_that_a_clue_is(large):
    encoder = ContextualElmoEncoder(large)
    assert encoder.encode_in_context([["new york", "jam"]]).shape[1] == 2
    alone = ElmoEncoder(large).encode(["new york", "newyork", " new york"])
    assert min(np.abs(alone[i] - alone[j]).max() for i, j in ((0, 1), (0, 2))) > 0.01


def test_only_the_first_48_bytes_are_seen(large):
    encoder = ElmoEncoder(large)
    short = encoder.encode(["é" * 24, "x" * 48, "x" * 47])
    long = encoder.encode(["é" * 24 + "end", "x" * 600, "x" * 47 + "y"])
    np.testing.assert_array_equal(short[:2], long[:2])
    assert np.abs(short[2] - long[2]).max() > 0.01


@pytest.mark.parametrize(
    ("layers", "chosen"), [("all", [0, 1, 2, 3]), ("last", [3]), ([0], [0]), ([-1, 1], [3, 1])]
)
def test_layers_side_by_side(models, layers, chosen):
    model = models["other"]
    found = ContextualElmoEncoder(str(model.folder), lower_case=False, layers=layers).encode_in_context(
        [WALL]
    )
    np.testing.assert_allclose(found[0], side_by_side(model.alone[0][:, chosen]), **CLOSE)


TEXTS = st.text(min_size=1, max_size=60).filter(str.strip)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6), data=st.data())
def test_any_unicode_has_a_vector_of_its_own_characters_alone(static, texts, data):
    found = static.encode(texts)
    assert found.shape == (len(texts), 8)
    assert np.isfinite(found).all()
    row = data.draw(st.integers(0, len(texts) - 1))
    np.testing.assert_allclose(static.encode([texts[row]])[0], found[row], **CLOSE)


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(
    walls=st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), max_size=4))
)
def test_any_unicode_has_a_vector_in_context(in_context, walls):
    found = in_context.encode_in_context(walls)
    assert found.shape == (len(walls), len(walls[0]) if walls else 0, 24)
    assert np.isfinite(found).all()
    for wall, vectors in zip(walls, found, strict=True):
        np.testing.assert_allclose(in_context.encode_in_context([wall])[0], vectors, **CLOSE)


def test_progress_counts_distinct_texts_and_walls(large):
    told: list[tuple[int, int]] = []
    ElmoEncoder(large, batch_size=2).encode(["a", "b", "c", "A"], lambda *counts: told.append(counts))
    assert told == [(0, 3), (2, 3), (3, 3)]
    told.clear()
    ContextualElmoEncoder(large, batch_size=2).encode_in_context(
        [["a", "b"]] * 3, lambda *counts: told.append(counts)
    )
    assert told == [(0, 3), (2, 3), (3, 3)]


def test_nothing_in_nothing_out(large):
    assert ElmoEncoder(large).encode([]).shape == (0, 8)
    assert ContextualElmoEncoder(large).encode_in_context([]).shape == (0, 0, 24)


def test_describe_says_what_made_the_vectors(large):
    static = ElmoEncoder(large, device="cpu").describe()
    assert isinstance(static["files"], dict)
    assert {name: len(digest) for name, digest in static["files"].items()} == {
        "options.json": 64,
        "weights.hdf5": 64,
    }
    assert (static["encoder"], static["name"], static["device"]) == ("elmo", large, "cpu")
    in_context = ContextualElmoEncoder(large, layers=[0, 2], carry_state=True, device="cpu").describe()
    assert (in_context["encoder"], in_context["layers"], in_context["carry_state"]) == (
        "contextual elmo",
        [0, 2],
        True,
    )
    assert in_context["files"] == static["files"]


def test_the_encoders_are_what_runs_take_them_for(large):
    from fourfold.embeddings.encoder import ContextualEncoder

    static, in_context = ElmoEncoder(large), ContextualElmoEncoder(large)
    assert isinstance(static, Encoder)
    assert not isinstance(static, ContextualEncoder)
    assert isinstance(in_context, ContextualEncoder)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["jam", ""], r"texts\[1\] is blank \(''\)"),
        (["jam", " \t"], r"texts\[1\] is blank \(' \\t'\)"),
        (["\ud800"], r"texts\[0\] is not valid Unicode"),
    ],
)
def test_a_text_that_cannot_be_encoded_is_named(large, texts, said):
    with pytest.raises(UserError, match=said):
        ElmoEncoder(large).encode(texts)
    with pytest.raises(UserError, match=said.replace("texts", r"sentences\[1\]")):
        ContextualElmoEncoder(large).encode_in_context([["a"] * len(texts), texts])


def test_what_is_no_list_of_texts_is_refused(large):
    with pytest.raises(TypeError, match="not one text"):
        ElmoEncoder(large).encode("jam")
    with pytest.raises(TypeError, match=r"texts\[0\] is 8.5, a float"):
        ElmoEncoder(large).encode([8.5])
    encoder = ContextualElmoEncoder(large)
    with pytest.raises(TypeError, match="not one text"):
        encoder.encode_in_context("jam")
    with pytest.raises(TypeError, match=r"sentences\[0\] is one text"):
        encoder.encode_in_context(["jam"])
    with pytest.raises(ValueError, match=r"sentences\[1\] has 1 texts and sentences\[0\] has 2"):
        encoder.encode_in_context([["a", "b"], ["a"]])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"name": " "}, "name=' ' is blank: expected elmo or the folder of a model"),
        ({"batch_size": 0}, "batch_size=0 is too small"),
        ({"device": "gpu"}, "device='gpu' is not known"),
        ({"layers": "top"}, "layers='top' is not known"),
        ({"layers": []}, r"layers=\[\] is not known"),
        ({"layers": [0.5]}, r"layers=\[0.5\] is not known"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_before_anything_is_loaded(settings, said):
    with pytest.raises(UserError, match=said):
        ContextualElmoEncoder(**settings)


def test_a_layer_that_the_model_lacks(large):
    with pytest.raises(UserError, match="has no layer 3: expected 0 to 2"):
        ContextualElmoEncoder(large, layers=[3]).encode_in_context([["a"]])


def test_an_absent_model_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="fourfold data get elmo"):
        ElmoEncoder().encode(["jam"])
    with pytest.raises(UserError, match="'nowhere': there is no such folder"):
        ElmoEncoder("nowhere").encode(["jam"])
    Path(tmp_path, "options.json").touch()
    with pytest.raises(UserError, match="found 1 and 0: give each model a folder of its own"):
        ElmoEncoder(str(tmp_path)).describe()


def test_the_published_model_is_found_in_the_cache(monkeypatch, tmp_path, large):
    from fourfold.embeddings.published import PUBLISHED

    monkeypatch.setenv("FOURFOLD_CACHE", str(tmp_path))
    model = copy_model("large", PUBLISHED["elmo"].folder)
    for file, path in zip((model.options, model.weights), PUBLISHED["elmo"].paths(), strict=True):
        file.rename(path)
    np.testing.assert_array_equal(ElmoEncoder().encode(["jam"]), ElmoEncoder(large).encode(["jam"]))
