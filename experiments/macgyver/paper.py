"""The published numbers of the MacGyver paper: those of its tables and text, not what only figures show."""

from __future__ import annotations

# Table 1, the entire data set above, its solvable part below; and what the text says beside it.
TABLE_1 = {"solvable": 1306, "unsolvable": 377, "problems": 1683, "unconventional": 1073, "conventional": 233}
BENCHMARK_PROBLEMS = 323  # section 4
ANSWERS = 4100  # "Limitations": answer-annotation pairs, rounded
AGREEMENT = {"solvability": 0.67, "unconventional use": 0.77, "answers": 0.71}  # sections 2.2 and D.2: kappa

# Section 3: shares in percent of GPT-4's answers to all solvable problems.
GPT4_ON_SOLVABLE = {"efficient": 18.9, "infeasible": 37.5}

# Table 5: percent by category, A to F; the two totals follow from them.
SINGLE_EFFORT = {
    "llama2_7b": (8.9, 18.1, 8.5, 6.9, 27.0, 30.6),
    "llama2_13b": (11.7, 28.0, 2.3, 12.1, 32.3, 13.6),
    "llama2_70b": (11.6, 24.0, 5.6, 14.0, 27.2, 17.6),
    "palm2": (14.7, 25.9, 0.0, 10.8, 35.5, 13.1),
    "claude2": (14.0, 22.2, 16.5, 8.2, 12.3, 26.7),
    "gpt35": (13.8, 15.4, 11.4, 10.2, 11.4, 37.8),
    "gpt4": (24.8, 35.5, 2.1, 11.9, 14.9, 10.8),
    "human": (27.6, 27.6, 9.9, 5.6, 10.8, 18.6),
}
AVERAGE = {"gpt4": (24.8, 33.2, 5.0, 12.5, 15.7, 8.7), "human": (26.2, 28.7, 12.9, 5.1, 10.2, 16.9)}
BEST = {"gpt4": (62.5, 21.1, 8.7, 2.2, 4.3, 1.2), "human": (72.8, 15.2, 10.8, 0.6, 0.6, 0.0)}
MAJORITY = {"gpt4": 73.3, "human": 79.3}  # section 4.4.2: percent of problems that most answers get right

# Table 4: by how much people score higher than GPT-4 on the problems that hold a tool.
TOOL_DIFFERENCES = {
    "magnifying glass": 0.602,
    "rock": 0.447,
    "calculator": 0.405,
    "kitchen knife": 0.386,
    "hair tie": 0.359,
    "paper cup": 0.292,
    "zip ties": 0.283,
    "pen": 0.281,
    "kettle": 0.273,
    "old t-shirt": 0.252,
    "sunscreen": 0.25,
    "mirror": -0.314,
    "gardening gloves": -0.311,
    "scarf": -0.307,
    "tablecloth": -0.289,
    "clothespins": -0.253,
}

# Table 8: a tool's share of all tools presented, in percent.
TOOL_FREQUENCIES = {
    "duct tape": 2.0,
    "plastic bag": 0.7,
    "flashlight": 0.7,
    "aluminum foil": 0.6,
    "hairdryer": 0.5,
    "ruler": 0.4,
    "broom": 0.4,
    "spoon": 0.4,
    "toothbrush": 0.4,
    "magnifying glass": 0.4,
    "rope": 0.4,
    "hammer": 0.3,
    "yoga mat": 0.3,
    "towel": 0.3,
    "frisbee": 0.3,
    "toothpick": 0.3,
}
DISTINCT_TOOLS = 3800

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

# "Limitations": Pearson's correlation of automatic measures with people's labels. MiniLM's matching is
# BERTScore over another model and is set beside its value.
CORRELATIONS = {"bleu2": 0.07, "bleu3": 0.07, "bertscore": 0.12, "minilm": 0.12}
