"""Print a Markdown table of the paper's models, and of what records of our own runs say of each.

Run: python benchmarks/models_table.py FOLDER_OF_RECORDS
The README holds what it prints.

The models are those of the paper's Table 2 that make vectors, each alone (its Table 3) and in context (its
Table 6); the records are those of the data set ``ocw``, on any of its walls. The paper's cells are its own
and on its 494 test walls; every other figure is read from a record. Nothing is run here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fourfold.conf.choices import choices
from fourfold.conf.compose import compose_run
from fourfold.conf.model_schema import ModelConfig
from fourfold.errors import UserError
from fourfold.experiments.runs.encoder.files import list_records
from fourfold.experiments.runs.encoder.record import CLUSTERING, Record
from fourfold.experiments.tables.paper.encoders import TABLES, PaperRow, PaperTable

# The paper's Table 2, by the names of our group ``model``.
TABLE_2 = ("bpemb", "glove", "crawl", "news", "elmo", "distilbert_base", "bert_base", "bert_large")
TABLE_2 += ("roberta_large", "all_mpnet_base", "e5_base", "e5_large")
WORDS = {"bpemb", "glove", "crawl", "news"}  # in context they are the same
METRICS = {"wd": "WD", "fms": "FMS", "ari": "ARI", "ami": "AMI"}
HEAD = ("Model", "Setting", "Paper, 494 test walls", "Where we ran it", "Ours")


def main(folder: str) -> None:
    """Print the table."""
    listed = list(list_records(Path(folder)))
    for problem in (found.problem for found in listed if found.record is None):
        print(f"models_table: {problem}", file=sys.stderr)
    records = [found.record for found in listed if found.record is not None]
    records = [record for record in records if record.config["dataset"]["name"] == "ocw"]
    if older := [record.name for record in records if record.clustering != CLUSTERING]:
        print(f"models_table: left out, of another version's clustering: {', '.join(older)}", file=sys.stderr)
    records = [record for record in records if record.name not in older]
    print("# Models\n")
    print(
        "All in percent, as mean±population standard deviation over the runs; less WD is better, and more of"
    )
    print("the others. `python benchmarks/models_table.py FOLDER` prints this from records.\n")
    for cells in (HEAD, ("---",) * len(HEAD), *_rows(records)):
        print(f"| {' | '.join(cells)} |")


def _rows(records: list[Record]) -> Iterator[tuple[str, ...]]:
    shown: set[str] = set()
    for choice in TABLE_2:
        model, *variants = map(_model, _variants(choice))
        titles = {model.title, *(variant.title for variant in variants)}
        for number, setting in ((3, "static"), (6, "contextual")):
            if setting == "contextual" and choice in WORDS:
                continue
            table = TABLES[number]
            paper = table.rows.get(model.paper_row or "")
            written = _paper(paper, table) if paper else "no row of its own"
            own = sorted((r for r in records if _stands_for(r, table, model.name, titles)), key=_setting)
            for record in own:
                yield _title(record), _setting(record), written, _where(record), _ours(record)
            if not own:
                yield model.title, setting, written, f"not run: needs the weights of `{model.name}`", "–"
            shown |= {record.name for record in own}
    for record in sorted(records, key=_setting):
        if record.name not in shown:
            yield _title(record), _setting(record), "not in the paper", _where(record), _ours(record)


def _variants(choice: str) -> tuple[str, ...]:
    """A choice of the group ``model`` and, if there is one, that of the same model as it was trained."""
    return tuple(name for name in (choice, f"{choice}_own") if name in choices("model"))


@cache
def _model(choice: str) -> ModelConfig:
    return compose_run([f"model={choice}"]).model


def _stands_for(record: Record, table: PaperTable, name: str, titles: set[str]) -> bool:
    """Whether a record is one of a model's: by its name on the hub or, from a folder, by its title."""
    model = record.config["model"]
    one = model["name"] == name or model["title"] in titles
    return one and record.config["embedding"]["name"] == table.embedding


def _title(record: Record) -> str:
    return str(record.config["model"]["title"] or record.config["model"]["name"])


def _setting(record: Record) -> str:
    """What is not as it is by default, as the command line takes it."""
    config = record.config
    default: dict[str, Any] = {"pooling": None, "prefix": "", "normalize": False, "dtype": "float32"}
    words = [str(config["embedding"]["name"])]
    model = {key: config["model"][key] for key in default if key in config["model"]}
    words += [f"{key}={value}" for key, value in model.items() if value not in (None, default[key])]
    if own := record.encoder.get("resolved"):
        words[1:2] = [f"pooling=auto ({own['pooling']})"]
    if config["embedding"]["name"] == "contextual":
        words = [word for word in words if not word.startswith("pooling")]
        words.append(f"subtoken={config['embedding'].get('subtoken')}")
    words += [f"features={config['features']['name']}"] * (config["features"]["name"] != "none")
    words += [f"solver={config['solver']['name']}"] * (config["solver"]["name"] != "kmeans")
    return ", ".join(words)


def _where(record: Record) -> str:
    runs = "1 run" if record.n_seeds == 1 else f"{record.n_seeds} runs"
    return f"{record.dataset}, {runs}, {record.device['encoder']}"


def _paper(row: PaperRow, table: PaperTable) -> str:
    cells = [f"{METRICS[name]} {row.values[name][0]:.1f}±{row.values[name][1]:.1f}" for name in METRICS]
    mean, spread = row.values["correct_groups"]
    scale = 100 / table.n_groups
    return ", ".join([*cells, f"groups {mean * scale:.1f}±{spread * scale:.1f}"])


def _ours(record: Record) -> str:
    def written(mean: float, spread: float) -> str:
        return f"{mean:.1f}" if record.n_seeds == 1 else f"{mean:.1f}±{spread:.1f}"

    cells = [  # a solver whose groups are of any size has no WD
        f"{METRICS[n]} {written(record.metrics[n].mean, record.metrics[n].std)}"
        for n in METRICS
        if n in record.metrics
    ]
    groups, scale = record.metrics["correct_groups"], 100 / record.dataset.n_groups
    return ", ".join([*cells, f"groups {written(groups.mean * scale, groups.std * scale)}"])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2] or ["runs"])
    except UserError as error:
        sys.exit(f"models_table: {error}")
