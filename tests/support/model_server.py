"""A small language model behind a real OpenAI-compatible server on loopback, for end-to-end tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from chat_server import Answer, ChatServer, said, serve


@contextmanager
def model_server(folder: Path) -> Iterator[ChatServer]:
    """Serve the model in ``folder``: greedy, each request alone, as many tokens as it asks for."""
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    one_at_a_time = threading.Lock()

    def answer(body: dict[str, Any], _: dict[str, str]) -> Answer:
        text = tokenizer.apply_chat_template(body["messages"], tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        with one_at_a_time, torch.no_grad():
            written = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=body["max_tokens"],
                do_sample=False,
                pad_token_id=tokenizer.pad_token_id,
            )[0, ids.shape[1] :]
        ended = int(written[-1]) == tokenizer.eos_token_id
        return said(
            tokenizer.decode(written, skip_special_tokens=True),
            "stop" if ended else "length",
            ids.shape[1],
            len(written),
        )

    with serve(answer) as server:
        yield server
