"""Records: what a run leaves behind, and how it is stored, listed, compared, repeated and swept."""

# What runs need beyond the base install: import names, and what pip calls them.
PACKAGES = {
    "hydra": "hydra-core",
    "omegaconf": "omegaconf",
    "rich": "rich",
    "torch": "torch",
    "transformers": "transformers",
}
# What a language model's run needs.
LANGUAGE_PACKAGES = {
    **PACKAGES,
    "openai": "openai",
    "jinja2": "jinja2",
    "rouge_score": "rouge-score",
    "bert_score": "bert-score",
}
