"""ELMo's characters and files: the numbers of tokens, and one line for each thing that may be wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from elmo_models import ElmoModelFiles, copy_model
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.embeddings.elmo import ElmoEncoder
from fourfold.embeddings.elmo_characters import character_ids
from fourfold.embeddings.elmo_files import read_options, read_weights
from fourfold.errors import UserError

h5py = pytest.importorskip("h5py", reason="ELMo needs the extra 'elmo'")


@pytest.fixture
def model(tmp_path) -> ElmoModelFiles:
    return copy_model("large", tmp_path)


def by_hand(token: str) -> list[int]:
    """One token's characters: 258, its bytes, 259, and 260 up to 50 numbers."""
    if token in ("<S>", "</S>"):
        return [258, 256 if token == "<S>" else 257, 259] + [260] * 47
    row = [258, *token.encode()][:49] + [259]
    return row + [260] * (50 - len(row))


@pytest.mark.parametrize(
    "token", ["a", "new york", "<S>", "</S>", "<s>", "", "\0", "é" * 30, "x" * 48, "x" * 49, "😀"]
)
def test_characters_by_hand(token):
    assert character_ids(["other", token, "x"])[1].tolist() == by_hand(token)


def test_no_tokens_have_no_characters():
    assert character_ids([]).shape == (0, 50)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(max_size=70), min_size=1, max_size=5))
def test_characters_of_any_unicode(tokens):
    np.testing.assert_array_equal(character_ids(tokens), [by_hand(token) for token in tokens])


def test_the_published_sizes_are_those_of_the_published_options(tmp_path):
    path = tmp_path / "options.json"
    path.write_text(
        json.dumps(
            {
                "lstm": {"use_skip_connections": True, "projection_dim": 512, "cell_clip": 3, "proj_clip": 3,
                         "dim": 4096, "n_layers": 2},
                "char_cnn": {"activation": "relu", "n_highway": 2, "embedding": {"dim": 16},
                             "n_characters": 262, "max_characters_per_token": 50,
                             "filters": [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]]},
            }
        )
    )  # fmt: skip
    shapes = read_options(path).shapes()
    assert shapes["CNN/W_cnn_6"] == (1, 7, 16, 1024)
    assert shapes["CNN_high_1/W_carry"] == (2048, 2048)
    assert shapes["RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_0"] == (1024, 16384)
    # allenai.org gives the model 93.6 million parameters.
    assert round(sum(int(np.prod(shape)) for shape in shapes.values()) / 1e6, 1) == 93.6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "are not JSON"),
        ("{'lstm': 1}", "are not JSON"),
        ("[]", "have no lstm.use_skip_connections"),
        ('{"lstm": 3}', "have no lstm.use_skip_connections"),
        ("\ufeff{}", "are not JSON"),
    ],
)
def test_options_that_are_none(model, text, said):
    model.options.write_text(text, encoding="utf-8")
    _one_line(model, said)


def test_options_in_another_encoding(model):
    model.options.write_bytes(b"\x89HDF\r\n\xff")
    _one_line(model, "are not JSON")


@pytest.mark.parametrize(
    ("group", "key", "value", "said"),
    [
        ("lstm", "use_skip_connections", False, "lstm.use_skip_connections=False: expected true"),
        ("lstm", "dim", 0, "lstm.dim=0: expected a whole number of at least 1"),
        ("lstm", "dim", "8", "lstm.dim='8'"),
        ("lstm", "n_layers", True, "lstm.n_layers=True"),
        ("lstm", "cell_clip", -1, "lstm.cell_clip=-1: expected a number of at least 0, or null"),
        ("lstm", "proj_clip", "3", "lstm.proj_clip='3'"),
        ("char_cnn", "activation", "gelu", "char_cnn.activation='gelu': expected relu or tanh"),
        ("char_cnn", "max_characters_per_token", 20, "max_characters_per_token=20: expected 50"),
        ("char_cnn", "filters", [], r"char_cnn.filters=\[\]"),
        ("char_cnn", "filters", [[51, 2]], r"char_cnn.filters=\[\[51, 2\]\]"),
        ("char_cnn", "filters", [[1, 2, 3]], "char_cnn.filters="),
        ("char_cnn", "embedding", 4, "have no char_cnn.embedding.dim"),
    ],
)
def test_an_option_that_cannot_be(model, group, key, value, said):
    model.with_option(group, key, value)
    _one_line(model, said)


def test_no_limit_may_be_null_or_zero(model):
    model.with_option("lstm", "cell_clip", 0)
    model.with_option("lstm", "proj_clip", None)
    options = read_options(model.options)
    assert (options.cell_clip, options.projection_clip) == (None, None)


def test_weights_that_are_none(model):
    model.weights.write_bytes(b"not HDF5")
    _one_line(model, "cannot be read as HDF5")


def test_weights_that_end_early(model):
    whole = model.weights.read_bytes()
    model.weights.write_bytes(whole[: len(whole) // 2])
    _one_line(model, "cannot be read as HDF5")


@pytest.mark.parametrize("name", ["char_embed", "CNN/b_cnn_2", "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_P_0"])
def test_weights_that_lack_a_matrix(model, name):
    with h5py.File(model.weights, "r+") as file:
        del file[name]
    _one_line(model, f"lack {name}: get the file again")


def test_weights_with_a_folder_for_a_matrix(model):
    with h5py.File(model.weights, "r+") as file:
        del file["char_embed"]
        file.create_group("char_embed")
    _one_line(model, "lack char_embed")


def test_weights_with_texts_for_numbers(model):
    with h5py.File(model.weights, "r+") as file:
        del file["CNN_proj/b_proj"]
        file["CNN_proj/b_proj"] = ["one", "two", "three", "four"]
    _one_line(model, "could not convert|cannot be read as HDF5")


def test_weights_that_are_not_finite(model):
    with h5py.File(model.weights, "r+") as file:
        file["CNN_proj/b_proj"][1] = np.nan
    _one_line(model, "CNN_proj/b_proj is not finite")


def test_weights_of_another_model(model):
    model.with_option("lstm", "dim", 16)
    _one_line(
        model,
        r"W_0 has the shape \(8, 32\) and the options say \(8, 64\): the two files must be of one model",
    )


def test_absent_files(model):
    options = read_options(model.options)
    with pytest.raises(UserError, match="nowhere are not there"):
        read_weights(model.folder / "nowhere", options)
    with pytest.raises(UserError, match="cannot be read"):
        read_options(model.folder / "nowhere")


def _one_line(model: ElmoModelFiles, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        ElmoEncoder(str(model.folder)).encode(["jam"])
    assert "\n" not in str(caught.value)
    assert str(model.folder) in str(caught.value)
