"""``fourfold macgyver tools``: the tools that the problems present, and at which people and GPT-4 differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....errors import UserError
from ..commands import need
from .shared import data_parser, folder, positive

if TYPE_CHECKING:
    from ...macgyver.tool_names import ToolScore
    from ...macgyver.tool_statistics import ToolCounts, ToolDifference

DESCRIPTION = """\
Read the tools from the problems' texts and count them, beside the paper's Table 8; then, beside its Table 4,
people's mean score on the benchmark's problems that present a tool, less GPT-4's (1 is an efficient solution
or a well-founded no, 0 a failure to see whether there is a solution).

A tool's name is without its article, measure, size and state, so that a roll of old duct tape is duct tape.
Singular and plural are one tool, and so are "shoe box" and "shoebox", under the name met most often.
"""

EPILOG = """\
With --labels, tools that someone wrote down are compared with those found: a line for each problem, such as
  541: bottle opener; plastic cup; toothbrush

examples:
  fourfold macgyver tools --data MacGyver/data --top 50
  fourfold macgyver tools --data MacGyver/data --json > tools.json
"""


def main(words: Sequence[str]) -> int:
    """Print the tools."""
    parser = data_parser("tools", DESCRIPTION, EPILOG)
    parser.add_argument("--top", type=positive, default=20, metavar="N", help="tools to show (default: 20)")
    parser.add_argument(
        "--least", type=positive, default=3, metavar="N",
        help="problems that a tool must be in to be compared (default: 3)",
    )  # fmt: skip
    parser.add_argument(
        "--apart", action="store_true", help="count singular and plural, and other spellings, apart"
    )
    parser.add_argument("--labels", type=folder, metavar="FILE", help="tools written down by hand")
    chosen = parser.parse_args(words)
    need("macgyver", {"rich": "rich"}, extra="macgyver")

    from ...macgyver.readers import read_release
    from ...macgyver.tool_names import read_labelled_tools, score_tools
    from ...macgyver.tool_statistics import count_tools, tool_differences
    from .shared import print_json

    labels = read_labelled_tools(chosen.labels) if chosen.labels else None
    release = read_release(chosen.data)
    known = release.texts()
    if labels is not None and (strange := sorted(labels.keys() - known.keys())):
        raise UserError(
            f"{chosen.labels}: got the ID {strange[0]}, expected one of a problem in {chosen.data}"
        )
    tools = count_tools(release.texts(), chosen.apart)
    differences = tool_differences(tools, release.answers, chosen.least)
    score = None if labels is None else score_tools(tools.by_problem, labels)
    if chosen.json:
        print_json(_json(tools, differences, score))
    else:
        print(_text(tools, differences, score, chosen.top, chosen.least))
    return 0


def _text(
    tools: ToolCounts, differences: list[ToolDifference], score: ToolScore | None, top: int, least: int
) -> str:
    from ...macgyver.paper import DISTINCT_TOOLS, TOOL_FREQUENCIES
    from .shared import signed, table_text

    ranks = list(tools.counts)
    shown = ranks[:top] + [tool for tool in TOOL_FREQUENCIES if tool not in ranks[:top]]
    rows = [
        [
            tool,
            str(tools.counts.get(tool, 0)),
            f"{tools.percent(tool):.2f}",
            *(
                (f"{TOOL_FREQUENCIES[tool]:.1f}", signed(tools.percent(tool) - TOOL_FREQUENCIES[tool], 2))
                if tool in TOOL_FREQUENCIES
                else ("", "")
            ),
        ]
        for tool in shown
    ]
    once = sum(count == 1 for count in tools.counts.values())
    parts = [
        f"{len(tools.counts):,} distinct tools (paper: more than {DISTINCT_TOOLS:,}), {tools.total:,} in all,"
        f" {once:,} of them in one problem"
        + ("" if tools.n_names == len(tools.counts) else f"; {tools.n_names:,} with all spellings apart"),
        table_text(
            "The most frequent tools and those of Table 8 (% of all)",
            ("tool", "problems", "%", "paper", "difference"),
            rows,
        ),
    ]
    if differences:
        named = [row for row in differences if row.paper is not None]
        ends = [*differences[: top // 2], *differences[-(top - top // 2) :]]
        kept = sorted({id(row): row for row in (*ends, *named)}.values(), key=lambda row: -row.difference)
        parts.append(
            table_text(
                f"Tools by people's score less GPT-4's, in {least} problems or more: the ends, and Table 4",
                ("tool", "problems", "people", "GPT-4", "difference", "paper"),
                [
                    [
                        row.tool,
                        str(row.n_problems),
                        f"{row.people:.2f}",
                        f"{row.gpt4:.2f}",
                        signed(row.difference, 2),
                        "" if row.paper is None else signed(row.paper, 3),
                    ]
                    for row in kept
                ],
            )
        )
    if score is not None:
        parts.append(
            f"Against {score.labelled:,} tools written down by hand, {score.found:,} were found:"
            f" precision {score.precision:.1%}, recall {score.recall:.1%}"
            f" (by the same name {score.exact_precision:.1%} and {score.exact_recall:.1%})"
        )
    return "\n\n".join(parts)


def _json(tools: ToolCounts, differences: list[ToolDifference], score: ToolScore | None) -> dict[str, Any]:
    from ...macgyver.paper import DISTINCT_TOOLS, TOOL_FREQUENCIES

    return {
        "distinct": len(tools.counts),
        "distinct_paper": DISTINCT_TOOLS,
        "distinct_apart": tools.n_names,
        "total": tools.total,
        "tools": [
            {
                "tool": tool,
                "problems": count,
                "percent": tools.percent(tool),
                "paper": TOOL_FREQUENCIES.get(tool),
            }
            for tool, count in tools.counts.items()
        ],
        "differences": [
            {
                "tool": row.tool,
                "problems": row.n_problems,
                "people": row.people,
                "gpt4": row.gpt4,
                "difference": row.difference,
                "paper": row.paper,
            }
            for row in differences
        ],
        "by_problem": {str(number): list(found) for number, found in tools.by_problem.items()},
        "labelled": None
        if score is None
        else {
            "found": score.found,
            "labelled": score.labelled,
            "precision": score.precision,
            "recall": score.recall,
            "exact_precision": score.exact_precision,
            "exact_recall": score.exact_recall,
        },
    }
