"""Files of walls that are damaged somehow; ``make soak`` does thousands of these."""

from collections import Counter
from pathlib import Path

from damaged_walls import trial


def test_damaged_files_are_refused_in_one_line_or_read_with_their_own_clues(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(300):
        counts += trial(seed, tmp_path)
    assert counts["values read"] > 0
    assert counts["bytes read"] > 0
    assert counts["bytes refused"] > 0
    assert counts["left out"] > 0
