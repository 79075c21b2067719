"""Which packages a command needs beyond the base install, and what to say when they are not there."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from ...errors import UserError


def need(command: str, packages: Mapping[str, str], extra: str = "experiments") -> None:
    """Raise UserError if a package is missing.

    Parameters
    ----------
    command
        What needs them.
    packages
        Import names and what pip calls them.
    extra
        The extra of fourfold that brings them.

    """
    missing = [pip for module, pip in packages.items() if not _is_there(module)]
    if missing:
        raise UserError(
            f"'fourfold {command}' needs {', '.join(missing)}, which the base install leaves out:"
            f" pip install 'fourfold[{extra}]'"
        )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a module within a package, when the package is not there
        return False
