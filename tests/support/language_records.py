"""Records of language models as values, without any run."""

from fourfold.experiments.metrics.scores import METRICS
from fourfold.experiments.runs.envelope import DatasetEntry, MetricEntry
from fourfold.experiments.runs.language_model import record as records

HUMAN = {"n_walls": 494, "solved_walls": 285, "correct_groups": 1405, "correct_connections": 1500}


def made(
    name="0" * 16,
    title="Ours",
    n_examples=3,
    dataset="ocw",
    task=1,
    n_walls=494,
    created="2026-01-01",
    **values,
):
    """A record of a language model with the metrics in ``values``, one value a run."""
    if task == 1:
        given = {metric: [50.0] for metric in METRICS} | {"solved_walls": [247.0], "correct_groups": [988.0]}
        n_runs = max(map(len, values.values()), default=1)
        values = {name: each * (n_runs if len(each) == 1 else 1) for name, each in (given | values).items()}
    return records.LanguageRecord(
        schema=records.SCHEMA,
        name=name,
        created=f"{created}T00:00:00+00:00",
        task=task,
        config={"model": {"name": "m", "title": title}},
        dataset=DatasetEntry(dataset, None, "test", "ocw", dataset, n_walls, 16, 4 * n_walls, HUMAN),
        model={},
        prompt={},
        examples=[str(number) for number in range(n_examples)],
        versions={},
        platform="",
        timings={},
        n_seeds=max(map(len, values.values()), default=1),
        metrics={
            key: MetricEntry(each, sum(each) / len(each), 0.5 * (max(each) - min(each)))
            for key, each in values.items()
        },
        faults={},
        structured=0.0,
        usage=records.UsageEntry(1, 1, 1, 1, 0, None),
        bertscore=None,
    )
