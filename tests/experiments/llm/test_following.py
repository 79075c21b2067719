"""Progress of a model's requests: kept replies take no time, tokens and money are those paid for now."""

from types import SimpleNamespace

from fourfold.experiments.llm.chat import Failure, Reply, Usage
from fourfold.experiments.llm.costs import Prices
from fourfold.experiments.llm.following import Following
from fourfold.experiments.llm.traffic import Traffic
from fourfold.experiments.terminal.progress import ProgressBars

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
