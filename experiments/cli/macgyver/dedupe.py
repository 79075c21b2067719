"""``fourfold macgyver dedupe``: new problems without those that are too like one that is there."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....conf.choices import default_choice
from ....errors import UserError
from ...runs import PACKAGES
from ...terminal.writing import counted
from ..arguments import Parser
from ..commands import need
from .shared import folder

if TYPE_CHECKING:
    from ...macgyver.near_duplicates import Filtered
    from ...macgyver.problem_texts import ProblemText

DESCRIPTION = """\
Drop each new problem whose cosine similarity to an existing one, or to an earlier new one that was kept, is
above the threshold. What is kept is written to one file and what is dropped to another, there with the most
similar problem and the similarity.

NEW and EXISTING are text files with a problem a line, or tables: .xlsx, .jsonl, .parquet, .csv. EXISTING may
also be the folder of the MacGyver files. Kept rows of a table are written as JSON lines.
"""

EPILOG = """\
Up to two billion pairs are all compared; beyond, faiss searches (the extra faiss): on a CUDA device it
compares all, on a CPU it finds about 99% of the similar ones. Vectors are cached, so that after a stop the
same command goes on where it was.

examples:
  fourfold macgyver dedupe new.txt --against MacGyver/data
  fourfold macgyver dedupe new.jsonl --field question --against old.jsonl --threshold 0.8 --out kept.jsonl
"""


def main(words: Sequence[str]) -> int:
    """Write what is kept and what is dropped."""
    chosen = _parser().parse_args(words)
    need("macgyver", PACKAGES)
    kept_path, dropped_path = _targets(chosen)

    from ...files.text_file import write_text
    from ...macgyver.near_duplicates import filter_near_duplicates
    from ...macgyver.problem_map import encode_texts, text_encoder
    from ...macgyver.problem_texts import read_texts, written
    from ...terminal.progress import ProgressBars

    if chosen.search == "faiss":
        from ....embeddings.extras import require

        require("faiss")
    encoder = text_encoder(chosen.model, chosen.device, "true" if chosen.cache is None else chosen.cache)
    with ProgressBars() as bars:
        with bars.step("read", "reading problems"):
            new = read_texts(chosen.new, chosen.field)
            existing = [problem for path in chosen.against for problem in _existing(path, chosen.field)]
        texts = [problem.text for problem in (*existing, *new)]
        with bars.step("encode", "encoding problems") as update:
            vectors = encode_texts(encoder, texts, update)
        with bars.step("search", "comparing problems") as update:
            found = filter_near_duplicates(
                vectors[len(existing) :],
                vectors[: len(existing)],
                chosen.threshold,
                chosen.search,
                _search_device(chosen.search, chosen.device),
                update=update,
            )
        write_text(dropped_path, _dropped(found, existing, new))
        write_text(kept_path, written([one for one, kept in zip(new, found.kept, strict=True) if kept]))
    if chosen.json:
        print(json.dumps(_summary(found, chosen, encoder.name, kept_path, dropped_path), ensure_ascii=False))
    else:
        print(_text(found, kept_path, dropped_path))
    return 0


def _parser() -> Parser:
    default = default_choice("model")
    parser = Parser(prog="fourfold macgyver dedupe", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("new", type=folder, metavar="NEW", help="the new problems")
    parser.add_argument(
        "--against", type=folder, action="append", default=[], metavar="EXISTING",
        help="problems that are there; may be given several times, or not at all",
    )  # fmt: skip
    parser.add_argument("--threshold", type=_cosine, default=0.7, metavar="COSINE", help="(default: 0.7)")
    parser.add_argument(
        "--model", default=default, metavar="MODEL", help=f"what to encode with (default: {default})"
    )
    parser.add_argument("--field", metavar="NAME", help="the column of the problems (default: Problem, text)")
    parser.add_argument("--out", type=folder, metavar="FILE", help="kept problems (default: beside NEW)")
    parser.add_argument(
        "--dropped", type=folder, metavar="FILE", help="dropped problems (default: beside NEW)"
    )
    parser.add_argument("--force", action="store_true", help="replace these files if they are there")
    parser.add_argument(
        "--search", choices=("auto", "exact", "faiss"), default="auto", help="how to search (default: auto)"
    )
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda (default: auto)")
    parser.add_argument(
        "--cache", metavar="DIR", help="where vectors are kept, or false (default: the cache)"
    )
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    return parser


def _cosine(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 2.0
    if not -1 <= value <= 1:
        raise ArgumentTypeError(f"got '{text}', expected a cosine from -1 to 1")
    return value


def _targets(chosen: Namespace) -> tuple[Path, Path]:
    """Where the two files go; UserError if one cannot be written, or is there already."""
    from ...macgyver.problem_texts import TEXT_ENDINGS, check_field
    from .shared import check_output

    new: Path = chosen.new
    if new.is_dir():
        raise UserError(f"{new} is a folder: name a file of new problems, and folders with --against")
    check_field((new, *chosen.against), chosen.field)
    ending = (new.suffix or ".txt") if new.suffix.lower() in TEXT_ENDINGS else ".jsonl"
    kept: Path = chosen.out or new.with_name(f"{new.stem}.kept{ending}")
    dropped: Path = chosen.dropped or new.with_name(f"{new.stem}.dropped.jsonl")
    if kept.resolve() == dropped.resolve():
        raise UserError(f"--out and --dropped are both {kept}: name two files")
    for path, option, form in ((kept, "--out", ending), (dropped, "--dropped", ".jsonl")):
        check_output(path, chosen.force, (new, *chosen.against), option, form)
    return kept, dropped


def _search_device(search: str, device: str) -> str:
    """The device is that of the search too where faiss is asked for by name; else of the encoder alone."""
    return device if search == "faiss" or device == "cpu" else "auto"


def _existing(path: Path, field: str | None) -> list[ProblemText]:
    from ...macgyver.problem_texts import read_texts
    from ...macgyver.readers import PROBLEMS, find_file

    if path.is_dir():
        return read_texts(find_file(path, PROBLEMS), None)
    return read_texts(path, field)


def _dropped(found: Filtered, existing: Sequence[ProblemText], new: Sequence[ProblemText]) -> str:
    lines = []
    for place, problem in enumerate(new):
        if found.kept[place]:
            continue
        near = int(found.neighbour[place])
        other = existing[near] if near < len(existing) else new[near - len(existing)]
        content = {
            "problem": problem.text,
            "row": problem.place,
            "similarity": float(found.score[place]),
            "neighbour": other.text,
            "neighbour_file": str(other.path),
            "neighbour_row": other.place,
        }
        lines.append(json.dumps(content, ensure_ascii=False) + "\n")
    return "".join(lines)


def _summary(found: Filtered, chosen: Namespace, model: str, kept: Path, dropped: Path) -> dict[str, object]:
    n_kept = int(found.kept.sum())
    return {
        "new": len(found.kept),
        "existing": found.n_existing,
        "kept": n_kept,
        "dropped": len(found.kept) - n_kept,
        "threshold": chosen.threshold,
        "model": model,
        "search": found.search,
        "estimated_share_found": 1.0 if found.search == "exact" else found.found,
        "kept_file": str(kept),
        "dropped_file": str(dropped),
    }


def _text(found: Filtered, kept: Path, dropped: Path) -> str:
    n_kept, n_new = int(found.kept.sum()), len(found.kept)
    lines = [
        f"{kept}: {n_kept:,} of {counted(n_new, 'problem')} kept",
        f"{dropped}: {n_new - n_kept:,} dropped",
    ]
    if found.search == "faiss" and found.found is None:
        lines.append("searched by faiss; too few similar ones in its sample to say what share it finds")
    elif found.search == "faiss":
        lines.append(f"searched by faiss, which finds an estimated {found.found:.1%} of the similar ones")
    return "\n".join(lines)
