"""What a sweep's words come to."""

import pytest

from fourfold.conf.compose import composed
from fourfold.conf.launcher_schema import JobConfig, JoblibConfig, LauncherConfig, SlurmConfig
from fourfold.conf.sweep import read_sweep
from fourfold.errors import UserError


def runs(*words):
    return [" ".join(run) for run in read_sweep(words).runs]


def test_every_combination_is_a_run():
    sweep = read_sweep(["model=minilm,e5_base", "seeds=range(1,4)", "features=none", "out=x"])
    assert len(sweep.runs) == 6
    assert sweep.runs[1] == ("model=minilm", "seeds=2", "features=none", "out=x")
    assert sweep.swept == ("model", "seeds")
    assert not sweep.whichever
    assert read_sweep([]).runs == ((),)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("model=glob(e5*)", ["model=e5_base", "model=e5_base_own", "model=e5_large", "model=e5_large_own"]),
        ("seeds=choice(1,2)", ["seeds=1", "seeds=2"]),
        ("seeds=2,1,2", ["seeds=2", "seeds=1"]),
        ("model.parts=[minilm,glove]", ["model.parts=[minilm,glove]"]),
        ("model.parts=[a,b],[c,d]", ["model.parts=[a,b]", "model.parts=[c,d]"]),
        ("embedding.layers=all,[0,-1]", ["embedding.layers=all", "embedding.layers=[0,-1]"]),
        ("dataset.path=/a b.json,C:\\x", ["dataset.path=/a b.json", "dataset.path=C:\\x"]),
        ("dataset.path='/a,b.json'", ["dataset.path='/a,b.json'"]),
        ("dataset.path=wälle/[x].json", ["dataset.path=wälle/[x].json"]),
        ("model.prefix='query: ',none", ["model.prefix='query: '", "model.prefix=none"]),
        ("features.perplexity=2.5,3", ["features.perplexity=2.5", "features.perplexity=3"]),
    ],
)
def test_a_value_may_be_several(word, expected):
    assert runs(word) == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["seeds=interval(1,3)"], r"seeds=interval\(1,3\) is not a list of values: expected a,b or range"),
        (["model=glob(zz*)"], r"model=glob\(zz\*\) has no values: choose from .*minilm"),
        (["seeds=glob(1*)"], r"glob\(...\) is for the choices of a group"),
        (
            ["seeds=range(1,10000000)"],
            r"seeds=range\(1,10000000\) is more than 10,000 runs, which is the most",
        ),
        (
            ["seeds=range(1,201)", "solver.n_init=range(1,101)"],
            "that is 20,000 runs: expected at most 10,000",
        ),
        (["launcher=jobli"], r"launcher=jobli is not known: did you mean joblib\?"),
        (["launcher.n_jobs=3"], "launcher.n_jobs= is a setting of another launcher"),
        (
            ["launcher=joblib", "launcher.n_job=3"],
            r"launcher.n_job= is not a setting: did you mean launcher.n_jobs",
        ),
        (["launcher=joblib", "launcher.n_jobs=0"], "launcher.n_jobs=0 is none"),
        (["launcher=joblib", "launcher.n_jobs=x"], "launcher.n_jobs=x: expected a whole number"),
        (["launcher=submitit_local", "launcher.at_once=0"], "launcher.at_once=0 is too small"),
        (["experiment=exact,table3"], "one of them is a sweep itself: name one experiment"),
        (["experiment=tabel3"], "experiment=tabel3 is not known"),
    ],
)
def test_a_mistake_is_one_line(words, said):
    with pytest.raises(UserError, match=said) as caught:
        read_sweep(words)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_an_experiment_brings_its_models_unless_some_are_named():
    sweep = read_sweep(["experiment=table6", "paths.ocw=x"])
    assert sweep.whichever
    assert len(sweep.runs) == 9
    assert all(run[:2] == ("experiment=table6", "paths.ocw=x") for run in sweep.runs)
    assert sweep.swept == ("model",)
    named = read_sweep(["experiment=table6", "model=minilm,e5_base"])
    assert len(named.runs) == 2
    assert not named.whichever
    assert runs("experiment=exact,seeds_1000") == ["experiment=exact", "experiment=seeds_1000"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ([], LauncherConfig),
        (["launcher=joblib", "launcher.n_jobs=-1"], JoblibConfig),
        (["launcher=submitit_slurm", "launcher.partition=gpu", "launcher.mem_gb=32"], SlurmConfig),
    ],
)
def test_a_launcher_is_no_part_of_a_run(words, kind):
    if words:
        pytest.importorskip("hydra_plugins", reason="Hydra's launchers are the extras joblib and slurm")
    sweep = read_sweep([*words, "seeds=1,2"])
    assert [" ".join(run) for run in sweep.runs] == ["seeds=1", "seeds=2"]
    assert type(sweep.launcher) is kind
    again = composed([*sweep.launcher_words, "folder=here", "job=3"], JobConfig)
    assert (again.launcher, again.job, again.folder) == (sweep.launcher, 3, "here")
