"""BERTScore F1 through the package ``bert-score``, and its stand-in over a small packaged model.

The package relies on ``add_prefix_space``, which transformers 5 no longer takes with each call: without it
the first word of a text is cut into other pieces, and scores shift. The tokenizer is loaded with it here.
The package also fails on an empty text with transformers 5; its score is 0 before rescaling, as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...embeddings.extras import require
from ...embeddings.find_model import find_model
from ...embeddings.pretrained import quiet
from ...embeddings.torch_device import resolve_device
from ...errors import UserError
from ..terminal.writing import counted

PAPER_MODEL = "roberta-large"
PAPER_LAYER = 17
PACKAGED_MODEL = "packaged:all-MiniLM-L6-v2"
PACKAGED_LAYER = 6


@dataclass
class BertScore:
    """F1 of the greedy matching of two texts' tokens by the vectors that a model gives them.

    Parameters
    ----------
    model
        A hub id, a folder or a packaged model.
    layer
        The hidden layer whose vectors count, from 1.
    rescaled
        Whether scores are rescaled with the package's English baseline for ``model``, as the paper's are.
        A score may then be below 0.
    prefix_space
        Whether the first word of a text is cut into pieces as any other. The package's default does so; its
        ``use_fast_tokenizer=True``, in the releases of 2023, did not.
    device
        auto, cpu, cuda, cuda:N or mps.

    """

    model: str = PAPER_MODEL
    layer: int = PAPER_LAYER
    rescaled: bool = True
    prefix_space: bool = True
    device: str = "auto"
    _scorer: Any = field(default=None, init=False, repr=False)

    @property
    def hash(self) -> str:
        """What the package calls the hash: the settings and versions behind the scores."""
        require("bert_score")
        from bert_score.utils import get_hash

        name: str = get_hash(self.model, self.layer, False, self.rescaled, False, not self.prefix_space)
        return name

    def find(self) -> None:
        """Raise UserError if the model cannot be had; it is not loaded."""
        find_model(self.model)

    def f1(self, predicted: Sequence[str], true: Sequence[str]) -> list[float]:
        """The F1 of each pair, (n_pairs,).

        Raises
        ------
        UserError
            If the model cannot be had or loaded.

        """
        if len(predicted) != len(true):
            raise ValueError(f"got {counted(len(predicted), 'predicted text')} and {len(true)} true ones")
        scorer = self._loaded()
        places = [place for place in range(len(true)) if predicted[place].strip() and true[place].strip()]
        empty = 0.0
        if self.rescaled:
            baseline = float(scorer.baseline_vals[2])
            empty = -baseline / (1 - baseline)
        scores = [empty] * len(true)
        if places:
            _, _, f1 = scorer.score([predicted[place] for place in places], [true[place] for place in places])
            for place, score in zip(places, f1.tolist(), strict=True):
                scores[place] = float(score)
        return scores

    def _loaded(self) -> Any:
        if self._scorer is not None:
            return self._scorer
        require("torch", "transformers", "bert_score")
        folder = find_model(self.model).folder
        with quiet():
            import bert_score
            from transformers import AutoTokenizer

            try:
                scorer = bert_score.BERTScorer(
                    model_type=str(folder),
                    num_layers=self.layer,
                    lang="en",
                    rescale_with_baseline=self.rescaled,
                    device=resolve_device(self.device),
                )
                tokenizer: Any = AutoTokenizer.from_pretrained(
                    str(folder), add_prefix_space=self.prefix_space, local_files_only=True
                )
            except Exception as error:  # many kinds: damaged files, too few layers
                lines = str(error).strip().splitlines()
                raise UserError(
                    f"BERTScore: the model {self.model} cannot be loaded from {folder} "
                    f"({type(error).__name__}: {lines[0][:200] if lines else 'no reason given'})"
                ) from error
        positions = getattr(scorer._model.config, "max_position_embeddings", 10**6)
        # Where a tokenizer names no limit, the package would hand a number to it that it cannot hold.
        tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
        scorer._tokenizer = tokenizer
        if self.rescaled:
            scorer.baseline_path = str(
                Path(bert_score.__file__).parent / "rescale_baseline" / "en" / f"{self.model}.tsv"
            )
            if not Path(scorer.baseline_path).is_file():
                raise UserError(
                    f"BERTScore: the package bert-score has no English baseline for {self.model}: "
                    f"choose {PAPER_MODEL}, or scores that are not rescaled"
                )
        self._scorer = scorer
        return scorer


def packaged_stand_in(device: str = "auto") -> BertScore:
    """The same matching over the packaged MiniLM, which needs no download; its scores are not the paper's."""
    return BertScore(PACKAGED_MODEL, PACKAGED_LAYER, rescaled=False, device=device)
