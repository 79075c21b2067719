"""The counter-based generator against its published known answers."""

import naive_kmeans
import numpy as np
import pytest

from fourfold.kernels.rng import philox, uniform_pair

KNOWN_ANSWERS = [  # Random123's kat_vectors for philox4x32-10
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_known_answers(counter, key, answer):
    words = philox(*(np.uint64(c) for c in counter), *(np.uint64(k) for k in key))
    assert tuple(int(w) for w in words) == answer
    assert tuple(naive_kmeans.philox(counter, key)) == answer


def test_uniforms_are_even_and_do_not_repeat():
    draws = np.array(
        [uniform_pair(np.uint64(2**63 + 5), start, d) for start in range(50) for d in range(200)]
    )
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    assert len(np.unique(draws)) == draws.size
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    assert (
        (counts - draws.size / 20) ** 2 / (draws.size / 20)
    ).sum() < 45  # chi-squared, 19 d.f., p = 0.0007
    np.testing.assert_allclose(np.corrcoef(draws.T)[0, 1], 0.0, atol=0.04)


def test_seed_start_and_draw_all_matter():
    base = uniform_pair(np.uint64(1), 1, 1)
    changed = [(1 + 2**32, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1 + 2**32, 1), (1, 1, 2)]
    assert len({base, *(uniform_pair(np.uint64(a), b, c) for a, b, c in changed)}) == 6
