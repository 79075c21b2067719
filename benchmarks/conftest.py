"""What all benchmarks share: a summary that sets each operation beside its peer.

A benchmark calls ``compare(group, name, function, units, quality, peer=False)``: the group is what
is compared, ``units`` the pieces of work in one call (fits, walls, passes), ``quality`` a number that says
how good the answer was. The summary prints seconds a unit, the ratio to the group's best peer and the
quality.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def compare(benchmark: Any) -> Callable[..., Any]:
    """Time ``function`` after one warm-up call, and note what the summary needs."""

    def run(
        group: str,
        name: str,
        function: Callable[[], Any],
        units: float,
        quality: Callable[[Any], float],
        *,
        peer: bool = False,
        rounds: int = 5,
    ) -> Any:
        benchmark.group = group
        result = benchmark.pedantic(function, rounds=rounds, warmup_rounds=1)
        benchmark.extra_info.update(name=name, units=units, quality=float(quality(result)), peer=peer)
        return result

    return run


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print each group: seconds a unit, ratio to the peer, quality."""
    session = getattr(config, "_benchmarksession", None)
    rows = [b for b in getattr(session, "benchmarks", []) if "units" in b.extra_info]
    for group in dict.fromkeys(row.group for row in rows):
        members = [row for row in rows if row.group == group]
        seconds = {id(row): row.stats.min / row.extra_info["units"] for row in members}
        peers = [seconds[id(row)] for row in members if row.extra_info["peer"]]
        terminalreporter.section(group)
        terminalreporter.write_line(f"{'':40}{'best, a unit':>16}{'peer / this':>14}{'quality':>18}")
        for row in members:
            own = seconds[id(row)]
            ratio = f"{min(peers) / own:,.1f} x" if peers else ""
            terminalreporter.write_line(
                f"{row.extra_info['name']:40}{_seconds(own):>16}{ratio:>14}{row.extra_info['quality']:>18.6g}"
            )


def _seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * scale >= 1.0:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"
