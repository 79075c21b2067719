"""Words that are too long to be read, and messages about them."""

import pytest

from fourfold.conf.compose import compose_language_run, compose_run
from fourfold.conf.schema import RunConfig
from fourfold.conf.sweep import read_sweep
from fourfold.conf.words import plain_word
from fourfold.errors import UserError

DIGITS = "9" * 100_000


@pytest.mark.slow
@pytest.mark.parametrize("word", [f"seeds={DIGITS}", f"embedding.layers=[{DIGITS}]", f"solver.tol={DIGITS}"])
@pytest.mark.parametrize("read", [compose_run, read_sweep])
def test_a_number_of_too_many_digits_is_named_by_its_key(word, read):
    key = word.partition("=")[0]
    with pytest.raises(UserError, match=f"^{key}=.*at most 4,300 digits") as error:
        read([word])
    assert len(str(error.value)) < 400


def test_so_is_one_of_a_language_model():
    with pytest.raises(UserError, match=r"^limit=9.*at most 4,300 digits"):
        compose_language_run([f"limit={DIGITS}"])


def test_a_key_that_is_too_long_for_a_file_name_is_no_setting():
    key = "model." + "a" * 5000
    with pytest.raises(UserError, match=f"^{key}= is not a setting: 'fourfold run --help'"):
        plain_word(f"{key}=1", RunConfig)
    assert plain_word("model.options.layers=1", RunConfig) == "model.options.layers=1"
