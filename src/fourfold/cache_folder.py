"""The user's cache folder: where everything that can be made or fetched again is stored."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .errors import UserError

VARIABLE = "FOURFOLD_CACHE"


def cache_folder() -> Path:
    """``$FOURFOLD_CACHE``, else ``fourfold`` in ``$XDG_CACHE_HOME``, else in the system's place for caches.

    That is ``~/.cache``, ``~/Library/Caches`` on macOS and ``%LOCALAPPDATA%`` on Windows. The folder need
    not exist. Raises UserError where the user has no home folder and none of the variables is set.
    """
    try:
        return _folder()
    except RuntimeError as error:  # pathlib's
        raise UserError(
            f"the user has no home folder for a cache: name one with the environment variable {VARIABLE}"
        ) from error


def _folder() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    if shared and Path(shared).is_absolute():  # the standard says to ignore any other
        return Path(shared) / "fourfold"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "fourfold"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "fourfold" / "Cache"
    return Path.home() / ".cache" / "fourfold"
