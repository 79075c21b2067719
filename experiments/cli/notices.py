"""What the package logs, such as that it compiles or that a cache cannot be written, as lines on stderr."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from ..terminal.messages import tell


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage())


@contextmanager
def logged_on_stderr() -> Iterator[None]:
    """Show what the package logs, from INFO on, until the block ends; as a library it is quieter."""
    logger = logging.getLogger(__name__.partition(".")[0])
    handler, level = _Lines(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
