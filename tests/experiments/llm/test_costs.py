"""Tokens and money."""

import pytest

from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, Reply, Usage
from fourfold.experiments.llm.costs import Prices, Spent, estimate, spent


class Counting:
    name = "counting"

    def __init__(self, count):
        self.count = count

    def describe(self):
        return {}

    def complete(self, requests, keep=None):
        raise AssertionError("an estimate asks nothing")

    def count_tokens(self, request):
        return self.count


def test_an_estimate_says_how_tokens_were_counted():
    requests = [ChatRequest((Message("system", "x" * 41), Message("user", "y" * 4)), max_tokens=144)] * 2
    counted = estimate(Counting(10), requests)
    assert (counted.n_requests, counted.usage) == (2, Usage(20, 288))
    assert counted.how == "counted by the model's tokenizer"
    guessed = estimate(Counting(None), requests)
    assert guessed.usage == Usage(2 * (4 + 11 + 4 + 1), 288)
    assert guessed.how == "estimated at 4 letters a token"


def test_what_was_spent_counts_kept_replies_apart():
    answers = [
        Reply("a", usage=Usage(10, 1)),
        Reply("b", usage=Usage(20, 2), cached=True),
        Reply("c"),
        Failure("no"),
    ]
    assert spent(answers) == Spent(Usage(30, 3), Usage(10, 1), 1)


def test_prices_are_for_a_million_tokens_and_both_are_needed():
    assert Prices(2.5, 10).cost(Usage(1_000_000, 100_000)) == pytest.approx(3.5)
    assert Prices(2.5).cost(Usage(1, 1)) is None
    assert Prices().cost(Usage(1, 1)) is None
