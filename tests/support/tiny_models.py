"""Small random models with their tokenizers, saved as a user would have them, and a slow oracle for each."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

KINDS = ("bert", "distilbert", "roberta", "mpnet")
POSITIONS = 40
SIZES = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
WORDS = ("jam", "cake", "query", "homophone")


@dataclass(frozen=True)
class TinyModel:
    """A saved model, and what the oracle needs: its tokenizer and its network as they were in memory."""

    folder: Path
    tokenizer: Tokenizer
    network: Callable[[torch.Tensor], torch.Tensor]  # (1, n_tokens) ids -> (n_tokens, n_features)
    limit: int  # tokens that the model has positions for, special ones included

    def oracle(self, text: str, pooling: str) -> np.ndarray:
        """One text alone, without padding, without a batch."""
        with torch.no_grad():
            layer = self.network(torch.tensor([self.tokenizer.encode(text).ids]))
        if pooling == "cls":
            return layer[0].numpy()
        return np.mean([row.numpy().astype(np.float64) for row in layer], axis=0)


def wordpiece_tokenizer() -> Tokenizer:
    """Cased word pieces of single characters and a few words; [PAD] is 0, as BERT has it."""
    characters = string.ascii_letters + string.digits + string.punctuation + "éßλ"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *characters, *("##" + c for c in characters)]
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def byte_tokenizer(special: bool = True) -> Tokenizer:
    """Byte-level BPE without merges; <pad> is 1, as RoBERTa has it."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
        )
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path, **names: str) -> None:
    """Write a tokenizer as transformers keeps it."""
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)


def make(kind: str, folder: Path, dtype: torch.dtype = torch.float32) -> TinyModel:
    """Make and save a model; masked-language heads are saved along, as in the published checkpoints."""
    torch.manual_seed(7)
    if kind in ("roberta", "mpnet", "gpt2"):
        tokenizer = byte_tokenizer(special=kind != "gpt2")
        names = {"pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>", "eos_token": "</s>"}
        if kind == "gpt2":
            names = {"eos_token": "</s>"}  # and nothing to pad with
    else:
        tokenizer = wordpiece_tokenizer()
        names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    vocab_size = tokenizer.get_vocab_size()
    shared = {**SIZES, "vocab_size": vocab_size, "hidden_dropout_prob": 0.5, "initializer_range": 0.4}
    if kind == "bert":
        config = transformers.BertConfig(max_position_embeddings=POSITIONS, **shared)
        model = transformers.BertForMaskedLM(config)
        network, limit = model.bert, POSITIONS
    elif kind == "roberta":
        config = transformers.RobertaConfig(max_position_embeddings=POSITIONS, pad_token_id=1, **shared)
        model = transformers.RobertaForMaskedLM(config)
        network, limit = model.roberta, POSITIONS - 2
    elif kind == "mpnet":
        config = transformers.MPNetConfig(max_position_embeddings=POSITIONS, **shared)
        model = transformers.MPNetForMaskedLM(config)
        network, limit = model.mpnet, POSITIONS - 2
    elif kind == "distilbert":
        config = transformers.DistilBertConfig(
            vocab_size=vocab_size, max_position_embeddings=POSITIONS, dim=24, hidden_dim=32, n_layers=2,
            n_heads=2, dropout=0.5, initializer_range=0.4,
        )  # fmt: skip
        model = transformers.DistilBertForMaskedLM(config)
        network, limit = model.distilbert, POSITIONS
    elif kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=vocab_size, n_positions=POSITIONS, n_embd=24, n_layer=2, n_head=2,
            bos_token_id=0, eos_token_id=2, initializer_range=0.4,
        )  # fmt: skip
        model = network = transformers.GPT2Model(config)
        limit = POSITIONS
    elif kind == "t5":
        config = transformers.T5Config(
            vocab_size=vocab_size,
            d_model=24,
            d_kv=12,
            d_ff=32,
            num_layers=2,
            num_heads=2,
            decoder_start_token_id=0,
        )
        model = transformers.T5Model(config)
        network, limit = model.encoder, 10**9
    else:
        raise ValueError(kind)
    model.to(dtype).save_pretrained(folder)
    save_tokenizer(tokenizer, folder, **names)
    network.eval()
    return TinyModel(folder, tokenizer, lambda ids: network(input_ids=ids).last_hidden_state[0], limit)
