"""From the hidden states of a batch's tokens to a vector a text, as a recipe says. Loads no transformer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .sentence_modules import Dense, Recipe

if TYPE_CHECKING:
    import torch

    Layer = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class Pooler:
    """A recipe whose weights are on a device."""

    modes: tuple[str, ...]
    layers: tuple[Layer, ...]
    n_features: int  # of what it makes

    def __call__(self, hidden: torch.Tensor, mask: torch.Tensor, left_out: int = 0) -> torch.Tensor:
        """The vectors (n_texts, n_features) in float32.

        Parameters
        ----------
        hidden : (n_texts, n_tokens, n_hidden)
            States of tokens; what stands at padding does not matter.
        mask : (n_texts, n_tokens)
            1 for a token, 0 for padding, which comes last.
        left_out
            How many tokens at the beginning of each text are not pooled.

        """
        import torch

        with torch.inference_mode():
            hidden = hidden.float().masked_fill(mask.unsqueeze(-1) == 0, 0.0)
            counted = mask.clone()
            counted[:, :left_out] = 0
            vectors = torch.cat([_pooled(mode, hidden, mask, counted) for mode in self.modes], dim=1)
            for layer in self.layers:
                vectors = layer(vectors)
        return vectors


def make_pooler(recipe: Recipe, n_hidden: int, device: str) -> Pooler:
    """Load the weights of a recipe for a transformer whose states have ``n_hidden`` numbers.

    Raises
    ------
    UserError
        If weights are damaged or do not fit together.

    """
    width = n_hidden * len(recipe.modes)
    layers: list[Layer] = []
    for step in recipe.steps:
        if isinstance(step, str):
            layers.append(_normalized)
            continue
        if step.n_in != width:
            raise UserError(
                f"{step.folder}: its layer takes {step.n_in} numbers and gets {width}: get the model's files "
                "again, or choose model.pooling="
            )
        layers.append(_dense(step, device))
        width = step.n_out
    return Pooler(recipe.modes, tuple(layers), width)


def _pooled(
    mode: str,
    hidden: torch.Tensor,  # (n_texts, n_tokens, n_hidden) float32, 0 at padding
    mask: torch.Tensor,  # (n_texts, n_tokens): tokens
    counted: torch.Tensor,  # (n_texts, n_tokens): tokens that are pooled
) -> torch.Tensor:
    import torch

    rows = torch.arange(len(hidden), device=hidden.device)
    if mode == "cls":
        return hidden[rows, counted.argmax(dim=1)]
    if mode == "last":
        return hidden[rows, mask.sum(dim=1) - 1]
    if mode == "max":
        return hidden.masked_fill(counted.unsqueeze(-1) == 0, -torch.inf).amax(dim=1)
    weights = counted.float()
    if mode == "weighted":  # by the place in the text, from 1 on
        weights = weights * torch.arange(1, mask.shape[1] + 1, device=hidden.device)
    total = (hidden * weights.unsqueeze(-1)).sum(dim=1)
    count = weights.sum(dim=1, keepdim=True)
    return total / (count.sqrt() if mode == "mean_sqrt_len" else count)


def _normalized(vectors: torch.Tensor) -> torch.Tensor:
    unit: torch.Tensor = vectors / vectors.norm(dim=1, keepdim=True).clamp_min(1e-12)
    return unit


def _dense(step: Dense, device: str) -> Layer:
    import torch

    activation = _activation(step)
    shape = (step.n_out, step.n_in)
    weights = _weights(step)
    matrix = _tensor(step, weights, "linear.weight", shape).to(device)
    bias = _tensor(step, weights, "linear.bias", shape[:1]).to(device) if step.bias else None
    beside: torch.Tensor | None = None
    if step.residual and step.n_in != step.n_out:
        beside = _tensor(step, weights, "residual.weight", shape).to(device)

    def apply(vectors: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = activation(torch.nn.functional.linear(vectors, matrix, bias))
        if step.residual:
            out = out + (vectors if beside is None else torch.nn.functional.linear(vectors, beside))
        return out

    return apply


def _activation(step: Dense) -> Any:
    import torch

    kind = getattr(torch.nn, step.activation, None)
    if isinstance(kind, type) and issubclass(kind, torch.nn.Module):
        try:
            return kind().eval()
        except TypeError:  # a layer that needs sizes
            pass
    raise UserError(
        f"{step.folder / 'config.json'}: torch.nn has no activation {step.activation!r:.60}: choose "
        "model.pooling="
    )


def _weights(step: Dense) -> dict[str, Any]:
    safe, other = step.folder / "model.safetensors", step.folder / "pytorch_model.bin"
    try:
        if safe.is_file():
            from safetensors.torch import load_file

            return dict(load_file(safe))
        import torch

        return dict(torch.load(other, map_location="cpu", weights_only=True))
    except Exception as error:  # of the file or its reader, of many kinds
        raise UserError(
            f"{step.folder} holds no weights that can be read ({type(error).__name__}): get the model's "
            "files again, or choose model.pooling="
        ) from error


def _tensor(step: Dense, weights: dict[str, Any], key: str, shape: tuple[int, ...]) -> torch.Tensor:
    stored = weights.get(key)
    if stored is None or tuple(stored.shape) != shape:
        got = "none" if stored is None else f"shape {tuple(stored.shape)}"
        raise UserError(
            f"{step.folder}: expected {key} of shape {shape}, got {got}: get the model's files again"
        )
    tensor: torch.Tensor = stored.float()
    return tensor
