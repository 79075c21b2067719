"""Runs of several models at once, with encoders that need no model."""

import numpy as np
import pytest
from letter_walls import DigitEncoder, LetterEncoder, WallReader
from naive_fusion import naive_fused

from fourfold.conf.compose import compose_run
from fourfold.embeddings.cache import CachedEncoder
from fourfold.embeddings.fused import FusedEncoder
from fourfold.experiments.pipeline import encode as encoders
from fourfold.experiments.pipeline.cluster import cluster
from fourfold.experiments.pipeline.encode import make_encoder, model_identity
from fourfold.experiments.pipeline.gram import wall_grams
from fourfold.experiments.pipeline.orders import clue_order
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.terminal.progress import ProgressBars

WALLS = [[f"w{wall}{letter}{n}" for n in range(1, 5) for letter in "abcd"] for wall in range(3)]


@pytest.fixture
def parts(monkeypatch):
    """Puts a letter and a digit encoder where the first two models of a fused one would be loaded."""
    made = {"packaged:all-MiniLM-L6-v2": LetterEncoder(), "intfloat/e5-base-v2": DigitEncoder()}
    monkeypatch.setattr(encoders, "_make_part", lambda model, _: made[model.name])
    return made


def fused_run(walls_file, tmp_path, *words):
    base = ["dataset=ocw", f"dataset.path={walls_file}", f"out={tmp_path / 'runs'}", "seeds=3"]
    words = ["model=fused", "model.parts=[minilm,e5_base]", *words]
    return run(compose_run([*base, *words]), ProgressBars(shown=False))


def test_matrices_are_the_naive_sum():
    encoder = FusedEncoder((LetterEncoder(), DigitEncoder()), (1.0, 2.5))
    found = wall_grams(encoder, WALLS, runs=3)
    assert found.shape == (3, 1, 16, 16)
    for wall, gram in zip(WALLS, found[:, 0], strict=True):
        vectors = [part.vectors(wall) for part in encoder.parts]
        np.testing.assert_allclose(gram, naive_fused(vectors, (1.0, 2.5)), rtol=1e-9, atol=1e-9)


def test_a_model_is_let_go_before_the_next_is_loaded(tmp_path):
    events = []

    class Heavy(LetterEncoder):
        def encode(self, texts, progress=None):
            events.append(f"load {self.number}")
            return super().encode(texts, progress)

        def unload(self):
            events.append(f"unload {self.number}")

    parts = Heavy(), Heavy()
    for number, part in enumerate(parts):
        part.number = number
    wall_grams(FusedEncoder((parts[0], CachedEncoder(parts[1], tmp_path)), (1.0, 1.0)), WALLS, runs=1)
    assert events == ["load 0", "unload 0", "load 1", "unload 1"]


def test_matrices_in_context_are_the_naive_sum():
    encoder, told = FusedEncoder((WallReader(), WallReader("dcba")), (1.0, 2.0)), []
    found = wall_grams(encoder, WALLS, 2, lambda *counts: told.append(counts))
    assert found.shape == (3, 2, 16, 16)
    assert told[0] == (0, 12)
    assert told[-1] == (12, 12)
    for wall, number in np.ndindex(3, 2):
        order = clue_order(number, 16)
        vectors = []
        for part in encoder.parts:
            own = np.empty((16, 5))
            own[order] = part.encode_in_context([[WALLS[wall][place] for place in order]])[0]
            vectors.append(own)
        np.testing.assert_allclose(
            found[wall, number], naive_fused(vectors, (1.0, 2.0)), rtol=1e-9, atol=1e-9
        )


def test_a_part_that_is_degenerate_on_a_wall_leaves_it_to_the_others():
    walls = [WALLS[0], [f"{clue[:-1]}1" for clue in WALLS[1]]]  # the second is one digit over and over
    alone = wall_grams(LetterEncoder(), walls, 1)
    both = wall_grams(FusedEncoder((LetterEncoder(), DigitEncoder()), (1.0, 1.0)), walls, 1)
    assert np.isfinite(both).all()
    np.testing.assert_allclose(both[1] * alone[1, 0, 0, 0] / both[1, 0, 0, 0], alone[1], rtol=1e-9, atol=1e-9)
    nothing = wall_grams(FusedEncoder((DigitEncoder(), DigitEncoder()), (1.0, 1.0)), walls, 1)
    for words in ([], ["solver=exact"]):
        labels = cluster(compose_run(words).solver, nothing, 1).labels
        assert (np.sort(labels, axis=-1) == np.repeat(np.arange(4), 4)).all()


def test_a_weight_decides_between_models_that_disagree():
    by_letter, by_digit = LetterEncoder(), DigitEncoder()
    solver = compose_run(["solver=exact"]).solver
    for weights, winner in (((3.0, 1.0), by_letter), ((1.0, 3.0), by_digit)):
        both = cluster(solver, wall_grams(FusedEncoder((by_letter, by_digit), weights), WALLS, 1), 1)
        one = cluster(solver, wall_grams(winner, WALLS, 1), 1)
        np.testing.assert_array_equal(both.labels, one.labels)


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["solver=exact", "seeds=1"]])
def test_a_record_describes_each_part(parts, walls_file, tmp_path, words):
    outcome = fused_run(walls_file, tmp_path, "model.weights=[2,1]", *words)
    record = outcome.record
    assert record.encoder["weights"] == [2.0, 1.0]
    assert [part["name"] for part in record.encoder["parts"]] == ["letters", "digits"]
    assert record.device["encoder"] == "cpu"
    assert record.config["model"]["title"] == "2×MiniLM + E5 base"
    assert [part["name"] for part in record.config["model"]["models"]] == list(parts)
    assert record.metrics["solved_walls"].mean == 3.0
    assert not fused_run(walls_file, tmp_path, "model.weights=[2,1]", *words).fresh
    assert fused_run(walls_file, tmp_path, "model.weights=[1,2]", *words).folder != outcome.folder


@pytest.mark.slow
def test_a_fused_models_identity_is_its_parts(tmp_path):
    def identity(*parts):
        return model_identity(compose_run(["model=fused", f"model.parts=[{','.join(parts)}]"]).model)

    found = identity("minilm", "e5_base")
    assert found["models"] == [
        model_identity(compose_run([f"model={name}"]).model) for name in ("minilm", "e5_base")
    ]
    assert "title" not in found["models"][0]
    assert found != identity("minilm", "e5_large")
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (folder / name).write_text("{}", encoding="utf-8")
    assert identity("minilm", f"'{tmp_path / 'one'}'") == identity("minilm", f"'{tmp_path / 'two'}'")


def test_the_encoders_are_the_parts_own():
    encoder = make_encoder(compose_run(["model=fused", "model.parts=[minilm,e5_base_own]"]).model)
    assert isinstance(encoder, FusedEncoder)
    assert [part.name for part in encoder.parts] == ["packaged:all-MiniLM-L6-v2", "intfloat/e5-base-v2"]
    assert encoder.parts[1].prefix == "query: "
    assert encoder.weights == (1.0, 1.0)
