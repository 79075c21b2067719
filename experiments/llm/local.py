"""Chat models that transformers loads onto this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Any

from ...embeddings.extras import require
from ...embeddings.find_model import ModelFiles, find_model
from ...embeddings.model_folder import CHAT_FILES
from ...embeddings.pretrained import quiet
from ...embeddings.torch_device import check_device, resolve_device
from ...errors import UserError
from .chat import Answer, ChatRequest, Failure, Json, Keep, Message, Reply, Usage, without_system
from .sampling import processors

DTYPES = ("auto", "float32", "bfloat16", "float16")


@dataclass
class LocalChat:
    """A causal language model with its tokenizer, answering in batches.

    A request's prompt is made by the tokenizer's chat template. The messages of a folder's model without one
    follow each other; a hub model without one is an error, since whoever brought it into the cache may have
    left it out. Shorter prompts of a batch are padded on the left. At temperature 0 or None the likeliest
    token is taken each time (a model's own settings for sampling are not used); above it, a token is drawn
    as ``sampling`` says, so that a request's seed and sample decide, and no other request of its batch.

    Parameters
    ----------
    name
        A folder, a hub id, or a packaged model.
    device, dtype, revision
        As for an encoder.
    batch_size
        How many requests are answered at once.

    """

    name: str
    device: str = "auto"
    dtype: str = "auto"
    batch_size: int = 8
    revision: str | None = None
    _files: ModelFiles | None = field(default=None, init=False, repr=False)
    _tokenizer: Any = field(default=None, init=False, repr=False)
    _model: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_device(self.device)
        if self.dtype not in DTYPES:
            raise UserError(f"model.dtype={self.dtype} is not known: expected one of {', '.join(DTYPES)}")

    def describe(self) -> dict[str, Json]:
        """The model's files by their content, and what its answers depend on beside them."""
        return {
            "backend": "transformers",
            "name": self.name,
            "files": self._found().digests(CHAT_FILES),
            "device": resolve_device(self.device),
            "dtype": self.dtype,
            "batch_size": self.batch_size,
            "torch": version("torch"),
            "transformers": version("transformers"),
        }

    def count_tokens(self, request: ChatRequest) -> int | None:
        """How many tokens the request's prompt is."""
        return len(self._prompt(request))

    def complete(self, requests: Sequence[ChatRequest], keep: Keep | None = None) -> list[Answer]:
        """Answer the requests, those of like length together.

        Raises
        ------
        UserError
            If the model cannot be found or loaded.

        """
        answers: list[Answer | None] = [None] * len(requests)

        def give(place: int, answer: Answer) -> None:
            answers[place] = answer
            if keep is not None:
                keep(place, answer)

        if not requests:
            return []
        self._load()
        prompts = [self._prompt(request) for request in requests]
        ready = []
        limit = getattr(self._model.config, "max_position_embeddings", None)
        for place, (request, prompt) in enumerate(zip(requests, prompts, strict=True)):
            needed = len(prompt) + request.max_tokens
            if isinstance(limit, int) and needed > limit:
                reason = (
                    f"the prompt of {len(prompt)} tokens and {request.max_tokens} for the answer are more"
                    f" than the {limit} that {self.name} reads"
                )
                give(place, Failure(reason))
            else:
                ready.append(place)
        for batch in self._batches(requests, prompts, ready):
            for place, answer in zip(batch, self._answered(batch, requests, prompts), strict=True):
                give(place, answer)
        return [answer for answer in answers if answer is not None]

    def _answered(
        self, batch: Sequence[int], requests: Sequence[ChatRequest], prompts: Sequence[list[int]]
    ) -> Sequence[Answer]:
        """The answers to a batch, in halves where it does not fit into the device's memory."""
        import torch

        try:
            return self._generate([requests[place] for place in batch], [prompts[place] for place in batch])
        except torch.OutOfMemoryError:
            if len(batch) == 1:
                return [Failure(f"the memory of {self._model.device} does not hold this prompt's answer")]
        half = len(batch) // 2
        return [
            *self._answered(batch[:half], requests, prompts),
            *self._answered(batch[half:], requests, prompts),
        ]

    def _batches(
        self, requests: Sequence[ChatRequest], prompts: list[list[int]], places: list[int]
    ) -> list[list[int]]:
        """Places by batch, the longest prompts first: memory that does not suffice shows at once."""
        batches: list[list[int]] = []
        of_kind: dict[str, list[int]] = {}
        for place in sorted(places, key=lambda place: -len(prompts[place])):
            request = requests[place]
            kind = repr((request.max_tokens, request.temperature, sorted(request.extra.items())))
            open_batch = of_kind.get(kind)
            if open_batch is None or len(open_batch) == self.batch_size:
                open_batch = of_kind[kind] = []
                batches.append(open_batch)
            open_batch.append(place)
        return batches

    def _generate(self, requests: list[ChatRequest], prompts: list[list[int]]) -> list[Reply]:
        """The answers to one batch, which has one ``max_tokens``, temperature and ``extra``."""
        import torch

        settings: Any = import_module("transformers").GenerationConfig
        longest = max(map(len, prompts))
        pad = self._pad_id()
        ids = torch.tensor([[pad] * (longest - len(prompt)) + prompt for prompt in prompts])
        mask = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts])
        stops = self._stops()
        first, device = requests[0], self._model.device
        config = settings(
            max_new_tokens=first.max_tokens,
            min_new_tokens=int(first.extra.get("min_new_tokens", 0)) or None,
            pad_token_id=pad,
            eos_token_id=stops or None,
            do_sample=False,
            # The processors see to these.
            repetition_penalty=1.0,
            no_repeat_ngram_size=0,
        )
        own = self._model.generation_config.to_dict()
        steps = processors(requests, [len(prompt) for prompt in prompts], own, device)
        with torch.inference_mode(), quiet():
            output = self._model.generate(
                input_ids=ids.to(device),
                attention_mask=mask.to(device),
                generation_config=config,
                logits_processor=steps,
            )
        return [
            self._reply(len(prompt), row[longest:].tolist(), stops)
            for prompt, row in zip(prompts, output.cpu(), strict=True)
        ]

    def _reply(self, n_prompt: int, written: list[int], stops: list[int]) -> Reply:
        ends = [place for place, token in enumerate(written) if token in stops]
        answer = written[: ends[0]] if ends else written
        text = self._tokenizer.decode(answer, skip_special_tokens=True)
        return Reply(text, "stop" if ends else "length", Usage(n_prompt, len(answer) + bool(ends)))

    def _prompt(self, request: ChatRequest) -> list[int]:
        """The token ids of a request's messages."""
        self._load_tokenizer()
        if self._tokenizer.chat_template is None:
            self._check_source()
            text = "\n\n".join([*(message.content for message in request.messages), ""])
            ids: list[int] = self._tokenizer(text, verbose=False)["input_ids"]
            return ids
        try:
            text = self._templated(request.messages)
        except Exception:  # templates refuse what their models were not trained on, such as a system's turn
            try:
                text = self._templated(without_system(request.messages))
            except Exception as error:
                raise UserError(
                    f"model {self.name!r}: its chat template takes no prompt of these messages"
                    f" ({type(error).__name__}: {' '.join(str(error).split())[:200]}): choose another model"
                ) from error
        # The template has written the special tokens already.
        ids = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _check_source(self) -> None:
        source = self._found()
        if source.source == "hub":
            raise UserError(
                f"model {self.name!r} has no chat template in the hub's cache: fetch it with 'hf download"
                f" {self.name} chat_template.jinja', or if it has none, name its folder {source.folder}"
            )

    def _templated(self, messages: Sequence[Message]) -> str:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        text: str = self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        return text

    def _found(self) -> ModelFiles:
        if self._files is None:
            self._files = find_model(self.name, self.revision, CHAT_FILES)
        return self._files

    def _load_tokenizer(self) -> None:
        if self._tokenizer is None:
            require("torch", "transformers")
            with quiet():
                from transformers import AutoTokenizer

                self._tokenizer = self._loaded(AutoTokenizer)

    def _load(self) -> None:
        self._load_tokenizer()
        if self._model is None:
            with quiet():
                from transformers import AutoModelForCausalLM

                model, report = self._loaded(AutoModelForCausalLM, dtype=self.dtype, output_loading_info=True)
            if missing := sorted(report["missing_keys"]):
                raise UserError(
                    f"model {self.name!r} lacks {len(missing)} of a language model's weights, such as "
                    f"{missing[0]}: choose a model that writes text"
                )
            self._model = model.to(resolve_device(self.device)).eval()

    def _loaded(self, kind: Any, **options: Any) -> Any:
        folder = self._found().folder
        try:
            return kind.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False, **options
            )
        except Exception as error:  # many kinds: damaged files, an unknown architecture, a missing package
            lines = str(error).strip().splitlines()
            raise UserError(
                f"model {self.name!r} cannot be loaded as a language model from {folder} "
                f"({type(error).__name__}: {lines[0][:200] if lines else 'no reason given'}): "
                "check that its files are whole and that it is a model that writes text"
            ) from error

    def _pad_id(self) -> int:
        """What fills a batch; it is masked."""
        stops = self._stops()
        pad = self._tokenizer.pad_token_id
        return int(pad) if pad is not None else (stops[0] if stops else 0)

    def _stops(self) -> list[int]:
        """The tokens that end an answer, as the model's files name them."""
        ends = [self._tokenizer.eos_token_id, getattr(self._model.generation_config, "eos_token_id", None)]
        stops: list[int] = []
        for end in ends:
            stops += [int(each) for each in (end if isinstance(end, list) else [end]) if each is not None]
        return list(dict.fromkeys(stops))
