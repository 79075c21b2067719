"""An argument parser whose errors are one line, like every other error."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any, NoReturn

from ...errors import UserError


class Parser(ArgumentParser):
    """``argparse`` with the project's way of failing. Descriptions are shown as they are written."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise UserError with argparse's message."""
        raise UserError(f"{message}: '{self.prog} --help' shows what there is")
