"""A small MacGyver release of our own making, in any of the formats that are read."""

import json
from pathlib import Path

from shared_data import shared_path

PROBLEMS = [
    {
        "ID": "7",
        "Problem": "Your shoelace broke on a walk. Tools available: a rubber band, a banana, a ruler. "
        "How do you keep the shoe on?",
        "Solvable?": "Yes",
        "Unconventional?": "unconventional",
        "Solution": "Step 1: wind the rubber band around the shoe.",
        "Label": "efficient",
    },
    {
        "ID": "8",
        "Problem": "You must write a note. You have a pen, a napkin and a café's menu. How?",
        "Solvable?": "Yes",
        "Unconventional?": "conventional",
        "Solution": "Step 1: write on the napkin.",
        "Label": "none",
    },
    {
        "ID": "9",
        "Problem": "You must boil the sea. You have a spoon. How?",
        "Solvable?": "No",
        "Unconventional?": "N/A",
        "Solution": "It cannot be done.",
        "Label": "wrong_solution",
    },
]
HUMAN_SOLUTIONS = [
    {"ID": "7", "Problem": PROBLEMS[0]["Problem"], "Solvable?": "Yes", "Solution": "The band."},
    {"ID": "9", "Problem": PROBLEMS[2]["Problem"], "Solvable?": "No", "Solution": "The sea is too big."},
]
ANSWERS = [
    {"ID": "7", "model": "Prolific", "annotation": "correct_efficient", "solution": "band"},
    {"ID": "7", "model": "Prolific", "annotation": "wrong_partial_correct", "solution": "banana"},
    {"ID": "7", "model": "solutions_gpt35", "annotation": "correct_inefficient", "solution": "ruler"},
    {"ID": "7", "model": "solutions_gpt35", "annotation": "wrong_entire_wrong_solution", "solution": "ruler"},
    {"ID": "7", "model": "solutions_gpt4", "annotation": "correct_efficient", "solution": "band"},
    {"ID": "7", "model": "gpt4-prompt-2", "annotation": "correct_inefficient", "solution": "peel"},
    {"ID": "9", "model": "Prolific", "annotation": "correct_unsolvable", "solution": "no"},
    {"ID": "9", "model": "Prolific", "annotation": None, "solution": "never"},
    {"ID": "9", "model": "solutions_gpt35", "annotation": "wrong_fail_solvability_status", "solution": "sip"},
    {"ID": "9", "model": "solutions_gpt4", "annotation": "wrong_fail_solvability_status", "solution": "sip"},
    {"ID": "9", "model": "gpt4-prompt-2", "annotation": "correct_unsolvable", "solution": "no"},
]
TABLES = {
    "problem_solution_pair": PROBLEMS,
    "additional_human_solutions": HUMAN_SOLUTIONS,
    "benchmark_results": ANSWERS,
}


def released_folder() -> Path:
    """The folder of the released files, or a skipped test."""
    return shared_path("data/macgyver/benchmark_results.json").parent


def write_table(path: Path, rows: list[dict]) -> Path:
    """Rows as the file's ending says."""
    if path.suffix == ".xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(list(rows[0]))
        for row in rows:
            book.active.append(list(row.values()))
        book.save(path)
    elif path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".csv":
        import csv

        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        raise ValueError(path)
    return path


def write_benchmark(path: Path, answers: list[dict]) -> Path:
    """Answers as the release has them: an object with a list for each ID."""
    content: dict[str, list[dict]] = {}
    for answer in answers:
        kept = {key: value for key, value in answer.items() if key != "ID" and value is not None}
        content.setdefault(answer["ID"], []).append(kept)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_release(folder: Path, ending: str = ".jsonl", **tables: list[dict]) -> Path:
    """All three files in one format; ``.xlsx`` as the release, with the answers as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (TABLES | tables).items():
        if ending == ".xlsx" and name == "benchmark_results":
            write_benchmark(folder / f"{name}.json", rows)
        else:
            write_table(folder / f"{name}{ending}", rows)
    return folder
