"""WordNet's files by nltk's reader: a small WordNet, and the real one where it is."""

import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from small_wordnet import ENTITY, FURNITURE, Made, write_wordnet

from fourfold.errors import UserError
from fourfold.experiments.data.readers import bundled_walls
from fourfold.experiments.data.wordnet import LEAST_NAMES, THINGS, Sense, WallMaker

nltk = pytest.importorskip("nltk", reason="the extra wordnet is not installed")

from fourfold.experiments.data.wordnet_files import FILES, WordNet  # noqa: E402 - as above

DEBIAN = Path("/usr/share/wordnet")


@pytest.fixture(autouse=True)
def _nltk_s_own_paths(monkeypatch):
    monkeypatch.setattr(nltk.data, "path", list(nltk.data.path))


@pytest.fixture(scope="module")
def real():
    if not all((DEBIAN / name).is_file() for name in FILES):
        pytest.skip(f"{DEBIAN} does not hold WordNet: apt install wordnet-base")
    with WordNet(DEBIAN) as wordnet:
        yield wordnet


@pytest.fixture
def opened():
    """Opens WordNets, and closes them when the test is done."""
    with ExitStack() as stack:
        yield lambda folder=None: stack.enter_context(WordNet(folder))


def test_senses_of_all_parts_of_speech(tmp_path, opened):
    synsets = [
        ENTITY,
        Made("n", ("Old_Nick", "devil"), 'the evil one; "the devil knows"', 0),
        Made("n", ("devil",), "an imp", 0),
        Made("v", ("devil",), "pester; ; ; - A. Poet"),
        Made("a", ("sober",), "not drunk"),
    ]
    found = opened(write_wordnet(tmp_path / "dict", synsets))
    assert found.version == "9.9"
    assert found.senses("devil") == [
        Sense(("Old Nick", "devil"), "the evil one"),
        Sense(("devil",), "an imp"),
        Sense(("devil",), "pester"),
    ]
    assert (
        found.senses("old  nick")
        == found.senses("Old Nick")
        == [Sense(("Old Nick", "devil"), "the evil one")]
    )
    assert found.senses("Devils") == found.senses("devil")
    assert found.senses("SOBER") == [Sense(("sober",), "not drunk")]
    for nothing in ("angel", "%", "", "é", "devil.n.01", "8.5"):
        assert found.senses(nothing) == []


def test_kinds_of_kinds_of_a_thing(tmp_path, opened):
    synsets = [
        ENTITY,
        *FURNITURE,
        Made("n", ("bedstead",), "a frame", 2),
        Made("n", ("table_lamp",), "two words", 1),
        Made("n", ("lamp", "light"), "a lamp", 1),
    ]
    # The first sense of "stool" here is no furniture.
    other = Made("n", ("stool",), "something else", 0)
    found = opened(write_wordnet(tmp_path / "dict", [*synsets[:6], other, *synsets[6:]]))
    sense, kinds = found.kinds("furniture")
    assert sense == Sense(("furniture",), "what makes a room ready")
    assert kinds == ["bed", "bedstead", "chair", "desk", "lamp", "sofa"]
    assert found.kinds("bird") == (None, [])


def test_a_folder_without_the_files(tmp_path):
    for folder, got in ((tmp_path, "a folder without them"), (tmp_path / "absent", "no folder")):
        with pytest.raises(UserError, match=f"got {got}, expected WordNet's files .*/usr/share/wordnet"):
            WordNet(folder)
    write_wordnet(tmp_path / "dict")
    (tmp_path / "dict" / "verb.exc").unlink()
    with pytest.raises(UserError, match=r"got a folder without verb.exc, expected all"):
        WordNet(tmp_path / "dict")


@pytest.mark.parametrize("name", ["index.noun", "data.adj"])
@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"no such thing as a line of it\n", b""])
def test_damaged_files_are_one_line(tmp_path, name, content):
    folder = write_wordnet(tmp_path / "dict", [ENTITY, *FURNITURE, Made("a", ("dry",), "not wet")])
    (folder / name).write_bytes(content)
    with pytest.raises(UserError, match=r"got files that nltk cannot read .*fetch them again$") as caught:
        looked_up(folder)
    assert "\n" not in str(caught.value)


def looked_up(folder):
    with WordNet(folder) as wordnet:
        return wordnet.version, wordnet.senses("bed"), wordnet.senses("dry")


@pytest.mark.parametrize("packed", [False, True])
def test_nltk_s_data_unpacked_and_not(tmp_path, monkeypatch, opened, packed):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(
        UserError, match=r"'python -m nltk.downloader wordnet', .* --wordnet /usr/share/wordnet"
    ):
        WordNet()
    folder = write_wordnet(tmp_path / "corpora" / "wordnet")
    if packed:
        with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:
            archive.mkdir("wordnet")
            for file in folder.iterdir():
                archive.write(file, f"wordnet/{file.name}")
                file.unlink()
        folder.rmdir()
    assert opened().senses("sofa") == [Sense(("sofa",), "a sofa")]


@pytest.mark.slow
def test_the_real_wordnet_holds_the_paper_s_example(real):
    definition = (
        "an aggressive remark directed at a person like a missile and intended to have a telling effect"
    )
    (sense,) = (sense for sense in real.senses("Shaft") if sense.definition == definition)
    assert {"gibe", "shaft", "jibe", "barb"} < set(sense.names)
    assert len(sense.names) >= LEAST_NAMES


@pytest.mark.slow
def test_the_real_wordnet_has_kinds_of_every_thing(real):
    for thing in THINGS:
        sense, kinds = real.kinds(thing)
        assert sense is not None
        assert len(kinds) >= 15, thing
        assert all(kind.isalpha() for kind in kinds)


def test_easy_walls_of_the_bundled_ones(real):
    walls = [{"wall_id": wall.wall_id, "words": list(wall.clues)} for wall in bundled_walls().walls]
    made = WallMaker(real, 42)(walls)
    assert made == WallMaker(real, 42)(walls)
    assert all(len({clue.casefold() for clue in wall["words"]}) == 16 for wall in made)
    assert not any("_" in clue for wall in made for clue in wall["words"])
