"""A loaded transformer: texts to token ids, token ids to hidden states. No pooling, no search for files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .extras import require
from .find_model import ModelFiles
from .texts import excerpt

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "bfloat16", "float16", "auto")
_NO_LIMIT = 10**9  # tokenizers without a limit of their own say 10**30


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A model in evaluation mode on its device, with its tokenizer."""

    name: str
    tokenizer: Any
    model: Any
    device: str
    max_tokens: int  # special tokens included
    pad_id: int
    n_features: int  # of the last hidden layer
    widths: tuple[int, ...]  # of all hidden layers, the embedding layer first

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens included, from one call of the tokenizer.

        Raises
        ------
        UserError
            If a text has more tokens than the model reads: nothing is ever cut off.

        """
        ids: list[list[int]] = self.tokenizer(
            list(texts),
            padding=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]
        longest = max(range(len(ids)), key=lambda row: len(ids[row]), default=None)
        if longest is not None and len(ids[longest]) > self.max_tokens:
            n_long = sum(len(row) > self.max_tokens for row in ids)
            others = f" (and {n_long - 1} other texts are too long)" if n_long > 1 else ""
            raise UserError(
                f"the text {excerpt(texts[longest])} is {len(ids[longest])} tokens long and {self.name} "
                f"reads at most {self.max_tokens}{others}: shorten it or choose a model that reads more"
            )
        self.check_known(max((max(row) for row in ids if row), default=0))
        return ids

    def check_known(self, greatest_id: int) -> None:
        """Raise UserError unless the model has an embedding for every token id up to this one."""
        n_pieces = self.model.get_input_embeddings().weight.shape[0]
        if greatest_id >= n_pieces:
            raise UserError(
                f"the tokenizer of {self.name} makes tokens that the model does not know: it has {n_pieces}, "
                "so put the tokenizer that belongs to the model in its folder"
            )

    def hidden(self, ids: Sequence[Sequence[int] | NDArray[np.int64]]) -> tuple[torch.Tensor, torch.Tensor]:
        """The last hidden layer of a batch of token ids, padded on the right.

        Returns
        -------
        hidden : (n_texts, n_tokens, n_features)
            In the model's dtype, on its device. Rows of padding hold nothing of use.
        mask : (n_texts, n_tokens) int64
            1 for a token, 0 for padding.

        """
        output, mask = self._forward(ids)
        return output.last_hidden_state, mask

    def layers(self, ids: Sequence[Sequence[int] | NDArray[np.int64]]) -> tuple[torch.Tensor, ...]:
        """All hidden layers of a batch, each as ``hidden`` gives the last, from the embedding layer on."""
        output, _ = self._forward(ids, output_hidden_states=True)
        states: tuple[torch.Tensor, ...] = output.hidden_states
        return states

    def _forward(
        self, ids: Sequence[Sequence[int] | NDArray[np.int64]], **options: bool
    ) -> tuple[Any, torch.Tensor]:
        import torch

        lengths = np.array([len(row) for row in ids])
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        padded = np.full(mask.shape, self.pad_id, dtype=np.int64)
        padded[mask.astype(bool)] = np.concatenate([np.asarray(row, dtype=np.int64) for row in ids])
        attention = torch.from_numpy(mask).to(self.device)
        with torch.inference_mode():
            output = self.model(
                input_ids=torch.from_numpy(padded).to(self.device), attention_mask=attention, **options
            )
        return output, attention


def layers_by_thread() -> bool:
    """Whether threads may share a model where all layers are asked for.

    transformers 4 puts other functions in the place of the layers' own during such a call.
    """
    require("transformers")
    return find_spec("transformers.utils.output_capturing") is not None


def load_pretrained(files: ModelFiles, device: str, dtype: str) -> Pretrained:
    """Load tokenizer and model onto ``device``, without a word on the terminal.

    Raises
    ------
    UserError
        If the files cannot be read, or lack weights of the model.

    """
    require("torch", "transformers")
    with quiet():
        from transformers import AutoConfig, AutoModel, AutoTokenizer

        # trust_remote_code=False: without it, a model with code of its own asks a question on the terminal.
        options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        folder = str(files.folder)
        try:
            config = AutoConfig.from_pretrained(folder, **options)
            tokenizer = AutoTokenizer.from_pretrained(folder, **options)
            model, report = AutoModel.from_pretrained(
                folder, config=config, dtype=dtype, output_loading_info=True, **options
            )
        except (
            Exception
        ) as error:  # many kinds: damaged JSON or weights, an unknown architecture, a missing package
            lines = str(error).strip().splitlines()
            reason = lines[0][:200] if lines else type(error).__name__
            raise UserError(
                f"model {files.name!r} cannot be loaded from {files.folder} "
                f"({type(error).__name__}: {reason}): "
                "check that its files are whole and that this version of transformers knows it"
            ) from error
    # The pooler comes after the last hidden layer, and checkpoints without one are usual.
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    if missing:
        raise UserError(
            f"model {files.name!r}: {files.folder} lacks {len(missing)} of its weights, "
            f"such as {missing[0]}: get the model's files again, or choose a model that was saved whole"
        )
    part = _text_part(files.name, model, config).to(device).eval()
    n_features, widths = _widths(files.name, part, device)
    return Pretrained(
        name=files.name,
        tokenizer=tokenizer,
        model=part,
        device=device,
        max_tokens=_max_tokens(tokenizer, part),
        pad_id=_pad_id(tokenizer, part.config),
        n_features=n_features,
        widths=widths,
    )


def _text_part(name: str, model: Any, config: Any) -> Any:
    """What reads texts and gives hidden states: the model, its encoder, or one part of one that sees too."""
    part = model
    if any(hasattr(config, key) for key in ("text_config", "vision_config", "audio_config")):
        parts = (getattr(model, key, None) for key in ("language_model", "text_model", "text_encoder"))
        part = next((each for each in parts if each is not None), None)
        if part is None or not hasattr(part, "config"):
            raise UserError(
                f"model {name!r} is made of several parts ({type(model).__name__}), and which of them reads "
                "texts is not known: choose a model of texts alone"
            )
    return part.get_encoder() if part.config.is_encoder_decoder else part


def _widths(name: str, part: Any, device: str) -> tuple[int, tuple[int, ...]]:
    """How many numbers the states of one token have, in the last layer and in all: no configuration says."""
    import torch

    token = torch.zeros((1, 1), dtype=torch.int64, device=device)
    try:
        with quiet(), torch.inference_mode():
            output = part(input_ids=token, attention_mask=token + 1, output_hidden_states=True)
        last, layers = output.last_hidden_state, output.hidden_states
        return int(last.shape[-1]), tuple(int(layer.shape[-1]) for layer in layers)
    except (AttributeError, LookupError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        raise UserError(
            f"model {name!r} makes no states of a text's tokens ({type(part).__name__}: "
            f"{' '.join(str(error).split())[:120]}): choose a model of texts"
        ) from error


def _max_tokens(tokenizer: Any, model: Any) -> int:
    """How many tokens the model has positions for, special tokens included."""
    import torch

    limits = [_NO_LIMIT, tokenizer.model_max_length]
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        limits.append(positions)
    for name, module in model.named_modules():
        # RoBERTa, MPNet and their kin count positions from the padding's id + 1: the first ones stay unused.
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            unused = 0 if module.padding_idx is None else module.padding_idx + 1
            limits.append(module.num_embeddings - unused)
    return int(min(limits))


def _pad_id(tokenizer: Any, config: Any) -> int:
    """What fills a batch. It is masked, so that any id does where neither tokenizer nor model names one."""
    candidates = (tokenizer.pad_token_id, getattr(config, "pad_token_id", None), tokenizer.eos_token_id)
    return next((int(candidate) for candidate in candidates if candidate is not None), 0)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' reports, progress bars and warnings off the terminal, and put its settings back."""
    logging: Any = import_module("transformers.utils.logging")
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.ERROR)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # what libraries tell each other's makers, different in every version
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
