"""The published numbers of the MacGyver paper, which ``paper.json`` holds with their places in it.

They are those of its tables and text, not what only figures show. Source: Tian, Ravichander, Qin, Le Bras,
Marjieh, Peng, Choi, Griffiths, Brahman, "MacGyver: Are Large Language Models Creative Problem Solvers?",
NAACL 2024.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

Six = tuple[float, float, float, float, float, float]  # percent by category, A to F


def _published() -> dict[str, Any]:
    text = files(__package__).joinpath("paper.json").read_text(encoding="utf-8")
    return {name: entry["values"] for name, entry in json.loads(text).items()}


def _by_category(shares: Mapping[str, list[float]]) -> dict[str, Six]:
    return {who: (a, b, c, d, e, f) for who, (a, b, c, d, e, f) in shares.items()}


_NUMBERS = _published()

TABLE_1: Mapping[str, int] = _NUMBERS["table_1"]
BENCHMARK_PROBLEMS: int = _NUMBERS["benchmark_problems"]
ANSWERS: int = _NUMBERS["answers"]
AGREEMENT: Mapping[str, float] = _NUMBERS["agreement"]
GPT4_ON_SOLVABLE: Mapping[str, float] = _NUMBERS["gpt4_on_solvable"]
SINGLE_EFFORT = _by_category(_NUMBERS["single_effort"])
AVERAGE = _by_category(_NUMBERS["average"])
BEST = _by_category(_NUMBERS["best"])
MAJORITY: Mapping[str, float] = _NUMBERS["majority"]
TOOL_DIFFERENCES: Mapping[str, float] = _NUMBERS["tool_differences"]
TOOL_FREQUENCIES: Mapping[str, float] = _NUMBERS["tool_frequencies"]
DISTINCT_TOOLS: int = _NUMBERS["distinct_tools"]
CORRELATIONS: Mapping[str, float] = _NUMBERS["correlations"]

# What the paper calls those who answered, and the names that the release gives them.
TITLES = {
    "llama2_7b": "Llama2-7b",
    "llama2_13b": "Llama2-13b",
    "llama2_70b": "Llama2-70b",
    "palm2": "PaLM2",
    "claude2": "Claude2",
    "gpt35": "GPT-3.5",
    "gpt4": "GPT-4",
    "human": "Human",
}
RELEASED_NAMES = {
    "llama2_7b_solutions": "llama2_7b",
    "llama2_13b_solutions": "llama2_13b",
    "llama2_70b_solutions": "llama2_70b",
    "solutions_bard": "palm2",
    "solutions_claude2": "claude2",
    "solutions_gpt35": "gpt35",
    "solutions_gpt4": "gpt4",
    "gpt4-prompt-2": "gpt4",
    "gpt4-prompt-3": "gpt4",
    "gpt4-prompt-4": "gpt4",
    "Prolific": "human",
}
