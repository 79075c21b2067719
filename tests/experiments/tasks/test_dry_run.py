"""How long a dry run says that requests take: by kept replies, by records, or not at all."""

from dataclasses import asdict, replace

import pytest
from language_records import made

from fourfold.conf.compose import compose_language_run
from fourfold.experiments.llm.chat import Reply, Usage
from fourfold.experiments.runs.envelope import UsageEntry
from fourfold.experiments.runs.language_model.record import write_language_record
from fourfold.experiments.tables.language_results import estimate_text, left_line
from fourfold.experiments.tasks.dry_run import DryRun, speed_of_kept, speed_of_records, total
from fourfold.experiments.tasks.prepare import prepare_language_run, set_up

pytest.importorskip("jinja2")


@pytest.fixture
def setup(tmp_path):
    def of(*words):
        given = [f"cache={tmp_path / 'cache'}", f"out={tmp_path / 'runs'}", "model.name=m", *words]
        return set_up(prepare_language_run(compose_language_run(["model.base_url=http://here/v1", *given])))

    return of


def keep(setup, times):
    """Replies to the first requests, which came at these times."""
    for request, when in zip(setup.all_requests, times, strict=False):
        (key,) = setup.model.keys([request])
        setup.model.store.write(key, Reply("x", "stop", Usage(1, 1)), float(when))


def test_kept_replies_tell_the_pace_without_the_time_that_a_run_was_stopped(setup):
    run = setup()
    assert len(run.all_requests) == 30
    assert speed_of_kept(run.model, run.all_requests) is None
    keep(run, [100 + 3 * n for n in range(5)] + [90_000 + 3 * n for n in range(5)])
    found = speed_of_kept(run.model, run.all_requests)
    assert found.seconds == pytest.approx(3.0)
    left = DryRun().left(run)
    assert (left.n_kept, left.seconds) == (10, pytest.approx(60.0))
    assert "\nabout 1 min, at the pace of the 10 replies of it that are kept\n" in estimate_text(left)
    assert "about 1 min" in left_line(left)


@pytest.mark.parametrize("times", [range(0, 21, 3), [5] * 20])
def test_few_replies_and_a_copied_folder_tell_nothing(setup, times):
    run = setup()
    keep(run, times)
    assert speed_of_kept(run.model, run.all_requests) is None
    left = DryRun().left(run)
    assert left.seconds is None
    assert "pace" not in estimate_text(left)


def record(setup, seconds, created="2026-01-01", name="a" * 16, **changes):
    """A record of the run, half of whose replies were kept from before."""
    usage = UsageEntry(100, 200, 50, 100, 0, None)
    content = {"timings": {"ask": seconds}, "usage": usage, "config": asdict(setup.config)}
    found = made(name, n_walls=30, created=created)
    return replace(found, **(content | {"model": setup.model.describe()} | changes))


def test_the_newest_record_of_the_same_model_and_task_tells_the_pace(setup, tmp_path):
    run = setup("examples=0")
    older, newer = record(run, 90.0), record(run, 30.0, "2026-02-01", "b" * 16)
    speed = speed_of_records([newer, older], run.config, run.model.describe())
    assert (speed.seconds, speed.source) == (pytest.approx(2.0), "the record bbbbbbbbbbbbbbbb")
    write_language_record(tmp_path / "runs", newer, [], [])
    counts = DryRun()
    both = [counts.left(setup("seeds=2")), counts.left(setup("seeds=3"))]
    # The second run's first two orders are those of the first.
    assert [each.seconds for each in both] == [pytest.approx(120.0), pytest.approx(60.0)]
    assert total(both).seconds == pytest.approx(180.0)
    assert "about 3 min, at the pace of the record bbbbbbbbbbbbbbbb" in estimate_text(total(both))


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (["model.concurrency=2"], {}),
        (["model.max_tokens=5"], {}),
        (["task=2", "bertscore=none"], {}),
        (["model.base_url=http://there/v1"], {}),
        (["model.name=other"], {}),
        ([], {"usage": UsageEntry(100, 200, 50, 100, 1, None)}),
        ([], {"usage": UsageEntry(100, 200, 0, 0, 0, None)}),
        ([], {"timings": {}}),
    ],
)
def test_other_runs_tell_nothing(setup, words, changes):
    run = setup(*words)
    assert speed_of_records([record(setup(), 30.0, **changes)], run.config, run.model.describe()) is None


def test_a_sum_is_known_where_that_of_each_run_is(setup):
    run = setup()
    known = DryRun().left(run)
    assert known.seconds is None
    assert total([known, replace(known, seconds=5.0)]).seconds is None
