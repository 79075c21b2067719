"""Tokens and money, and progress in which replies from the store take no time."""

from types import SimpleNamespace

import pytest

from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, Reply, Usage
from fourfold.experiments.llm.usage import Following, Prices, Spent, Traffic, estimate, spent
from fourfold.experiments.terminal.progress import ProgressBars


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


KEPT = Reply("x", usage=Usage(900, 90), cached=True)
NEW = Reply("x", usage=Usage(100, 10))


def test_rate_tokens_cost_and_waiting_requests():
    now = [0.0]
    traffic = Traffic()
    model = SimpleNamespace(model=SimpleNamespace(traffic=traffic))
    bars = ProgressBars(shown=False, clock=lambda: now[0])
    with bars.step("ask", "asking") as step:
        following = Following(step, model, Prices(1000.0, 2000.0)).begin(100)
        assert following.text() == ""
        for place in range(60):  # slowly read from the disk
            now[0] += 0.1
            following.keep(place, KEPT)
        assert step.facts == "60/100"
        for place in range(10):
            now[0] += 2.0
            following.keep(place, NEW)
        assert step.facts == "70/100, 30/min, 1 min left; 1,000 tokens read, 100 written, cost 1.2"
        with traffic.wait():
            following.keep(0, Failure("no"))
            assert step.facts == (
                "71/100, 33/min, 53 s left; 1,000 tokens read, 100 written, cost 1.2, "
                "1 request to be asked again"
            )
        assert "again" not in step.facts
        following.begin(5)  # another round: tokens go on
        assert step.facts.startswith("0/5; 1,000 tokens read")


def test_a_plain_update_is_told_of_every_answer():
    told = []
    following = Following(lambda *numbers: told.append(numbers), SimpleNamespace()).begin(3)
    for answer in (KEPT, NEW, Failure("no")):
        following.keep(0, answer)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert following.text() == "100 tokens read, 10 written"
    Following(None, SimpleNamespace()).keep(0, NEW)
