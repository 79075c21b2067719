"""``fourfold export``: a record's predictions for the paper's evaluator."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .arguments import Parser, path, record_folder

DESCRIPTION = """\
Write one JSON file for each run of a record, run_00_predictions.json and so on, as the paper's evaluator
reads them: a list of
{"wall_id", "predicted_groups", "predicted_connections", "gt_groups", "gt_connections"}.
A record of 'fourfold llm' holds these files already, in its folder predictions; --out=FOLDER copies them.
"""

EXAMPLES = """\
examples:
  fourfold export runs/RECORD
  fourfold export 1f3a --out predictions --walls OCW/dataset
"""


def main(words: Sequence[str]) -> int:
    """Export the record that is named."""
    parser = Parser(prog="fourfold export", description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument(
        "record", type=record_folder, help="the folder of a record, as in runs/0123456789abcdef"
    )
    parser.add_argument("--out", type=path, help="the folder to make (default: predictions in the record)")
    parser.add_argument("--walls", metavar="PATH", help="where the walls are, if not where the record says")
    parser.add_argument("--force", action="store_true", help="replace an earlier export")
    chosen = parser.parse_args(words)

    from ..runs.kinds import kind_at

    kind = kind_at(chosen.record)
    out = kind.export(chosen.record, chosen.out, chosen.walls, chosen.force)
    if chosen.out is None and kind.name == "language_model":
        print(f"{chosen.record} holds its predictions already: --out=FOLDER copies them", file=sys.stderr)
    print(out)
    return 0
