"""Runs with word vectors: unknown clues are counted in the record, and vectors are kept for later runs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_words
from letter_walls import walls_document

from fourfold.conf.compose import compose_run
from fourfold.embeddings.cache import CachedEncoder, stored_vectors
from fourfold.embeddings.words import WordEncoder
from fourfold.errors import UserError
from fourfold.experiments.pipeline import run as run_module
from fourfold.experiments.pipeline.encode import cached, make_encoder, model_identity
from fourfold.experiments.pipeline.run import run
from fourfold.experiments.runs.encoder.files import read_labels, read_record
from fourfold.experiments.tables.results import footer
from fourfold.experiments.terminal.progress import ProgressBars

pytest.importorskip("gensim", reason="word vectors need the extra 'experiments'")
pytest.importorskip("bpemb", reason="word vectors need the extra 'experiments'")

CLUES = [f"{letter}{number}" for letter in ("jam", "cake", "rock", "moss") for number in range(1, 5)]


@pytest.fixture
def table(tmp_path):
    """Word vectors in which words that begin alike lie close together, and those of numbers are absent."""
    rng = np.random.default_rng(0)
    centres = dict(zip(["jam", "cake", "rock", "moss"], 10 * np.eye(4, 6), strict=True))
    words = {clue: (centres[clue[:-1]] + rng.normal(size=6)).astype(np.float32) for clue in CLUES}
    return tiny_words.write(tmp_path, "headless", words)


@pytest.fixture
def byte_pairs(tmp_path):
    return tiny_words.make_byte_pairs(
        tmp_path / "pieces", [*CLUES, *(f"zz{n} yy{n} xx{n}" for n in range(30))], 60
    )


def walls_of(tmp_path: Path, *walls: list[str]) -> Path:
    document = walls_document(len(walls))
    for wall, clues in zip(document["dataset"], walls, strict=True):
        wall["words"] = clues
        for place, group in enumerate(wall["groups"].values()):
            group["gt_words"] = clues[4 * place : 4 * place + 4]
    path = tmp_path / "walls.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def go(path: Path, *overrides: object):
    config = compose_run(
        [
            "dataset=ocw",
            f"dataset.path={path}",
            f"out={path.parent / 'runs'}",
            "seeds=2",
            *map(str, overrides),
        ]
    )
    return run(config, ProgressBars(shown=False))


UNKNOWN_5 = [*CLUES[:11], "zz1", "zz2", "zz3", "zz4", "zz5 zz6"]
UNKNOWN_16 = [f"yy{number}" for number in range(16)]


@pytest.mark.slow
@pytest.mark.parametrize("beside", [False, True])
def test_unknown_clues_are_counted_and_make_groups_of_four(tmp_path, table, byte_pairs, beside):
    """Case 15: five clues of a wall are unknown, and all of another."""
    path = walls_of(tmp_path, CLUES, UNKNOWN_5, UNKNOWN_16)
    extra = [f"model.byte_pairs={byte_pairs if beside else 'null'}"]
    outcome = go(path, "model=glove", f"model.name={table}", *extra)
    labels = read_labels(outcome.folder)
    assert labels.shape == (3, 2, 16)
    assert (np.sort(labels, axis=2) == np.repeat(range(4), 4)).all()
    record = read_record(outcome.folder)
    assert record.encoder["unknown"] == {"clues": 21, "of_clues": 48, "words": 22, "of_words": 49}
    assert all(np.isfinite(entry.mean) and np.isfinite(entry.std) for entry in record.metrics.values())
    assert record.metrics["solved_walls"].mean >= 1
    assert "unknown to the word vectors: 21 of 48 clues (22 of 49 words)" in footer(record, outcome.folder)
    exact = go(path, "model=glove", f"model.name={table}", *extra, "solver=exact", "seeds=1")
    assert (np.sort(read_labels(exact.folder), axis=2) == np.repeat(range(4), 4)).all()


def test_a_table_that_knows_everything_is_not_talked_of(tmp_path, table):
    outcome = go(walls_of(tmp_path, CLUES), "model=glove", f"model.name={table}", "model.byte_pairs=null")
    assert outcome.record.encoder["unknown"] == {"clues": 0, "of_clues": 16, "words": 0, "of_words": 16}
    assert "unknown" not in footer(outcome.record, outcome.folder)


def test_a_fused_model_counts_for_each_of_its_parts(tmp_path, table, byte_pairs):
    record = go(
        walls_of(tmp_path, CLUES, UNKNOWN_5), "model=glove", f"model.name={table}", "model.byte_pairs=null"
    ).record
    counts = record.encoder["unknown"]
    encoder = {
        **record.encoder,
        "unknown": {"glove": counts, "all-known": {**counts, "clues": 0, "words": 0}},
    }
    text = footer(replace(record, encoder=encoder), tmp_path)
    assert "unknown to glove: 5 of 32 clues (6 of 33 words)" in text
    assert "all-known" not in text


@pytest.mark.parametrize("clue", ["", " ", "\u200b"])
def test_a_clue_that_is_nothing_is_named_with_its_wall(tmp_path, table, clue):
    """Case 16."""
    path = walls_of(tmp_path, CLUES, [*CLUES[:15], clue])
    with pytest.raises(UserError, match=r"wall wall-1, field words\[15\]"):
        go(path, "model=glove", f"model.name={table}", "model.byte_pairs=null", "dataset.strict=true")


@pytest.mark.slow
def test_a_second_run_encodes_nothing(tmp_path, table, monkeypatch):
    path = walls_of(tmp_path, CLUES)
    words = ["model=glove", f"model.name={table}", "model.byte_pairs=null"]
    first = go(path, *words)

    def refuse(*_, **__):
        raise AssertionError("something is encoded")

    monkeypatch.setattr(WordEncoder, "encode", refuse)
    monkeypatch.setattr(WordEncoder, "load", refuse)
    second = go(path, *words, "solver.n_init=3")
    assert second.fresh
    assert second.record.encoder == first.record.encoder
    assert not go(path, *words, "cache=false").fresh  # where vectors come from changes no result
    with pytest.raises(AssertionError, match="something is encoded"):
        go(path, *words, "solver.n_init=4", "cache=false")


def test_vectors_are_kept_where_the_user_says(tmp_path, table):
    path = walls_of(tmp_path, CLUES)
    words = ["model=glove", f"model.name={table}", "model.byte_pairs=null"]
    go(path, *words, "cache=false")
    assert stored_vectors() == []
    go(path, *words, "solver.n_init=3", f"cache={tmp_path / 'own'}")
    assert stored_vectors() == []
    (kept,) = stored_vectors(tmp_path / "own")
    assert (kept.n_texts, kept.name) == (16, str(table))


def test_which_encoders_are_cached(tmp_path):
    static = make_encoder(compose_run([]).model)
    assert cached(static, "false") is static
    assert isinstance(cached(static, "true"), CachedEncoder)

    class InContext:
        name = "in context"

        def describe(self):
            return {}

        def encode_in_context(self, walls, progress=None):
            raise NotImplementedError

    encoder = InContext()
    assert cached(encoder, "true") is encoder


def test_which_encoder_a_configuration_names(tmp_path, byte_pairs):
    def made(*overrides):
        config = compose_run(list(map(str, overrides)))
        return make_encoder(config.model, config.embedding)

    assert (made("model=glove").words, made("model=glove").byte_pairs) == ("glove", "bpemb")
    assert (made("model=bpemb").words, made("model=bpemb").byte_pairs) == (None, "bpemb")
    own = made("model=bpemb", f"model.name={byte_pairs}", "model.lower_case=false")
    assert (own.words, own.byte_pairs, own.lower_case) == (None, str(byte_pairs), False)
    with pytest.raises(
        UserError, match=r"model.name=bpemb is a BPEmb model, and model.byte_pairs=bpemb another"
    ):
        made("model=glove", "model.name=bpemb")
    with pytest.raises(UserError, match="embedding=contextual does not apply to word vectors"):
        made("model=news", "embedding=contextual")


def test_files_that_change_make_another_run(tmp_path, table, byte_pairs):
    def identity(*overrides):
        return model_identity(compose_run(list(map(str, overrides))).model)

    before = identity("model=glove", f"model.name={table}", f"model.byte_pairs={byte_pairs}")
    assert set(before["name"]) == {"words.txt"}
    assert set(before["byte_pairs"]) == {"pieces.model", "pieces.w2v.bin"}
    moved = table.rename(tmp_path / "words.vec")
    table.write_bytes(moved.read_bytes().replace(b"jam1", b"jam9"))
    after = identity("model=glove", f"model.name={table}", f"model.byte_pairs={byte_pairs}")
    assert after["name"] != before["name"]
    assert identity("model=glove")["name"] == "glove"
    assert identity("model=bpemb") == {
        "name": "bpemb",
        "byte_pairs": None,
        "lower_case": True,
        "device": "cpu",
    }


def test_word_vectors_that_are_not_there_are_told_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(run_module, "wall_grams", lambda *_: pytest.fail("the work began"))
    with pytest.raises(
        UserError, match=r"word vectors glove are not on this machine: .*'fourfold data get glove'"
    ):
        go(walls_of(tmp_path, CLUES), "model=glove")
