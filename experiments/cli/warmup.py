"""``fourfold warmup``: compile everything beforehand, so that nothing waits for it later."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import UserError
from ..terminal.writing import counted
from .arguments import Parser

DESCRIPTION = """\
Compile everything that clustering uses on the CPU for this machine, which otherwise happens when it is first
needed, and store it in $NUMBA_CACHE_DIR or the user's cache ($FOURFOLD_CACHE). Once done, this takes seconds.
"""

EXAMPLES = """\
examples:
  fourfold warmup
  FOURFOLD_CACHE=/scratch/me fourfold warmup
  NUMBA_CACHE_DIR=/shared/compiled fourfold warmup

Jobs of a cluster that share such a folder, and have the same processors, compile nothing.
"""


def main(words: Sequence[str]) -> int:
    """Compile, and say how long it took and where the result is."""
    parser = Parser(prog="fourfold warmup", description=DESCRIPTION, epilog=EXAMPLES)
    parser.parse_args(words)

    from ...engine.warmup import warm_up

    done = warm_up()
    if done.failure is not None:
        raise UserError(done.failure)
    took = f"{done.seconds:.1f} s"
    if done.compiled:
        print(f"compiled {counted(done.compiled, 'function')} in {took}, stored in {done.folder}")
    else:
        print(f"nothing to compile: all is stored in {done.folder} and was loaded and tried in {took}")
    return 0
