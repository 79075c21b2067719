"""One word of the command line, ``key=value``, in Hydra's grammar."""

from __future__ import annotations

import sys

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from ..errors import UserError


def parsed(word: str) -> Override | None:
    """The word as Hydra reads it; None where its grammar refuses it, as it does some paths.

    Raises
    ------
    UserError
        On a whole number of more digits than Python reads.

    """
    try:
        return OverridesParser.create().parse_override(word)
    except HydraException:
        return None
    except ValueError as error:
        key, _, value = word.partition("=")
        raise UserError(
            f"{key}={value[:20]}[...]: got {len(value):,} letters with a number that is too long to be read,"
            f" expected at most {sys.get_int_max_str_digits():,} digits: write a shorter number"
        ) from error
