"""``fourfold export``: a record's predictions for the paper's evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .arguments import Parser

DESCRIPTION = """\
Write one JSON file for each run of a record, as the paper's evaluator reads them: a list of
{"wall_id", "predicted_groups", "predicted_connections", "gt_groups", "gt_connections"}.
"""


def main(words: Sequence[str]) -> int:
    """Export the record that is named."""
    parser = Parser(prog="fourfold export", description=DESCRIPTION)
    parser.add_argument("record", type=Path, help="the folder of a record, as in runs/0123456789abcdef")
    parser.add_argument("--out", type=Path, help="the folder to make (default: predictions in the record)")
    parser.add_argument("--walls", metavar="PATH", help="where the walls are, if not where the record says")
    parser.add_argument("--force", action="store_true", help="replace an earlier export")
    chosen = parser.parse_args(words)

    from ..export import export

    print(export(chosen.record, out=chosen.out, walls_path=chosen.walls, force=chosen.force))
    return 0
