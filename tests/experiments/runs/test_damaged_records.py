"""Records that are damaged somehow, beside whole ones; ``make soak`` does thousands of these."""

from collections import Counter

import damaged_records


def test_damaged_records_are_named_and_the_others_shown(tmp_path):
    counts = sum((damaged_records.trial(seed, tmp_path) for seed in range(12)), Counter())
    assert counts["trials"] == 12
    assert counts["left out"] >= 4
