"""Models whose width no one number of their configuration says, and models of several parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from numpy.testing import assert_allclose
from tiny_models import byte_tokenizer, save_tokenizer

from fourfold.embeddings.contextual import ContextualTransformerEncoder
from fourfold.embeddings.transformer import TransformerEncoder
from fourfold.errors import UserError

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
TEXTS = ["jam", "a cake", "R2-D2"]
VOCABULARY = byte_tokenizer().get_vocab_size()
DECODER = {
    "vocab_size": VOCABULARY, "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 40,
    "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1,
}  # fmt: skip


def saved(model: Any, folder: Path) -> str:
    with torch.no_grad():  # larger than they are drawn, so that nothing that matters is near 0
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.2)
    model.eval().save_pretrained(folder)
    save_tokenizer(byte_tokenizer(), folder, pad_token="<pad>", eos_token="</s>", cls_token="<s>")
    return str(folder)


def states(part: Any, text: str, layer: int | None = None) -> np.ndarray:
    """The states of one text's tokens, of its last layer or another."""
    ids = torch.tensor([byte_tokenizer().encode(text).ids])
    with torch.no_grad():
        output = part(input_ids=ids, output_hidden_states=True)
    found = output.last_hidden_state if layer is None else output.hidden_states[layer]
    return found[0].numpy().astype(np.float64)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(5)


@pytest.mark.slow
def test_the_width_is_that_of_the_states(tmp_path: Path) -> None:
    config = transformers.OPTConfig(hidden_size=24, word_embed_proj_dim=10, ffn_dim=32, **DECODER)
    model = transformers.OPTModel(config)
    folder = saved(model, tmp_path)
    vectors = TransformerEncoder(folder, lower_case=False, device="cpu").encode(TEXTS)
    assert vectors.shape == (3, 10)
    assert_allclose(vectors, [states(model, text).mean(axis=0) for text in TEXTS], **TOLERANCE)
    assert TransformerEncoder(folder, device="cpu").encode([]).shape == (0, 10)

    def in_context(**settings: Any) -> np.ndarray:
        encoder = ContextualTransformerEncoder(
            folder, subtoken="last", lower_case=False, device="cpu", **settings
        )
        return encoder.encode_in_context([["jam", "R2-D2"]])

    expected = states(model, "jam R2-D2", layer=-1)
    assert_allclose(in_context(layers="last")[0, 1], expected[-2], **TOLERANCE)  # before the token at the end
    assert in_context(layers=[0, 1]).shape == (1, 2, 24)
    with pytest.raises(UserError, match=r"not equally wide \(24, 24, 10 numbers\).* choose layers=last"):
        in_context(layers="all")


VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
VISION |= {"image_size": 8, "patch_size": 4}
TEXT = {"hidden_size": 24, "intermediate_size": 32, **DECODER}


def clip() -> Any:
    config = transformers.CLIPConfig(text_config=TEXT, vision_config=VISION, projection_dim=6)
    return transformers.CLIPModel(config)


def gemma3() -> Any:
    text = {**TEXT, "num_key_value_heads": 1, "head_dim": 12, "sliding_window": 16}
    config = transformers.Gemma3Config(
        text_config=text, vision_config=VISION, mm_tokens_per_image=4, image_token_id=3, boi_token_id=3,
        eoi_token_id=3,
    )  # fmt: skip
    return transformers.Gemma3ForConditionalGeneration(config)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "part"),
    [(clip, lambda model: model.text_model), (gemma3, lambda model: model.model.language_model)],
)
def test_a_model_of_several_parts_works_by_its_text_part(make: Any, part: Any, tmp_path: Path) -> None:
    model = make()
    folder = saved(model, tmp_path)
    encoder = TransformerEncoder(folder, device="cpu", lower_case=False, batch_size=2)
    vectors = encoder.encode(TEXTS)
    expected = [states(part(model), text).mean(axis=0) for text in TEXTS]
    assert_allclose(vectors, expected, **TOLERANCE)
    with pytest.raises(UserError, match=r"tokens long and .* reads at most 40"):
        encoder.encode(["x" * 41])
    assert ContextualTransformerEncoder(folder, device="cpu").encode_in_context([TEXTS]).shape == (1, 3, 24)


def test_a_model_that_reads_no_texts_is_one_line(tmp_path: Path) -> None:
    folder = saved(transformers.ViTModel(transformers.ViTConfig(**VISION)), tmp_path)
    with pytest.raises(UserError, match=r"makes no states of a text's tokens .*: choose a model of texts$"):
        TransformerEncoder(folder, device="cpu").encode(TEXTS)
