"""Walls whose groups any encoder would find, and an encoder that needs no model."""

from typing import Any

import numpy as np

N_WALLS = 3


class LetterEncoder:
    """Clues such as ``b3`` lie close together where their letters are the same."""

    name = "letters"

    def __init__(self, letters: str = "abcd") -> None:
        self.letters = letters
        self.calls: list[list[str]] = []

    def encode(self, texts, progress=None):
        self.calls.append(list(texts))
        if progress is not None:
            progress(len(texts), len(texts))
        return self.vectors(texts)

    def vectors(self, texts):
        vectors = np.zeros((len(texts), 5), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row, self.letters.index(text[-2])] = 10
            vectors[row, 4] = int(text[-1])
        return vectors

    def describe(self):
        return {"name": self.name, "device": "cpu"}


class DigitEncoder(LetterEncoder):
    """Clues such as ``b3`` lie close together where their digits are the same."""

    name = "digits"

    def vectors(self, texts):
        return np.eye(5, dtype=np.float32)[[int(text[-1]) for text in texts]]


class WallReader(LetterEncoder):
    """As ``LetterEncoder``, but a clue's vector also depends on where in its wall's order the clue stands."""

    name = "letters in context"
    encode = None

    def encode_in_context(self, walls, progress=None):
        self.calls.append([list(wall) for wall in walls])
        vectors = np.stack([self.vectors(wall) for wall in walls])
        vectors[:, :, 4] += np.arange(vectors.shape[1])
        if progress is not None:
            progress(0, len(walls))
            progress(len(walls), len(walls))
        return vectors


def walls_document(n_walls: int = N_WALLS) -> dict[str, Any]:
    walls = []
    for number in range(n_walls):
        prefix = f"w{number}"
        groups = {letter: [f"{prefix}{letter}{n}" for n in range(1, 5)] for letter in "abcd"}
        groups["a"][0] = "a1"  # a clue that all walls share
        clues = [clue for group in groups.values() for clue in group]
        walls.append(
            {
                "wall_id": f"wall-{number}",
                "season": 1,
                "episode": number,
                "words": [clues[(5 * place + 2) % 16] for place in range(16)],
                "gt_connections": [f"All {letter}" for letter in groups],
                "groups": {
                    f"group_{place}": {
                        "group_id": f"wall-{number}_{place}",
                        "gt_words": words,
                        "gt_connection": f"All {letter}",
                        "human_performance": {"grouping": int(number > 0), "connection": 0},
                    }
                    for place, (letter, words) in enumerate(groups.items(), start=1)
                },
                "overall_human_performance": {"grouping": [1] * 4, "connections": [0] * 4},
            }
        )
    return {"season_to_walls_map": {"1": n_walls}, "dataset": walls}
