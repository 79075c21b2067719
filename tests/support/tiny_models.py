"""Small random models with their tokenizers, saved as a user would have them, and a slow oracle for each."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
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


class NoTokenError(Exception):
    """A tokenizer makes no token of a text."""


@dataclass(frozen=True)
class TinyModel:
    """A saved model, and what the oracle needs: its tokenizer and its network as they were in memory."""

    folder: Path
    tokenizer: Tokenizer
    layers: Callable[[torch.Tensor], torch.Tensor]  # (1, n_tokens) ids -> (n_layers, n_tokens, n_features)
    limit: int  # tokens that the model has positions for, special ones included

    def oracle(self, text: str, pooling: str) -> np.ndarray:
        """One text alone, without padding, without a batch."""
        with torch.no_grad():
            ids = self.tokenizer.encode(text).ids
            if ids == self.tokenizer.encode("").ids:
                raise NoTokenError(text)
            layer = self.layers(torch.tensor([ids]))[-1]
        if pooling == "cls":
            return layer[0].numpy()
        return np.mean([row.numpy().astype(np.float64) for row in layer], axis=0)

    def in_context(
        self,
        clues: Sequence[str],
        subtoken: str = "first",
        layers: Sequence[int] | None = None,
        leading_space: bool = False,
    ) -> np.ndarray:
        """One wall alone, a clue at a time; the tokenizer gets the clues apart and says which is whose."""
        words = [" " * (leading_space or place > 0) + clue for place, clue in enumerate(clues)]
        encoding = self.tokenizer.encode(words, is_pretokenized=True)
        with torch.no_grad():
            states = self.layers(torch.tensor([encoding.ids])).numpy().astype(np.float64)
        vectors = []
        for clue in range(len(clues)):
            of_layers = []
            for layer in range(len(states)) if layers is None else layers:
                own = [states[layer][token] for token, word in enumerate(encoding.word_ids) if word == clue]
                if not own:
                    raise NoTokenError(clues[clue])
                ways = {"first": own[0], "last": own[-1], "mean": sum(own) / len(own)}
                ways["first_last"] = np.concatenate([own[0], own[-1]])
                of_layers.append(ways[subtoken])
            vectors.append(sum(of_layers) / len(of_layers))
        return np.array(vectors)


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


def make(
    kind: str, folder: Path, dtype: torch.dtype = torch.float32, positions: int = POSITIONS
) -> TinyModel:
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
        config = transformers.BertConfig(max_position_embeddings=positions, **shared)
        model = transformers.BertForMaskedLM(config)
        network, limit = model.bert, positions
    elif kind == "roberta":
        config = transformers.RobertaConfig(max_position_embeddings=positions, pad_token_id=1, **shared)
        model = transformers.RobertaForMaskedLM(config)
        network, limit = model.roberta, positions - 2
    elif kind == "mpnet":
        config = transformers.MPNetConfig(max_position_embeddings=positions, **shared)
        model = transformers.MPNetForMaskedLM(config)
        network, limit = model.mpnet, positions - 2
    elif kind == "distilbert":
        config = transformers.DistilBertConfig(
            vocab_size=vocab_size, max_position_embeddings=positions, dim=24, hidden_dim=32, n_layers=2,
            n_heads=2, dropout=0.5, initializer_range=0.4,
        )  # fmt: skip
        model = transformers.DistilBertForMaskedLM(config)
        network, limit = model.distilbert, positions
    elif kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=vocab_size, n_positions=positions, n_embd=24, n_layer=2, n_head=2,
            bos_token_id=0, eos_token_id=2, initializer_range=0.4,
        )  # fmt: skip
        model = network = transformers.GPT2Model(config)
        limit = positions
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

    def layers(ids: torch.Tensor) -> torch.Tensor:
        return torch.cat(network(input_ids=ids, output_hidden_states=True).hidden_states)

    return TinyModel(folder, tokenizer, layers, limit)


CHAT_TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def make_chat(
    folder: Path, template: str | None = CHAT_TEMPLATE, positions: int = 4096, tied: bool = False
) -> Path:
    """A small random language model that writes bytes, with a chat template unless it is None."""
    torch.manual_seed(7)
    tokenizer = byte_tokenizer(special=False)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=24, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, intermediate_size=32, max_position_embeddings=positions, initializer_range=0.4,
        bos_token_id=0, eos_token_id=2, pad_token_id=1, tie_word_embeddings=tied,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    saved = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", bos_token="<s>"
    )
    saved.chat_template = template
    saved.save_pretrained(folder)
    return folder
