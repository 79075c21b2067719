"""A sentence-transformers folder's own way from tokens to a vector, against a slow oracle of each step.

The oracle's values were compared with sentence-transformers 6.2's own on the same folders: equal to 1e-6.
"""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import save_file
from tiny_models import TinyModel

from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.errors import UserError

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
TEXTS = ["jam", "a piece of cake", "R2-D2", "homophone of a query", "Jam"]
LEGACY = {
    "cls": "cls_token",
    "max": "max_tokens",
    "mean": "mean_tokens",
    "mean_sqrt_len": "mean_sqrt_len_tokens",
    "weighted": "weightedmean_tokens",
    "last": "lasttoken",
}
TODAY = {"mean_sqrt_len": "mean_sqrt_len_tokens", "weighted": "weightedmean", "last": "lasttoken"}
TANH, IDENTITY = "torch.nn.modules.activation.Tanh", "torch.nn.modules.linear.Identity"

Tiny = dict[str, TinyModel]


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def made(model: TinyModel, folder: Path, *modules: tuple[str, dict[str, Any]], **prompts: Any) -> Path:
    """The model's folder as sentence-transformers saves it, with modules after the transformer."""
    copytree(model.folder, folder)
    listed = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    for place, (kind, config) in enumerate(modules, start=1):
        path = f"{place}_{kind}"
        listed.append(
            {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
        )
        write(folder / path / "config.json", config)
    write(folder / "modules.json", listed)
    write(folder / "config_sentence_transformers.json", prompts)
    return folder


def pooled(model: TinyModel, text: str, *modes: str, left_out: int = 0) -> np.ndarray:
    """The poolings of one text alone, side by side, token by token."""
    with torch.no_grad():
        states = model.layers(torch.tensor([model.tokenizer.encode(text).ids]))[-1].numpy().astype(np.float64)
    numbered = list(enumerate(states, start=1))[left_out:]
    own = [state for _, state in numbered]
    ways = {
        "cls": own[0],
        "last": own[-1],
        "max": np.array([max(column) for column in zip(*own, strict=True)]),
        "mean": sum(own) / len(own),
        "mean_sqrt_len": sum(own) / len(own) ** 0.5,
        "weighted": sum(place * state for place, state in numbered) / sum(place for place, _ in numbered),
    }
    return np.concatenate([ways[mode] for mode in modes])


def encode(folder: Path, **settings: Any) -> np.ndarray:
    settings = {"lower_case": False, "device": "cpu", "batch_size": 3, **settings}
    return TransformerEncoder(str(folder), **settings).encode(TEXTS)


def dense(folder: Path, n_in: int, n_out: int, bias: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Random weights of a Dense module, saved."""
    weights = {"linear.weight": torch.randn(n_out, n_in), "linear.bias": torch.randn(n_out)}
    if not bias:
        del weights["linear.bias"]
    save_file(weights, folder / "model.safetensors")
    return weights["linear.weight"].numpy(), weights["linear.bias"].numpy() if bias else np.zeros(n_out)


@pytest.mark.slow
@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("modes", [*((mode,) for mode in LEGACY), ("cls", "max", "mean")])
def test_the_folders_own_pooling(tiny: Tiny, tmp_path: Path, modes: tuple[str, ...], legacy: bool) -> None:
    model = tiny["roberta"]
    if legacy:
        config: dict[str, Any] = {f"pooling_mode_{key}": mode in modes for mode, key in LEGACY.items()}
    else:
        named = [TODAY.get(mode, mode) for mode in modes]
        config = {"pooling_mode": named[0] if len(named) == 1 else named}
    folder = made(model, tmp_path / "model", ("Pooling", config))
    assert_allclose(encode(folder), [pooled(model, text, *modes) for text in TEXTS], **TOLERANCE)
    if len(modes) == 1:
        assert_allclose(encode(model.folder, pooling=modes[0]), encode(folder), rtol=0, atol=0)


def test_layers_normalization_and_the_default_prompt(tiny: Tiny, tmp_path: Path) -> None:
    model = tiny["mpnet"]
    first = {"in_features": 48, "out_features": 7, "bias": True, "activation_function": TANH}
    second = {"in_features": 7, "out_features": 5, "bias": False, "activation_function": IDENTITY}
    folder = made(
        model,
        tmp_path / "model",
        ("Pooling", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}),
        ("Dense", first),
        ("Dropout", {"dropout": 0.5}),
        ("Dense", second),
        ("Normalize", {}),
        prompts={"query": "query: ", "document": "doc: "},
        default_prompt_name="query",
    )
    matrix, bias = dense(folder / "2_Dense", 48, 7)
    last, _ = dense(folder / "4_Dense", 7, 5, bias=False)

    def expected(prefix: str) -> np.ndarray:
        both = np.array([pooled(model, prefix + text, "cls", "mean") for text in TEXTS])
        return np.tanh(both @ matrix.T + bias) @ last.T

    unit = expected("query: ") / np.linalg.norm(expected("query: "), axis=1, keepdims=True)
    assert_allclose(encode(folder), unit, **TOLERANCE)
    # What the user says comes first.
    assert_allclose(encode(folder, normalize=False), expected("query: "), **TOLERANCE)
    assert_allclose(encode(folder, prefix="", normalize=False), expected(""), **TOLERANCE)
    plain = [pooled(model, text, "cls") for text in TEXTS]
    assert_allclose(encode(folder, pooling="cls"), plain, **TOLERANCE)


@pytest.mark.slow
def test_a_prompt_that_is_not_pooled(tiny: Tiny, tmp_path: Path) -> None:
    model = tiny["bert"]
    n_prompt = len(model.tokenizer.encode("query: ").ids) - 1  # without the token at the end
    for mode, key in LEGACY.items():
        folder = made(
            model,
            tmp_path / mode,
            ("Pooling", {f"pooling_mode_{key}": True, "include_prompt": False}),
            prompts={"query": "query: "},
            default_prompt_name="query",
        )
        expected = [pooled(model, "query: " + text, mode, left_out=n_prompt) for text in TEXTS]
        assert_allclose(encode(folder), expected, **TOLERANCE)
        expected = [pooled(model, text, mode) for text in TEXTS]
        assert_allclose(encode(folder, prefix=""), expected, **TOLERANCE)


def test_lower_case_where_the_model_wants_it(tiny: Tiny, tmp_path: Path) -> None:
    folder = made(tiny["bert"], tmp_path / "model", ("Pooling", {"pooling_mode_mean_tokens": True}))
    apart = encode(folder)
    assert np.abs(apart[0] - apart[4]).max() > 0.1  # jam and Jam
    write(folder / "sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": True})
    assert_allclose(encode(folder)[4], apart[0], **TOLERANCE)


def test_what_it_came_to_is_said(tiny: Tiny, tmp_path: Path) -> None:
    folder = made(
        tiny["bert"],
        tmp_path / "model",
        ("Pooling", {"pooling_mode_lasttoken": True}),
        ("Dense", {"in_features": 24, "out_features": 3, "activation_function": TANH}),
        ("Normalize", {}),
    )
    dense(folder / "2_Dense", 24, 3)
    said = json.loads(json.dumps(TransformerEncoder(str(folder), device="cpu").describe()))
    assert said["pooling"] == "auto"
    assert said["resolved"] == {
        "pooling": "last",
        "steps": [{"features": 3, "activation": "Tanh", "residual": False}, "normalize"],
        "prefix": "",
        "pool_prefix": True,
        "lower_case": False,
        "from": "modules.json",
    }
    needed = {"modules.json", "1_Pooling/config.json", "2_Dense/config.json", "2_Dense/model.safetensors"}
    assert needed <= said["files"].keys()
    explicit = TransformerEncoder(str(folder), pooling="cls", device="cpu").describe()
    assert "resolved" not in explicit
    assert not needed & explicit["files"].keys()


def test_a_folder_without_such_files_has_a_stated_default(tiny: Tiny) -> None:
    model = tiny["bert"]
    assert_allclose(encode(model.folder), [pooled(model, text, "mean") for text in TEXTS], **TOLERANCE)
    resolved = TransformerEncoder(str(model.folder), device="cpu").describe()["resolved"]
    assert (resolved["pooling"], resolved["steps"], resolved["prefix"]) == ("mean", [], "")
    assert resolved["from"] == "default"


POOLING = ("Pooling", {"pooling_mode_mean_tokens": True})
DENSE = {"in_features": 24, "out_features": 3}


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ([("Pooling", {"pooling_mode": "median"})], "the pooling 'median' is not known"),
        ([POOLING, ("LSTM", {})], "does not follow the module LSTM there: choose .* model.pooling="),
        ([("Dense", DENSE), POOLING], "expected a Transformer in the folder itself, then a Pooling"),
        ([POOLING, ("Dense", {**DENSE, "in_features": 25})], "takes 25 numbers and gets 24"),
        ([POOLING, ("Dense", {**DENSE, "out_features": 4})], r"shape \(4, 24\), got shape \(3, 24\)"),
        ([POOLING, ("Dense", {"in_features": "24"})], "and out_features, got '24' and None"),
        ([POOLING, ("Dense", {**DENSE, "activation_function": "os.abort"})], "expected one of torch.nn"),
        ([POOLING, ("Dense", {**DENSE, "activation_function": "torch.nn.Nope"})], "no activation 'Nope'"),
        ([POOLING, ("Dense", {**DENSE, "module_input_name": "token_embeddings"})], "which is not followed"),
    ],
)  # fmt: skip
def test_what_is_not_followed_is_one_line(tiny: Tiny, tmp_path: Path, modules: Any, said: str) -> None:
    folder = made(tiny["bert"], tmp_path / "model", *modules)
    for place in folder.glob("*_Dense"):
        dense(place, 24, 3)
    with pytest.raises(UserError, match=said) as caught:
        encode(folder)
    assert "\n" not in str(caught.value)
    assert encode(folder, pooling="mean").shape == (len(TEXTS), 24)  # which is what the line says


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("modules.json", "[{", "modules.json cannot be read"),
        ("modules.json", "{}", "modules.json: expected a JSON array"),
        ("modules.json", '[{"type": 3, "path": ""}]', "expected a type and a path for each module"),
        ("modules.json", '[{"type": "mine.Transformer", "path": ""}]', "is code of the model's own"),
        ("modules.json", '[{"type": "sentence_transformers.models.X", "path": "../x"}]', "leads out"),
        ("1_Pooling/config.json", "", "1_Pooling/config.json cannot be read"),
        ("config_sentence_transformers.json", '{"default_prompt_name": "x"}', "prompt 'x' is not among"),
        ("2_Dense/model.safetensors", "half", "2_Dense holds no weights that can be read"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named(tiny: Tiny, tmp_path: Path, name: str, content: str, said: str) -> None:
    folder = made(tiny["bert"], tmp_path / "model", POOLING, ("Dense", DENSE))
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        encode(folder)
