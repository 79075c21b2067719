"""A slow oracle of the randomized walls: every draw looks at everything again, in plain Python."""

import copy
import random
from typing import Any


def naive_randomized(
    walls: list[dict[str, Any]], seed: int, patience: int = 3000
) -> list[dict[str, Any]] | None:
    """The new walls; None after as many draws that came to nothing, where the paper's loop would go on."""
    donors = {wall["wall_id"]: wall for wall in walls}
    random.seed(seed)
    new = copy.deepcopy(walls)
    taken: list[str] = []
    for wall in new:
        homes = [wall["wall_id"]]
        for number in (2, 3, 4):
            group = None
            for _ in range(patience):
                home = random.choice(sorted(set(donors) - set(homes)))
                drawn = random.choice(list(donors[home]["groups"].values())[1:])
                earlier = [wall["groups"][f"group_{before}"]["gt_words"] for before in range(1, number)]
                clash = any(clue in words for clue in drawn["gt_words"] for words in earlier)
                if drawn["group_id"] not in taken and not clash:
                    group = drawn
                    break
            if group is None:
                return None
            homes.append(home)
            taken.append(group["group_id"])
            wall["groups"][f"group_{number}"] = group
        groups = [wall["groups"][f"group_{number}"] for number in (1, 2, 3, 4)]
        wall["words"] = [clue for group in groups for clue in group["gt_words"]]
        random.shuffle(wall["words"])
        wall["gt_connections"] = [group["gt_connection"] for group in groups]
        wall["overall_human_performance"] = {
            "grouping": [group["human_performance"]["grouping"] for group in groups],
            "connections": [group["human_performance"]["connection"] for group in groups],
        }
    return new
