"""The words of language models' runs, one or many."""

import pytest

from fourfold.conf.choices import EXPERIMENTS, choices
from fourfold.conf.compose import compose_language_run
from fourfold.conf.llm_schema import LanguageRunConfig
from fourfold.conf.sweep import read_sweep
from fourfold.conf.values import NotApplicableError
from fourfold.conf.words import shown_word
from fourfold.errors import UserError
from fourfold.experiments.tables.paper.language_models import LANGUAGE_TABLES

GROUP = EXPERIMENTS["fourfold sweep llm"]
PATHS = ["paths.ocw=x", "paths.ocw_randomized=y", "paths.ocw_wordnet=z"]


def composed(*words):
    return compose_language_run(["model.name=m", *words], swept=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", choices(GROUP))
def test_an_experiment_has_the_settings_of_the_papers_table_or_figure(name):
    sweep = read_sweep([f"experiment={name}", *PATHS, "model.name=m"], LanguageRunConfig)
    configs = [compose_language_run(run, swept=True) for run in sweep.runs]
    found = {(config.dataset.name, config.examples) for config in configs}
    number = int(name.removeprefix("table")) if name.startswith("table") else 4
    tables = LANGUAGE_TABLES.values() if number == 5 else [LANGUAGE_TABLES[number]]
    assert found == {(table.dataset, examples) for table in tables for _, examples in table.rows}
    assert len(found) == len(configs)
    assert {config.task for config in configs} == {2 if name == "figure6" else 1}
    assert not sweep.whichever
    with pytest.raises(UserError, match=f"start them with 'fourfold sweep llm experiment={name}'"):
        compose_language_run([f"experiment={name}", *PATHS, "model.name=m"])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("model.name=/models/a,gpt-4o,org/b:free", ["/models/a", "gpt-4o", "org/b:free"]),
        ("model.base_url=http://a:80/v1,http://b:81/v1", ["http://a:80/v1", "http://b:81/v1"]),
        ("model.temperature=0,0.5,null", ["0", "0.5", "null"]),
        ("example_seed=range(1,4)", ["1", "2", "3"]),
        ("vote=none,pairs", ["none", "pairs"]),
        ("dataset=glob(ocw_*)", ["ocw_randomized", "ocw_wordnet"]),
        ("model.title='a, b'", ["'a, b'"]),
    ],
)
def test_every_key_may_have_several_values(word, expected):
    sweep = read_sweep([word, "launcher=basic"], LanguageRunConfig)
    assert [run[0].partition("=")[2] for run in sweep.runs] == expected


@pytest.mark.parametrize("word", ["task=1,2", "examples=0,1", "model.name=a,b", "seeds=range(1,3)"])
def test_several_values_of_a_single_run_are_refused_with_what_takes_them(word):
    with pytest.raises(UserError) as caught:
        compose_language_run(["model.name=m", word])
    said = f"{word} is several values, and each makes a run: start them with 'fourfold sweep llm {word}'"
    assert str(caught.value) == said
    with pytest.raises(UserError, match="each makes a run: play them one by one"):
        compose_language_run(["model.name=m", word], several="play them one by one")


def test_a_comma_in_quotes_or_in_a_files_name_is_no_list(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b.json").touch()
    config = compose_language_run(["model.name=m", "model.title='a,b'", "example_walls=a,b.json"])
    assert (config.model.title, config.example_walls) == ("a,b", "a,b.json")


@pytest.mark.parametrize(
    ("words", "key", "others"),
    [
        (["task=2", "seeds=2"], "seeds", {"task"}),
        (["task=2", "hints=2"], "hints", {"task"}),
        (["task=2", "vote=pairs"], "vote", {"task"}),
        (["task=2", "candidates=9", "model.max_tokens=400"], "candidates", {"task"}),
        (["task=2", "encoder_weight=1"], "encoder_weight", {"task", "vote", "candidates"}),
        (["task=1", "prefix_space=false"], "prefix_space", {"task", "bertscore"}),
        (["model.backend=transformers", "model.base_url=http://h"], "model.base_url", {"model.backend"}),
    ],
)
def test_what_has_no_use_names_its_key_and_those_that_decide(words, key, others):
    with pytest.raises(NotApplicableError) as caught:
        composed(*words)
    assert (caught.value.key, caught.value.others) == (key, others)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["experiment=table3"],
            "experiment=table3 is for 'fourfold sweep experiment=table3': choose from figure6",
        ),
        (["experiment=tabel4"], "experiment=tabel4 is not known: did you mean table4"),
        (["model=minilm,e5_base"], "a language model is named by model.name="),
        (["examples=interval(0,3)"], r"examples=interval\(0,3\) is not a list of values"),
        (["model.name=glob(a*)"], r"glob\(...\) is for the choices of a group, one of dataset"),
        (["launcher=jobli"], "launcher=jobli is not known"),
    ],
)
def test_a_mistake_is_one_line(words, said):
    with pytest.raises(UserError, match=said) as caught:
        read_sweep(words, LanguageRunConfig)
    assert "\n" not in str(caught.value)


def test_an_address_or_a_variable_that_may_hold_a_key_is_not_shown():
    hidden = "model.base_url=[hidden]"
    for address in ("http://me:secret@h/v1", "http://h/v1?key=secret", "http://h/v1#secret"):
        assert shown_word(f"model.base_url={address}") == hidden
        with pytest.raises(UserError) as caught:
            composed("model.backend=transformers", f"model.base_url={address}")
        assert "secret" not in str(caught.value)
    assert shown_word("model.key_variable=sk-secret") == "model.key_variable=[hidden]"
    for plain in ("model.base_url=http://h:80/v1", "model.key_variable=MY_KEY", "task=1,2"):
        assert shown_word(plain) == plain
