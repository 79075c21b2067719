"""``fourfold macgyver evaluate``: automatic measures of answers beside people's labels."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import UserError
from ...terminal.writing import counted
from ..commands import need
from .asking import PACKAGES as MODEL_PACKAGES
from .asking import model_arguments, say_who, show_cost
from .shared import data_parser, folder, positive, whole

if TYPE_CHECKING:
    from ...macgyver.evaluation import MeasureRow, Pair
    from ...macgyver.measures import PearsonCorrelation
    from ...macgyver.rubric import Judgement
    from ...terminal.progress import Update

DESCRIPTION = """\
Score the labelled answers of the MacGyver release by measures of how like they are to known solutions, and
correlate the scores with people's labels (Pearson's r), beside what the paper found.

measures:
  bleu2, bleu3  BLEU up to two and three words, by sacrebleu
  minilm        the matching of BERTScore over the packaged MiniLM: minutes on a processor for the 3,697
                answers
  bertscore     over roberta-large, whose files must be in the hub's cache: a device or hours
  judge         a language model chooses one of the six categories by a rubric; its settings (model.name=,
                model.base_url=, model.timeout= and others) are named as for 'fourfold macgyver solve', and
                its replies are kept

A label is a score from 0 (fails) to 1 (efficient), or right and wrong. The first interval takes answers for
independent (Fisher); the second, which draws whole problems (bootstrap), does not. Both are at 95%.
"""

EPILOG = """\
examples:
  fourfold macgyver evaluate --data MacGyver/data
  fourfold macgyver evaluate --data MacGyver/data --measures minilm --sample 400
  fourfold macgyver evaluate --data MacGyver/data --measures bleu2,bertscore --aggregate --json
  fourfold macgyver evaluate --data MacGyver/data --measures judge --sample 200 model.name=gpt-4o --dry-run
"""

PACKAGES = {
    "rich": "rich",
    "torch": "torch",
    "transformers": "transformers",
    "sacrebleu": "sacrebleu",
    "bert_score": "bert-score",
}
MEASURES = ("bleu2", "bleu3", "bertscore", "minilm", "judge")
_MOST_DRAWS = 100_000


def main(words: Sequence[str]) -> int:
    """Print the correlations."""
    parser = data_parser("evaluate", DESCRIPTION, EPILOG)
    parser.add_argument(
        "--measures", type=_measures, default=("bleu2", "bleu3"), metavar="A,B",
        help="what to score by (default: bleu2,bleu3)",
    )  # fmt: skip
    parser.add_argument(
        "--references", choices=("sound", "released"), default="sound",
        help="released: each problem's one solution, right or wrong, as it seems in the paper; sound: "
        "without those labelled as wrong, and with those that people wrote (default)",
    )  # fmt: skip
    parser.add_argument(
        "--aggregate", action="store_true", help="one label an answer, as in the paper's appendix D.2"
    )
    parser.add_argument(
        "--identical", action="store_true", help="keep answers that are themselves a reference"
    )
    parser.add_argument(
        "--draws", type=_draws, default=2000, metavar="N", help="of the bootstrap (default: 2000)"
    )
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of the draws (default: 0)")
    parser.add_argument("--out", type=folder, metavar="FILE", help="write each answer's scores (JSON lines)")
    parser.add_argument("--force", action="store_true", help="replace that file if it is there")
    parser.add_argument(
        "--sample", type=positive, metavar="N", help="so many answers, drawn by the seed (default: all)"
    )
    parser.add_argument("--prompt", type=folder, metavar="FILE", help="a Jinja template for the judge")
    model_arguments(parser)
    parser.add_argument("--device", default="auto", help="of bertscore and minilm (default: auto)")
    chosen = parser.parse_intermixed_args(words)
    need("macgyver evaluate", PACKAGES, extra="macgyver")
    judges = "judge" in chosen.measures
    if judges:
        need("macgyver evaluate --measures judge", MODEL_PACKAGES, extra="llm")
    elif chosen.overrides or chosen.dry_run or chosen.prompt is not None:
        what = chosen.overrides[0] if chosen.overrides else "--dry-run" if chosen.dry_run else "--prompt"
        raise UserError(f"{what} is for a judge: add --measures judge, or leave it out")
    if chosen.out is not None:
        from .shared import check_output

        check_output(chosen.out, chosen.force or chosen.dry_run, (chosen.data, chosen.prompt))

    from ...macgyver.evaluation import measure_rows, notes, pairs, sampled
    from ...macgyver.measures import text_measure
    from ...macgyver.readers import read_release
    from ...terminal.progress import ProgressBars
    from .shared import print_json

    found: list[MeasureRow] = []
    settings: dict[str, str] = {}
    scores: dict[str, Sequence[float | None]] = {}
    release = read_release(chosen.data)
    compared = pairs(release, chosen.references, chosen.aggregate, chosen.identical)
    kept = sampled(compared, chosen.sample, chosen.seed)
    judge = _Judge(chosen, kept, release.texts()) if judges else None
    if judge is not None and chosen.dry_run:
        judge.show_cost()
        return 0
    distinct = list(dict.fromkeys((pair.text, pair.references) for pair in kept))
    with ProgressBars() as bars:
        ready = {}
        for name in (one for one in chosen.measures if one != "judge"):
            with bars.step(name, f"preparing {name}"):
                ready[name], settings[name] = text_measure(name, chosen.device)
        for name, score in ready.items():
            with bars.step(name, f"scoring by {name}"):
                values = score([text for text, _ in distinct], [known for _, known in distinct])
            by_pair = dict(zip(distinct, values, strict=True))
            scores[name] = [by_pair[pair.text, pair.references] for pair in kept]
            found += measure_rows(name, kept, scores[name], chosen.draws, chosen.seed)
        if judge is not None:
            with bars.step("judge", "asking the judge") as update:
                scores["judge"] = judge.scores(update)
            settings["judge"] = judge.name
            found += measure_rows("judge", kept, scores["judge"], chosen.draws, chosen.seed)
    told = notes(compared, chosen.references) + ([] if judge is None else judge.notes())
    if chosen.out is not None:
        _write(chosen, kept, scores, [{}] * len(kept) if judge is None else list(judge.rows()))
    if chosen.json:
        print_json({"rows": [_row(row) for row in found], "settings": settings, "notes": told})
    else:
        print(_text(found, settings, told, chosen.references))
    return 0


class _Judge:
    """The judge's model and questions, and what it said."""

    def __init__(self, chosen: Namespace, kept: Sequence[Pair], problems: dict[int, str]) -> None:
        from ....conf.compose import compose_asking
        from ....conf.llm_schema import JudgeConfig
        from ...macgyver.asking import model_name, open_client
        from ...macgyver.prompting import task_prompt
        from ...macgyver.rubric import judge_requests

        self.config = compose_asking(chosen.overrides, {"model.max_tokens": "512"}, JudgeConfig)
        self.asked = open_client(self.config)
        self.chosen = chosen
        self.kept = kept
        self.prompt = task_prompt("judge", chosen.prompt)
        self.requests = judge_requests(self.asked, self.prompt, kept, problems)
        self.name = model_name(self.asked.model)
        self.judged: list[Judgement] = []

    def show_cost(self) -> None:
        """The first prompt, and what all would cost; answers that occur several times are asked for once."""
        distinct = list({self.asked.key(request): request for request in self.requests}.values())
        show_cost(self.chosen, self.config, self.asked, distinct)

    def scores(self, update: Update) -> list[float | None]:
        """A score from 0 to 1 for each answer."""
        from ...macgyver.rubric import judge, scores

        say_who(self.config, self.asked)

        self.judged = judge(self.asked, self.prompt, self.requests, self.kept, update)
        return scores([one.category for one in self.judged])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Whence each answer's score is."""
        from ...llm.served import served_entry
        from ...macgyver.asking import recorded

        prompt = recorded(self.prompt)
        for one in self.judged:
            category = one.category
            yield {
                "judge_category": None if category is None else category.name,
                "judge_reply": one.reply.text,
                "judge_key": one.key,
                "judge_model": self.name,
                "judge_served": served_entry([one.reply]),
                "judge_prompt": prompt,
            }

    def notes(self) -> list[str]:
        """How often the judge and people agree, and what it cost."""
        from ...macgyver.asking import reply_notes, spent_text
        from ...macgyver.rubric import agreement

        found = agreement(self.kept, [one.category for one in self.judged])
        told = [f"Judge: {spent_text(self.config, self.asked)}."]
        told += reply_notes(self.asked.replies, self.asked.model.name)
        if found.unread:
            told.append(f"No category is named by {counted(found.unread, 'reply', 'replies')} of the judge.")
        if found.same is not None and found.same_side is not None:
            kappa = "none" if found.kappa is None else f"{found.kappa:.2f}"
            told.append(
                f"The judge and people choose the same category for {found.same:.1%} of "
                f"{counted(found.n, 'answer')} "
                f"(Cohen's kappa {kappa}), and the same of right and wrong for {found.same_side:.1%}."
            )
        return told


def _measures(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    strange = [name for name in names if name not in MEASURES]
    if strange or not names:
        raise ArgumentTypeError(f"got '{strange[0] if strange else text}', expected {', '.join(MEASURES)}")
    return names


def _draws(text: str) -> int:
    number = whole(text)
    if number > _MOST_DRAWS:
        raise ArgumentTypeError(f"got '{text}', expected at most {_MOST_DRAWS:,}")
    return number


def _write(
    chosen: Namespace,
    kept: Sequence[Pair],
    scores: dict[str, Sequence[float | None]],
    more: Sequence[dict[str, Any]],
) -> None:
    from ...files.text_file import write_text

    lines = [
        json.dumps(
            {
                "problem": pair.problem_id,
                "model": pair.model,
                "annotation": pair.category.value,
                "answer": pair.text,
                **{name: _rounded(values[place]) for name, values in scores.items()},
                **more[place],
            },
            ensure_ascii=False,
        )
        for place, pair in enumerate(kept)
    ]
    write_text(chosen.out, "".join(f"{line}\n" for line in lines))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _row(row: MeasureRow) -> dict[str, Any]:
    return {
        "measure": row.measure,
        "answers": row.subset,
        "n": row.score.n,
        "problems": row.n_problems,
        "score": _numbers(row.score),
        "right": _numbers(row.right),
        "paper": row.paper,
        "difference": None if row.paper is None or row.score.r is None else row.score.r - row.paper,
    }


def _numbers(found: PearsonCorrelation) -> dict[str, Any]:
    return {"r": found.r, "fisher": found.fisher, "bootstrap": found.bootstrap}


def _text(found: Sequence[MeasureRow], settings: dict[str, str], told: Sequence[str], references: str) -> str:
    from ...macgyver.measures import TITLES
    from .shared import table_text

    columns = ("", "answers", "r", "Fisher", "bootstrap", "paper", "difference", "r, right")
    parts = []
    for name, how in settings.items():
        mine = [list(_cells(row)) for row in found if row.measure == name]
        parts.append(table_text(f"{TITLES[name]} ({how})", columns, mine))
    told = [*told]
    nearer = "" if references == "released" else "; its BLEU comes out with --references released"
    if "minilm" in settings:
        told.append("MiniLM matching is BERTScore over another model: beside it is the paper's BERTScore.")
    if settings.keys() - {"judge"}:
        told.append(f"The paper does not say which answers and references its two values are of{nearer}.")
    return "\n\n".join([*parts, "\n".join(told)])


def _cells(row: MeasureRow) -> Iterator[str]:
    from .shared import signed

    yield row.subset
    yield f"{row.score.n:,}"
    yield _number(row.score.r)
    for interval in (row.score.fisher, row.score.bootstrap):
        yield "–" if interval is None else f"{_number(interval[0])} to {_number(interval[1])}"
    yield "" if row.paper is None else f"{row.paper:.2f}"
    yield "" if row.paper is None or row.score.r is None else signed(row.score.r - row.paper, 2)
    yield _number(row.right.r)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    text = f"{value:.3f}".replace("-", "−")
    return text.lstrip("−") if float(f"{value:.3f}") == 0 else text
