"""What ``fourfold solve`` prints for people."""

from __future__ import annotations

from collections.abc import Sequence

from ..pipeline.solve import RunnerUp, Solved


def report(solved: Solved, model: str) -> str:
    """The groups, the runners-up with their distance and moves, and the red herrings."""
    lines = [f"{model}, {len(solved.clues)} clues, cost {solved.cost:.4g}", ""]
    if solved.equal:
        lines[1:1] = [
            f"{len(solved.equal)} clues that it cannot tell apart, placed at random among each other: "
            + ", ".join(solved.clues[place] for place in solved.equal)
        ]
    width = max(len(clue) for clue in solved.clues) + 2
    for number, group in enumerate(solved.groups, start=1):
        lines.append(f"{number}  " + "".join(clue.ljust(width) for clue in group).rstrip())
    if solved.runners_up:
        lines += ["", "runners-up (cost above the best, and what moves)"]
        rows = [(_gap(solved, other.gap), _moves(other)) for other in solved.runners_up]
        lines += _columns([(f"{place}.", *row) for place, row in enumerate(rows, start=2)])
    if solved.red_herrings:
        lines += ["", "red herrings: the clues that move between these partitions, the nearest first"]
        lines += _columns(
            [
                (
                    herring.clue,
                    f"in {herring.home + 1}, could be in {_either([to + 1 for to in herring.others])}",
                    _gap(solved, herring.gap),
                    f"{herring.times} of {len(solved.runners_up)}",
                )
                for herring in solved.red_herrings
            ]
        )
    return "\n".join(lines)


def _gap(solved: Solved, gap: float) -> str:
    """A distance from the best cost, as a share of it where that has a meaning."""
    return f"+{gap / solved.cost:.2%}" if solved.cost > 0 else f"+{gap:.3g}"


def _moves(other: RunnerUp) -> str:
    return ", ".join(f"{move.clue} {move.home + 1}→{move.to + 1}" for move in other.moves)


def _either(numbers: Sequence[int]) -> str:
    texts = [str(number) for number in numbers]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
