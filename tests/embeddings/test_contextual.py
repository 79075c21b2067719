"""Vectors of clues among their wall's: against a slow oracle, whatever the clues, the batch and the order."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from shutil import copytree

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tiny_models import KINDS, NoTokenError, TinyModel, make

from fourfold.embeddings.contextual import SUBTOKENS, ContextualTransformerEncoder
from fourfold.embeddings.find_model import find_model
from fourfold.errors import UserError

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
WALLS = [
    ["jam", "Jaffa", "a piece of cake", "8.5"],
    ["%", "R2-D2", ".", "C++"],
    ["a piece of cake", "jam", "8.5", "Jaffa"],
    ["homophone of a query", "e\u0301tude", "\u200bjam", "x"],
    ["q", "query", "q", "q q"],
]

# Blanks at a clue's end are another text where clues are joined than where they are apart.
ANY_CLUE = st.text(min_size=1, max_size=6).map(str.strip).filter(bool)
LOADED: dict[str, ContextualTransformerEncoder] = {}  # for the many examples of a property

Tiny = dict[str, TinyModel]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A model of every kind that reads a wall of 700 characters."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # of saving
    try:
        kinds = (*KINDS, "gpt2", "t5")
        return {kind: make(kind, tmp_path_factory.mktemp(kind), positions=720) for kind in kinds}
    finally:
        logging.enable_progress_bar()


def encoder_of(model: TinyModel, **settings: object) -> ContextualTransformerEncoder:
    return ContextualTransformerEncoder(
        str(model.folder), **{"device": "cpu", "lower_case": False, **settings}
    )


@pytest.mark.slow
@pytest.mark.parametrize("subtoken", SUBTOKENS)
@pytest.mark.parametrize("kind", [*KINDS, "gpt2", "t5"])
def test_vectors_equal_the_oracle(tiny: Tiny, kind: str, subtoken: str) -> None:
    vectors = encoder_of(tiny[kind], subtoken=subtoken, batch_size=2).encode_in_context(WALLS)
    assert vectors.shape == (5, 4, 48 if subtoken == "first_last" else 24)
    assert vectors.dtype == np.float32
    expected = [tiny[kind].in_context(wall, subtoken) for wall in WALLS]
    assert_allclose(vectors, expected, **TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layers", "numbers"), [("all", [0, 1, 2]), ("last", [2]), ([0], [0]), ([-1, 1], [1, 2]), ((-3,), [0])]
)
def test_layers_are_a_choice(tiny: Tiny, layers: object, numbers: list[int]) -> None:
    for kind in KINDS:
        vectors = encoder_of(tiny[kind], layers=layers).encode_in_context(WALLS)
        assert_allclose(vectors, [tiny[kind].in_context(w, layers=numbers) for w in WALLS], **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_blank_before_the_first_clue_is_a_choice_that_matters_to_byte_pieces(
    tiny: Tiny, kind: str
) -> None:
    made = {}
    for leading_space in (False, True):
        encoder = encoder_of(tiny[kind], leading_space=leading_space, subtoken="mean")
        made[leading_space] = encoder.encode_in_context(WALLS)
        expected = [tiny[kind].in_context(wall, "mean", leading_space=leading_space) for wall in WALLS]
        assert_allclose(made[leading_space], expected, **TOLERANCE)
    differ = np.abs(made[True] - made[False]).max() > 1e-3
    assert differ == (kind in {"roberta", "mpnet"})


@pytest.mark.slow
@pytest.mark.parametrize("subtoken", SUBTOKENS)
def test_a_wall_alone_in_a_batch_of_4_and_beside_a_long_one(tiny: Tiny, subtoken: str) -> None:
    wall = WALLS[0]
    long = ["cake, jam and a query " * 6, "a", "b", "c"]
    for kind in KINDS:
        encoder = encoder_of(tiny[kind], subtoken=subtoken, batch_size=64)
        alone = encoder.encode_in_context([wall])[0]
        of_4 = encoder.encode_in_context([*WALLS[1:4], wall])[3]
        beside_long = encoder.encode_in_context([*WALLS[1:], long, *[WALLS[1]] * 58, wall])[-1]
        assert_allclose(of_4, alone, **TOLERANCE)
        assert_allclose(beside_long, alone, **TOLERANCE)


@pytest.mark.slow
@given(
    walls=st.integers(1, 4).flatmap(
        lambda n_points: st.lists(
            st.lists(ANY_CLUE, min_size=n_points, max_size=n_points), min_size=1, max_size=4
        )
    ),
    subtoken=st.sampled_from(SUBTOKENS),
    kind=st.sampled_from(KINDS),
)
@settings(deadline=None, max_examples=60)
def test_any_clues(tiny: Tiny, walls: list[list[str]], subtoken: str, kind: str) -> None:
    encoder = LOADED.setdefault(kind, encoder_of(tiny[kind], batch_size=3))
    encoder.subtoken = subtoken
    try:
        expected = [tiny[kind].in_context(wall, subtoken) for wall in walls]
    except NoTokenError:
        with pytest.raises(UserError, match=r"is nothing to .*its tokenizer makes no token of it"):
            encoder.encode_in_context(walls)
        return
    assert_allclose(encoder.encode_in_context(walls), expected, **TOLERANCE)


def test_the_order_of_the_clues_is_the_context(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"])
    order = [2, 0, 3, 1]  # WALLS[2] is WALLS[0] in this order
    vectors = encoder.encode_in_context(WALLS)
    assert [WALLS[0][place] for place in order] == WALLS[2]
    assert np.abs(vectors[2] - vectors[0][order]).max() > 0.01
    embedding_layer = encoder_of(tiny["t5"], layers=[0]).encode_in_context(WALLS)  # which knows no places
    assert_allclose(embedding_layer[2], embedding_layer[0][order], **TOLERANCE)


def test_rows_follow_the_walls(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["mpnet"], batch_size=2)
    order = np.random.default_rng(0).permutation(len(WALLS))
    shuffled = encoder.encode_in_context([WALLS[i] for i in order])
    assert_allclose(shuffled, encoder.encode_in_context(WALLS)[order], **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_a_clue_of_600_characters(tiny: Tiny, kind: str) -> None:
    wall = ["jam", "xyz " * 150, "cake", "7"]
    vectors = encoder_of(tiny[kind], subtoken="mean").encode_in_context([wall, WALLS[0]])
    assert_allclose(vectors[0], tiny[kind].in_context(wall, "mean"), **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wall_is_never_cut_off(tiny: Tiny, kind: str) -> None:
    model = tiny[kind]
    blanks = 3 if kind in {"roberta", "mpnet"} else 0  # tokens of their own there
    longest = ("x-" * model.limit)[: model.limit - 2 - blanks - 3]  # a character is a token
    encoder = encoder_of(model)
    wall = ["a", "b", longest, "c"]
    assert_allclose(encoder.encode_in_context([wall])[0], model.in_context(wall), **TOLERANCE)
    too_long = ["a", "b", "." + longest, "c"]
    n_own = len(longest) + 1 + bool(blanks)
    said = (
        rf"sentences\[1\]: its texts are {model.limit + 1} tokens long and .* reads at most {model.limit}; "
        rf"the longest, '\.[x-]+…', takes {n_own}: shorten"
    )
    with pytest.raises(UserError, match=said):
        encoder.encode_in_context([WALLS[0], too_long])


def test_a_clue_that_the_tokenizer_drops_is_named(tiny: Tiny) -> None:
    wall = ["jam", "\u200b\u200d", "cake", "7"]
    said = r"sentences\[1\]: the text '\\u200b\\u200d' is nothing to .*bert\d: its tokenizer makes no token"
    with pytest.raises(UserError, match=said):
        encoder_of(tiny["bert"]).encode_in_context([WALLS[0], wall])
    vectors = encoder_of(tiny["roberta"]).encode_in_context([WALLS[0], wall])  # bytes stay
    assert_allclose(vectors[1], tiny["roberta"].in_context(wall), **TOLERANCE)


def test_what_is_no_clue_is_named(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"])
    for blank in ("", " ", "\t\u00a0"):
        with pytest.raises(UserError, match=r"sentences\[1\]\[2\] is blank"):
            encoder.encode_in_context([WALLS[0], ["a", "b", blank, "c"]])
    with pytest.raises(UserError, match=r"sentences\[0\]\[1\] is not valid Unicode"):
        encoder.encode_in_context([["a", "\ud83c"]])
    with pytest.raises(TypeError, match=r"sentences\[0\]\[1\] is 8\.5, a float"):
        encoder.encode_in_context([["a", 8.5]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"sentences\[0\] is one text \('jam'\)"):
        encoder.encode_in_context(["jam", "cake"])
    with pytest.raises(ValueError, match=r"sentences\[1\] has 1 texts and sentences\[0\] has 2"):
        encoder.encode_in_context([["a", "b"], ["c"]])
    with pytest.raises(ValueError, match=r"sentences\[0\] has 0 texts"):
        encoder.encode_in_context([[]])


def test_no_walls_make_no_vectors(tiny: Tiny) -> None:
    assert encoder_of(tiny["bert"]).encode_in_context([]).shape == (0, 0, 24)
    assert encoder_of(tiny["bert"], subtoken="first_last").encode_in_context([]).shape == (0, 0, 48)


@pytest.mark.parametrize("layers", [[3], [0, -4]])
def test_a_layer_that_is_not_there_is_named(tiny: Tiny, layers: list[int]) -> None:
    said = rf"no layer {layers[-1]}: expected 0, the embedding layer, to 2, the last, or -1, the last, to -3"
    with pytest.raises(UserError, match=said):
        encoder_of(tiny["bert"], layers=layers).encode_in_context(WALLS)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": " "}, "name=' ' is blank"),
        ({"subtoken": "max"}, "subtoken='max' is not known: expected one of first, mean, last, first_last"),
        ({"layers": "top"}, "layers='top' is not known: expected all, last or a list"),
        ({"layers": []}, r"layers=\[\] is not known"),
        ({"layers": ["-1"]}, r"layers=\['-1'\] is not known"),
        ({"dtype": "float64"}, "dtype='float64' is not known"),
        ({"batch_size": 0}, "batch_size=0 is too small"),
        ({"device": "gpu"}, "device='gpu' is not known"),
    ],
)
def test_settings_are_checked_at_once(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        ContextualTransformerEncoder(**{"name": "some/model", **wrong})


def test_lower_case_is_a_choice(tiny: Tiny) -> None:
    wall = ["JAM", "Jaffa", "İx", "d"]  # the dotted capital is two characters in lower case
    lowered = encoder_of(tiny["roberta"], lower_case=True).encode_in_context([wall])[0]
    assert_allclose(lowered, tiny["roberta"].in_context([clue.lower() for clue in wall]), **TOLERANCE)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_dtype_is_the_arithmetic_and_vectors_stay_float32(tiny: Tiny, dtype: str) -> None:
    exact = encoder_of(tiny["bert"]).encode_in_context(WALLS)
    rough = encoder_of(tiny["bert"], dtype=dtype).encode_in_context(WALLS)
    assert rough.dtype == np.float32
    assert 1e-5 < np.abs(rough - exact).max() < 0.2


def test_a_vector_that_is_not_finite_is_an_error(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"], layers=[0])
    encoder.load()
    embedding = encoder._load().model.get_input_embeddings()
    with torch.no_grad():
        embedding.weight[tiny["bert"].tokenizer.token_to_id("cake")] = torch.nan
    with pytest.raises(UserError, match="the vector of 'cake' is not finite with dtype=float32"):
        encoder.encode_in_context([["jam", "cake", "tin"]])


def test_progress_counts_walls(tiny: Tiny) -> None:
    seen: list[tuple[int, int]] = []
    encoder_of(tiny["bert"], batch_size=2).encode_in_context(
        WALLS, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(0, 5), (2, 5), (4, 5), (5, 5)]


def test_no_gradients_and_one_call_of_the_tokenizer(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = encoder_of(tiny["bert"], batch_size=2)
    outputs: list[torch.Tensor] = []
    calls: list[int] = []
    encoder.load()
    pretrained = encoder._load()
    pretrained.model.register_forward_hook(lambda _m, _a, output: outputs.append(output.last_hidden_state))
    tokenize = type(pretrained.tokenizer).__call__
    monkeypatch.setattr(
        type(pretrained.tokenizer),
        "__call__",
        lambda self, texts, **options: calls.append(len(texts)) or tokenize(self, texts, **options),
    )
    encoder.encode_in_context(WALLS)
    assert calls == [5]
    assert [output.is_inference() for output in outputs] == [True] * 3


def test_threads_may_share_an_encoder(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"], batch_size=2)
    expected = [tiny["bert"].in_context(wall) for wall in WALLS]
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(encoder.encode_in_context, [WALLS] * 8):
            assert_allclose(vectors, expected, **TOLERANCE)


def test_describe_is_what_repeats_the_vectors(tiny: Tiny) -> None:
    folder = str(tiny["bert"].folder)
    said = json.loads(
        json.dumps(ContextualTransformerEncoder(folder, layers=[-1, -2], device="cpu").describe())
    )
    assert said.pop("files") == find_model(folder).digests()
    assert said == {
        "encoder": "contextual transformer", "name": folder, "source": "folder", "commit": None,
        "lower_case": True, "subtoken": "first", "layers": [-1, -2], "leading_space": False,
        "dtype": "float32", "batch_size": 32, "device": "cpu",
    }  # fmt: skip
    assert ContextualTransformerEncoder(folder, device="cpu").describe()["layers"] == "all"


def test_a_tokenizer_of_another_model_is_named(tiny: Tiny, tmp_path) -> None:
    folder = copytree(tiny["bert"].folder, tmp_path / "model")
    (folder / "tokenizer.json").write_bytes((tiny["roberta"].folder / "tokenizer.json").read_bytes())
    with pytest.raises(UserError, match="makes tokens that the model does not know: it has 2"):
        ContextualTransformerEncoder(str(folder), device="cpu").encode_in_context([["jam", "zebra", "é"]])
