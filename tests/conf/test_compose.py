"""What a user may write after ``fourfold run``, and what they are told when it is wrong."""

import re
from functools import cache

import pytest
from omegaconf import OmegaConf

from fourfold.conf import choices as choices_module
from fourfold.conf.choices import GROUPS, choices, default_choice
from fourfold.conf.compose import compose_run, experiment_sweep
from fourfold.conf.features_schema import FeaturesConfig, PCAConfig, SimilarityConfig, TSNEConfig
from fourfold.conf.model_schema import (
    ContextualConfig,
    ElmoConfig,
    EmbeddingConfig,
    FlairConfig,
    TransformerConfig,
)
from fourfold.conf.solver_schema import ExactConfig, FaissConfig, KMeansConfig, PeerConfig
from fourfold.errors import UserError
from fourfold.experiments.tables.paper.encoders import TABLES

# What some choices cannot do without.
NEEDED = {
    "fused": ["model.parts=[minilm,e5_base]"],
    "ocw": ["dataset.path=x"],
    "ocw_randomized": ["dataset.path=x"],
    "ocw_wordnet": ["dataset.path=x"],
    "nyt": ["dataset.path=x"],
}


def test_the_defaults_are_the_main_job():
    config = compose_run([])
    assert (config.dataset.name, config.dataset.layout, config.dataset.path) == ("bundled", "bundled", None)
    assert isinstance(config.solver, KMeansConfig)
    solver = config.solver
    assert (solver.n_init, solver.max_iter, solver.random_state) == (10, 300, 42)
    assert solver.assignment_cost == "euclidean"
    assert (config.seeds, config.out, config.device) == (16, "runs", "auto")


def test_the_exact_solver_makes_one_run():
    config = compose_run(["solver=exact", "device=cpu"])
    assert isinstance(config.solver, ExactConfig)
    assert (config.seeds, config.solver.device) == (1, "cpu")
    assert compose_run(["solver=exact", "seeds=1", "solver.device=cuda"]).solver.device == "cuda"


@pytest.mark.slow
def test_the_baselines_have_the_settings_of_the_paper_and_of_faiss():
    assert compose_run(["solver=peer", "device=cuda"]).solver == PeerConfig("peer", "cpu", 10, 300, 1e-4, 42)
    assert compose_run(["solver=faiss"]).solver == FaissConfig("faiss", "auto", 10, 25, 42)
    assert compose_run(["solver=faiss", "device=cpu"]).solver.device == "cpu"


@pytest.mark.slow
def test_embeddings_are_static_unless_asked_otherwise():
    assert compose_run([]).embedding == EmbeddingConfig("static")
    found = compose_run(["embedding=contextual"]).embedding
    assert found == ContextualConfig("contextual", "first", "all", False)
    words = ["embedding.subtoken=mean", "embedding.leading_space=true"]
    for given, layers in (("last", "last"), ("[0,-1]", [0, -1]), ("all", "all")):
        found = compose_run(["embedding=contextual", f"embedding.layers={given}", *words]).embedding
        assert found == ContextualConfig("contextual", "mean", layers, True)


@pytest.mark.slow
def test_features_are_the_papers_where_they_are_asked_for():
    assert compose_run([]).features == FeaturesConfig("none")
    assert compose_run(["features=similarity"]).features == SimilarityConfig("similarity")
    assert compose_run(["features=pca"]).features == PCAConfig("pca", 2)
    assert compose_run(["features=tsne"]).features == TSNEConfig("tsne", 2, 3.0, 42)
    assert compose_run(["features=pca", "features.n_components=5"]).features == PCAConfig("pca", 5)


def test_the_exact_solver_may_make_many_runs_in_context():
    assert compose_run(["solver=exact", "embedding=contextual"]).seeds == 1
    assert compose_run(["solver=exact", "embedding=contextual", "seeds=16"]).seeds == 16


def test_overrides_reach_every_group():
    config = compose_run(
        ["dataset=ocw", "dataset.path=walls.json", "solver.n_init=3", "model.pooling=cls", "seeds=5"]
    )
    assert (config.dataset.name, config.dataset.path) == ("ocw", "walls.json")
    assert isinstance(config.solver, KMeansConfig)
    assert (config.solver.n_init, config.model.pooling, config.seeds) == (3, "cls", 5)


@pytest.mark.parametrize(
    "path",
    [
        "/a b/c=d,(1)'.json",
        "C:\\walls\\mine.json",
        "~/walls.json",
        "wälle/[x]{y}.json",
        "a:b",
        "$HOME/x#1",
        "C:\\dir\\",
        "\\'\\\\'",
    ],
)
def test_a_path_needs_no_quoting(path):
    assert compose_run(["dataset=ocw", f"dataset.path={path}"]).dataset.path == path


@pytest.mark.parametrize(
    "text", ["12345e7", "0012", "true", "1_000", "nothing", "1,2", "query: ", " 'quoted' "]
)
def test_a_text_is_taken_letter_by_letter(text):
    assert compose_run([f"model.prefix={text}"]).model.prefix == text


def test_a_text_may_be_quoted_or_null():
    assert compose_run(["model.prefix='query: '"]).model.prefix == "query: "
    assert compose_run(["model.revision=null"]).model.revision is None


def test_another_model_is_not_called_by_the_choices_title():
    model = compose_run(["model=e5_base", "model.name=my/model"]).model
    assert (model.name, model.title, model.paper_row) == ("my/model", "", None)
    assert compose_run(["model.name=my/model", "model.title=Mine"]).model.title == "Mine"


@pytest.mark.slow
def test_another_model_is_used_as_its_own_files_say_unless_a_choice_or_a_setting_says_how():
    def of(*words: str) -> tuple[str, str | None, bool | None]:
        model = compose_run(words).model
        assert isinstance(model, TransformerConfig)
        return model.pooling, model.prefix, model.normalize

    assert of("model.name=my/model") == ("auto", None, None)
    assert of("model.name=my/model", "model.pooling=last") == ("last", "", False)
    assert of("model.name=my/model", "model.prefix=x") == ("auto", "x", None)
    assert of("model=e5_base_own", "model.name=my/model") == ("mean", "query: ", False)
    assert of("model=all_mpnet_base") == ("cls", "", False)
    assert of("model=all_mpnet_base", "model.pooling=auto") == ("auto", None, None)
    assert of("model=all_mpnet_base", "model.pooling=auto", "model.normalize=false") == ("auto", None, False)
    assert compose_run(["model=e5_base"]).model.paper_row == "e5_base"


def test_one_device_is_for_both_unless_one_is_named():
    both = compose_run(["device=cpu"])
    assert (both.model.device, both.solver.device) == ("cpu", "cpu")
    one = compose_run(["device=cpu", "model.device=cuda"])
    assert (one.model.device, one.solver.device) == ("cuda", "cpu")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["model=minlm"], r"model=minlm is not known: did you mean minilm\?.*All: .*minilm"),
        (["model=zzzz"], r"model=zzzz is not known: choose from .*minilm"),
        (["model=minilm,e5_base"], r"model=minilm,e5_base is not known"),
        (["model="], "model= is not known: choose from .*minilm"),
        (["dataset=owc"], r"dataset=owc is not known: did you mean ocw\?"),
        (["solver.name=exact"], "solver.name=exact is not known: expected one of kmeans"),
        (["solver=exact", "solver.name=kmeans"], "solver.name=kmeans is not known: expected one of exact"),
        (["dataset.split=test"], "dataset.split=test does not apply to dataset=bundled"),
        (["dataset=ocw", "dataset.path=x", "dataset.split=tset"], "dataset.split=tset is not known"),
        (["seeds=99999999999"], "seeds=99999999999 is too large: expected at most 100,000"),
        (["experiment=tabel3"], r"experiment=tabel3 is not known: did you mean table3"),
        (["paths.owc=x"], r"paths.owc= is not a setting: did you mean paths.ocw=\?"),
        (["dataset=ocw", "dataset.folder_split=tst"], "dataset.folder_split=tst is not known"),
        (["launcher=joblib"], "launcher= is not a setting"),
        (["modle=minilm"], r"modle= is not a setting: did you mean model=\?"),
        (["model.poling=cls"], r"model.poling= is not a setting: did you mean model.pooling=\?"),
        (["n_init=3"], r"n_init= is not a setting: did you mean solver.n_init=\?"),
        (["xyzzy=3"], "xyzzy= is not a setting: 'fourfold run --help'"),
        (["hydra.run.dir=x"], "hydra.run.dir= is not a setting"),
        (["+extra=3"], "'.extra' is not the name of a setting"),
        (["~model"], "'~model' is not a setting: write key=value"),
        (["model@other=minilm"], "'model@other' is not the name of a setting"),
        (["minilm"], "'minilm' is not a setting: write model=minilm"),
        (["solver=exact", "seeds=4"], "seeds=4 does not apply to solver=exact, .*: leave it out"),
        (["solver=exact", "solver.n_init=3"], "solver.n_init= is a setting of another solver"),
        (["embedding.subtoken=mean"], "embedding.subtoken= is a setting of another embedding"),
        (
            ["embedding=contextual", "embedding.subtoken=all"],
            "embedding.subtoken='all' is not known: .*first, ",
        ),
        (
            ["embedding=contextual", "embedding.layers=first"],
            "layers='first' is not known: .*all, l",
        ),
        (
            ["embedding=contextual", "embedding.leading_space=flair"],
            "leading_space=flair: expected true or false",
        ),
        (["features=umap"], "features=umap is not known: choose from none, pca, similarity, tsne"),
        (["features=pca", "features.perplexity=3"], "features.perplexity= is a setting of other features"),
        (["features=pca", "features.n_components=0"], "features.n_components=0 is too small"),
        (
            ["features=tsne", "features.perplexity=0"],
            "features.perplexity=0 is too small: expected more than 0",
        ),
        (["seeds=abc"], "seeds=abc: expected a whole number"),
        (["seeds=1.5"], "seeds=1.5: expected a whole number"),
        (["seeds=[1"], r"seeds='\[1': expected a whole number"),
        (["seeds="], "seeds='': expected a whole number"),
        (["seeds=null"], "seeds=null: a value is needed"),
        (["seeds=0"], "seeds=0 is too small: expected .* at least 1"),
        (["solver=faiss", "solver.tol=0"], "solver.tol= is a setting of another solver"),
        (["solver=peer", "solver.device=cuda"], "solver.device=cuda does not apply to solver=peer"),
        (
            ["solver.assignment_cost=cubed"],
            "solver.assignment_cost must be one of .*, got 'cubed'",
        ),
        (["model.lower_case=maybe"], "model.lower_case=maybe: expected true or false"),
        (
            ["model.pooling=median"],
            "model.pooling='median' is not known: expected one of auto, cls, max, mean, ",
        ),
        (["model.device=gpu"], "model.device='gpu' is not known: expected auto, cpu, cuda, cuda:N or mps"),
        (["device=${nothing}"], "Interpolation key 'nothing' not found"),
        (["out=' '"], "out= is empty"),
        (["cache=' '"], "cache= is empty: expected true, false or a folder"),
        (["model=glove", "model.device=cuda"], "model.device=cuda does not apply to word vectors"),
        (["model=glove", "model.pooling=cls"], "model.pooling= is a setting of another model"),
        (["dataset=ocw"], "dataset=ocw needs its file or folder: add dataset.path=PATH .*TaatiTeam/OCW"),
        (
            ["dataset=ocw_randomized"],
            r"add dataset.path=PATH .*\(get it from 'fourfold data randomize IN OUT'\)",
        ),
        (["dataset.path=x.json"], "dataset.path=x.json does not apply to the bundled walls"),
        (["dataset=ocw", "dataset.path=x", "dataset.layout=xml"], "dataset.layout=xml is not known"),
    ],
)
def test_a_mistake_is_one_line(overrides, said):
    with pytest.raises(UserError, match=said) as caught:
        compose_run(overrides)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ContextualConfig(layers=[]), r"embedding.layers=\[\] is not known"),
        (lambda: ContextualConfig(layers=[1.5]), r"embedding.layers=\[1.5\] is not known"),
        (lambda: ContextualConfig(layers=3), "embedding.layers=3 is not known: .*a list"),
        (lambda: TSNEConfig(perplexity=float("nan")), "features.perplexity=nan is too small"),
        (lambda: TSNEConfig(random_state=-1), "features.random_state=-1 is too small"),
        (lambda: TSNEConfig(random_state=2**32), "features.random_state=4294967296 is too large"),
        (lambda: KMeansConfig(n_init=-2), "solver.n_init must be a whole number of at least 1, got -2"),
        (lambda: KMeansConfig(max_iter=0), "solver.max_iter must be a whole number of at least 1, got 0"),
        (lambda: KMeansConfig(random_state=-1), "solver.random_state=-1 is too small"),
        (lambda: KMeansConfig(random_state=2**64), "solver.random_state=18446744073709551616 is too large"),
        (lambda: FaissConfig(random_state=2**31), r"2147483648 is too large: .* 2\*\*31 - 1"),
        (lambda: FaissConfig(n_init=0), "solver.n_init=0 is too small"),
        (lambda: PeerConfig(tol=-1), "solver.tol=-1 is not a tolerance"),
        (lambda: PeerConfig(tol=float("nan")), "solver.tol=nan is not a tolerance"),
        (lambda: PeerConfig(random_state=2**32), r"4294967296 is too large: .* 2\*\*32 - 1"),
        (lambda: TransformerConfig("x", dtype="float64"), "model.dtype='float64' is not known: .* float32, "),
        (lambda: TransformerConfig("x", batch_size=0), "model.batch_size=0 is too small: expected 1 or more"),
        (lambda: TransformerConfig(" "), "model.name=' ' is blank"),
        (lambda: ElmoConfig("elmo", batch_size=0), "model.batch_size=0 is too small"),
        (lambda: ElmoConfig("elmo", device="gpu"), "model.device='gpu' is not known"),
        (lambda: FlairConfig("WordEmbeddings:glove", device="gpu"), "model.device='gpu' is not known"),
    ],
)
def test_a_value_out_of_range_is_named_as_the_command_line_has_it(make, said):
    with pytest.raises(UserError, match=said) as caught:
        make()
    assert "\n" not in str(caught.value)


@cache
def row_of(name):
    """The published row of a model's choice, which several tests ask for."""
    return compose_run([f"model={name}", *NEEDED.get(name, [])]).model.paper_row


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_every_choice_composes(group):
    assert default_choice(group) in choices(group)
    for name in choices(group):
        if group == "model":
            assert row_of(name) is None or row_of(name) in TABLES[3].rows
            continue
        config = compose_run([f"{group}={name}", *NEEDED.get(name, [])])
        assert getattr(config, group).name


@pytest.mark.slow
@pytest.mark.parametrize("name", choices("experiment"))
def test_every_experiment_composes(name):
    dataset = {"table3": "ocw", "table6": "ocw", "table7": "ocw_randomized", "table8": "ocw_wordnet"}.get(
        name
    )
    words = [f"experiment={name}", *([f"paths.{dataset}=x"] if dataset else [])]
    config = compose_run(words, swept=True)
    if dataset is None:
        assert compose_run(words) == config
        assert experiment_sweep(name) == {}
        return
    assert (config.dataset.name, config.dataset.path, config.dataset.folder_split) == (dataset, "x", "test")
    assert config.embedding.name == ("contextual" if name == "table6" else "static")
    models = experiment_sweep(name)["model"].split(",")
    assert set(models) <= set(choices("model"))
    rows = set(map(row_of, models))
    assert {row for row in rows if row} == set(TABLES[int(name.removeprefix("table"))].rows)
    with pytest.raises(UserError, match=f"is many runs: start them with 'fourfold sweep experiment={name}'"):
        compose_run(words)


@pytest.mark.slow
def test_experiments_are_what_they_are_called():
    assert compose_run(["experiment=seeds_1000"]).seeds == 1000
    assert compose_run(["experiment=seeds_1000", "seeds=5"]).seeds == 5
    assert isinstance(compose_run(["experiment=exact"]).solver, ExactConfig)
    assert compose_run(["experiment=fused"]).model.parts == ["minilm", "glove"]


def test_a_data_set_is_where_paths_says_unless_it_has_a_path():
    words = ["dataset=ocw", "paths.ocw=/a b/ocw", "paths.nyt=elsewhere"]
    assert compose_run(words).dataset.path == "/a b/ocw"
    assert compose_run([*words, "dataset.path=mine"]).dataset.path == "mine"


def test_the_split_of_a_folder_is_no_split_of_a_file(tmp_path):
    words = ["dataset=ocw", "dataset.folder_split=test"]
    assert compose_run([*words, f"dataset.path={tmp_path}"]).dataset.split == "test"
    assert compose_run([*words, f"dataset.path={tmp_path}", "dataset.split=all"]).dataset.split == "all"
    (tmp_path / "walls.json").touch()
    assert compose_run([*words, f"dataset.path={tmp_path / 'walls.json'}"]).dataset.split is None


def test_every_yaml_file_begins_with_the_command_that_uses_it():
    for path in choices_module.FOLDER.rglob("*.yaml"):
        lines = path.read_text(encoding="utf-8").splitlines()
        first = next(line for line in lines if not line.startswith("# @package"))  # for Hydra, not for people
        assert re.match("# fourfold (run|sweep|llm|play|macgyver)", first), path
        if path.parent != choices_module.FOLDER:
            group = path.relative_to(choices_module.FOLDER).parts[0]
            assert f"{group}={path.stem}" in first, path


def test_composing_leaves_the_working_directory_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compose_run([])
    assert list(tmp_path.iterdir()) == []


def test_what_was_composed_can_be_composed_again():
    config = compose_run(["seeds=7"])
    again = OmegaConf.to_object(OmegaConf.structured(config))
    assert again == config
