"""The table of the paper's models: its own cells from the paper, ours from records alone."""

import runpy
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from made_records import made_config, made_record

from fourfold.conf.model_schema import ContextualConfig, TransformerConfig
from fourfold.conf.solver_schema import ExactConfig, FaissConfig
from fourfold.errors import UserError
from fourfold.experiments.runs.encoder.files import write_record

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "models_table.py"
main = runpy.run_path(str(SCRIPT))["main"]


def test_a_record_stands_beside_the_papers_row_and_what_was_not_run_says_so(tmp_path, capsys):
    e5 = TransformerConfig("intfloat/e5-base-v2", "E5 base", "e5_base", pooling="cls")
    mine = TransformerConfig("mine", "Mine", pooling="mean", dtype="bfloat16")
    for name, model in (("0" * 16, e5), ("1" * 16, mine)):
        record = made_record(name, config=made_config(model=model, seeds=2))
        assert asdict(record)["metrics"]["wd"]["per_seed"] == [1.0, 2.0]
        labels = np.zeros((2, 2, 16), dtype=np.int64)
        write_record(tmp_path, record, labels, np.zeros((2, 2)))
    main(str(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    (beside,) = [line for line in lines if line.startswith("| E5 base | static")]
    assert "static, pooling=cls | WD 83.8±0.6, FMS 33.1±0.3" in beside
    assert "| 2 walls, 2 runs, cpu | WD 1.5±0.5" in beside
    (absent,) = [line for line in lines if line.startswith("| E5 base | contextual")]
    assert absent.endswith("| not run: needs the weights of `intfloat/e5-base-v2` | – |")
    assert "WD 87.2±0.3" in absent
    (other,) = [line for line in lines if line.startswith("| Mine")]
    assert "static, pooling=mean, dtype=bfloat16 | not in the paper | 2 walls" in other
    assert sum("not run" in line for line in lines) == 12 + 8 - 1


def test_groups_of_any_size_have_no_wd(tmp_path, capsys):
    config = made_config(model=TransformerConfig("mine", "Mine"), solver=FaissConfig(), seeds=2)
    record = made_record(config=config)
    metrics = {name: metric for name, metric in record.metrics.items() if not name.startswith("wd")}
    record = made_record(config=config, metrics=metrics)
    write_record(tmp_path, record, np.zeros((2, 2, 16), dtype=np.int64), np.zeros((2, 2)))
    main(str(tmp_path))
    (mine,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| Mine")]
    assert "solver=faiss | not in the paper | 2 walls, 2 runs, cpu | FMS 2.5±0.5, ARI" in mine


def test_a_folder_that_is_none_is_an_error(tmp_path):
    with pytest.raises(UserError, match="nothing is not a folder of records"):
        main(str(tmp_path / "nothing"))


def test_a_damaged_record_is_named_and_left_out(tmp_path, capsys):
    folder = tmp_path / ("0" * 16)
    folder.mkdir()
    (folder / "record.json").write_text("{")
    main(str(tmp_path))
    assert "models_table: the record" in capsys.readouterr().err


def test_a_model_from_a_folder_has_a_row_for_each_way_it_was_run(tmp_path, capsys):
    def model(**settings):
        return TransformerConfig("/models/e5", **settings)

    paper = model(title="E5 base", paper_row="e5_base", pooling="cls")
    own = model(title="E5 base, own pooling", pooling="mean", prefix="query: ")
    changes = (
        {"model": paper, "seeds": 2},
        {"model": own, "seeds": 2},
        {"model": paper, "solver": ExactConfig(), "seeds": 2, "embedding": ContextualConfig("contextual")},
        {"model": model(title="Other", pooling="auto"), "seeds": 2},
    )
    for number, change in enumerate(changes):
        record = made_record(f"{number:016}", config=made_config(**change))
        write_record(tmp_path, record, np.zeros((2, 2, 16), dtype=np.int64), np.zeros((2, 2)))
    main(str(tmp_path))
    rows = [line.split(" | ")[:3] for line in capsys.readouterr().out.splitlines()]
    shown = [
        (title.removeprefix("| "), setting, paper[:9]) for title, setting, paper in filter(None, rows[7:])
    ]
    assert [row for row in shown if row[0].startswith("E5 base")] == [
        ("E5 base", "static, pooling=cls", "WD 83.8±0"),
        ("E5 base, own pooling", "static, pooling=mean, prefix=query: ", "WD 83.8±0"),
        ("E5 base", "contextual, subtoken=first, solver=exact", "WD 87.2±0"),
    ]
    assert [row for row in shown if row[0] == "Other"] == [("Other", "static, pooling=auto", "not in th")]
