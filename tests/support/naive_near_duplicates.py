"""Near duplicates by one matrix of all cosines and a loop, as one would write it down."""

import numpy as np


def naive_filter(new, existing, threshold):
    """Kept, neighbour and score of each new vector."""
    every = np.concatenate([existing, new]).astype(np.float64)
    lengths = np.linalg.norm(every, axis=1, keepdims=True)
    every = every / np.where(lengths > 0, lengths, 1)
    cosines = np.round(every @ every.T, 9)
    database = list(range(len(existing)))
    kept, neighbours, scores = [], [], []
    for number in range(len(existing), len(every)):
        best, score = -1, np.nan
        if database:
            best = database[int(cosines[number, database].argmax())]  # the first of several
            score = cosines[number, best]
        keep = not score > threshold
        if keep:
            database.append(number)
        kept.append(keep)
        neighbours.append(best)
        scores.append(score)
    return np.array(kept, bool), np.array(neighbours, np.int64), np.array(scores)


def vectors_with_near_duplicates(n_vectors, n_features, seed=0, share=0.3):
    """float32 rows of which some are copies of earlier ones with noise, some exact copies."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_vectors, n_features)).astype(np.float32)
    source = rng.integers(0, n_vectors, n_vectors)
    copied = (rng.random(n_vectors) < share) & (source < np.arange(n_vectors))
    noise = rng.choice([0.0, 0.3, 0.7, 1.0, 1.1, 1.6], n_vectors)[copied, None]
    rows[copied] = rows[source[copied]] + (noise * rng.standard_normal(rows[copied].shape)).astype(np.float32)
    return rows
