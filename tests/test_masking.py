"""Keys on the command line, in the environment and in a server's words come to no eye."""

import json

import pytest
from chat_server import Answer, serve

from fourfold.experiments.cli import main
from fourfold.masking import looks_random, masked, names_a_secret, secrets_of

VENDORS = "sk-proj-abcdefGHIJKL_mnop-qrstuvwx"
RANDOM = "a8f5f167f44f4964e6c998dee827110c"
PLAIN = "hunter2-hunter2"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["llm", f"model.api_key={VENDORS}"],
        ["llm", f"model.api_key={PLAIN}"],
        ["llm", f"api_key={RANDOM}", "model.name=x"],
        ["llm", "--api-key", PLAIN],
        ["llm", f"--api-key={PLAIN}"],
        ["llm", VENDORS],
        ["llm", RANDOM],
        [VENDORS],
        [RANDOM],
        ["run", RANDOM],
        ["play", VENDORS],
        ["llm", "model.name=x", f"limit={VENDORS}"],
        ["llm", f"model.name={VENDORS}"],
        ["llm", "model.name=x", f"model.title={VENDORS}"],
        ["llm", "model.name=x", f"model.key_variable={VENDORS}"],
        ["llm", "model.name=x", f"model.key_variable={RANDOM}"],
        ["llm", "model.name=x", f"model.extra={VENDORS}"],
        ["llm", "model.name=x", f"model.base_url=http://host/v1?key={VENDORS}"],
        ["llm", "model.name=x", f"model.base_url=http://host/{VENDORS}/v1"],
        ["llm", "model.name=x", "model.base_url=http://host/v1", f"dataset={VENDORS}"],
        ["sweep", "llm", "model.name=a,b", f"model.api_key={VENDORS}"],
        ["macgyver", "make", f"model.api_key={VENDORS}", "--out", "made"],
    ],
    ids=" ".join,
)
def test_a_key_on_the_command_line_is_shown_nowhere(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*words, "--debug"]) == 2
    shown = "".join(capsys.readouterr())
    assert "Traceback" in shown
    for key in (VENDORS, RANDOM, PLAIN):
        assert key[2:] not in shown  # nor the most of it
    assert list(tmp_path.rglob("*")) == []


def test_a_server_that_repeats_a_key_does_not_bring_it_to_the_terminal(capsys, tmp_path, monkeypatch):
    """Also the key of another variable than the one that is sent, and in a message that is cut."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", PLAIN)
    monkeypatch.setenv("OTHER_TOKEN", RANDOM)

    def repeat(body, headers):
        said = {"error": {"message": f"{headers['Authorization']} {RANDOM} {'x' * 300}{PLAIN}{'y' * 3000}"}}
        return Answer(400, json.dumps(said).encode())

    words = ["limit=1", "model.name=x", "model.key_variable=MY_KEY", "cache=false"]
    with serve(repeat) as server:
        assert main(["llm", f"model.base_url={server.url}", *words, "--debug"]) == 2
    shown = "".join(capsys.readouterr())
    assert "[key]" in shown
    assert PLAIN not in shown
    assert RANDOM not in shown


def test_what_is_no_key_is_shown_as_it_is(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word in ("all-MiniLM-L6-v2-finetuned", "0123456789abcdef", "runs/0123456789abcdef01234567"):
        main(["llm", word])
        assert word in capsys.readouterr().err
    (tmp_path / RANDOM).mkdir()
    main(["llm", RANDOM])
    assert RANDOM in capsys.readouterr().err


def test_secrets_are_known_within_the_block_alone():
    with secrets_of(["llm", VENDORS, f"a.token={PLAIN}", "b.token=short"]):
        assert masked(f"{VENDORS}, {PLAIN}, short") == "[key], [key], short"
    assert masked(VENDORS) == VENDORS


def test_the_longest_secret_is_masked_first():
    with secrets_of(["--key", PLAIN, "--token", f"{PLAIN}-and-more"]):
        assert masked(f"{PLAIN}-and-more") == "[key]"


@pytest.mark.parametrize("name", ["api_key", "apiKey", "X-Api-Key", "token", "client_secret", "headers"])
def test_names_of_secrets_are_known(name):
    assert names_a_secret(name)


@pytest.mark.parametrize("name", ["prompt_cache_key", "stop_token_ids", "max_tokens", "key_variable", "keys"])
def test_names_of_other_things_are_not(name):
    assert not names_a_secret(name)


def test_variables_that_are_set_are_no_keys(monkeypatch):
    monkeypatch.setenv("MY_KEY_OF_20250101", "x")
    assert not looks_random("MY_KEY_OF_20250101")
