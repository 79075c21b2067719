"""OCW-Randomized: walls put together from the groups of four walls each, so that red herrings are rare.

For the same seed and walls these are the walls of the paper's script (appendix C.1.1): what is drawn from
Python's generator, and in which order, is the script's.
"""

import random
from collections.abc import Sequence

from ..terminal.writing import counted
from .derived import MakingError, RawWall
from .document import Json, one_line
from .ocw import GROUP_KEYS
from .wall import N_GROUPS

KEPT, *DRAWN = GROUP_KEYS
_PATIENCE = 100  # draws that come to nothing before it is checked that there is something to draw


def randomize(walls: Sequence[RawWall], seed: int) -> list[RawWall]:
    """New walls, as many and with the same ids; each keeps its first group.

    Groups 2, 3 and 4 are drawn, one after the other, from groups 2 to 4 of walls that are not in the new
    wall yet. A group is used once, and shares no clue with those before it in the new wall. Its connection
    and human performance come along, and the new wall's clues are shuffled.

    Parameters
    ----------
    walls
        As JSON objects of the Only Connect Wall data set, as `read_document` gives them, each id once.
    seed
        Of Python's generator. Its draws are the same on every platform.

    Raises
    ------
    MakingError
        If nothing is left to draw: too few walls, or this seed's earlier draws leave no group that fits.

    """
    if len(walls) < N_GROUPS:
        raise MakingError(
            f"got {counted(len(walls), 'wall')}, expected at least {N_GROUPS}; a new wall is made of groups"
            f" of {N_GROUPS} different ones"
        )
    generator = random.Random(seed)
    by_id = {str(wall["wall_id"]): wall for wall in walls}
    ids = sorted(by_id)
    groups_of = {
        wall_id: [(_identity(wall, key), group) for key, group in wall["groups"].items() if key != KEPT]
        for wall_id, wall in by_id.items()
    }
    used: set[str] = set()
    made = []
    for wall in walls:
        groups = dict(wall["groups"])
        left = [wall_id for wall_id in ids if wall_id != wall["wall_id"]]
        seen = set(groups[KEPT]["gt_words"])
        for key in DRAWN:
            tries = 0
            while True:
                wall_id = generator.choice(left)
                identity, group = generator.choice(groups_of[wall_id])
                if identity not in used and seen.isdisjoint(group["gt_words"]):
                    break
                tries += 1
                if tries == _PATIENCE and not any(
                    identity not in used and seen.isdisjoint(group["gt_words"])
                    for wall_id in left
                    for identity, group in groups_of[wall_id]
                ):
                    raise MakingError(
                        one_line(
                            f"wall {wall['wall_id']}, {key}: got no group to draw (of the groups of"
                            f" {len(walls)} walls, each may be used once), expected one of another wall"
                            f" that shares no clue with it; try another seed than {seed}, or give more walls"
                        )
                    )
            left.remove(wall_id)
            used.add(identity)
            seen.update(group["gt_words"])
            groups[key] = group
        made.append(_wall(wall, groups, generator))
    return made


def _identity(wall: RawWall, key: str) -> str:
    """What tells a group from all others: its id, or its place where it has none."""
    group_id = wall["groups"][key].get("group_id")
    return f"id {group_id}" if group_id is not None else f"place {key} {wall['wall_id']}"


def _wall(wall: RawWall, groups: dict[str, RawWall], generator: random.Random) -> RawWall:
    words: list[Json] = [clue for group in groups.values() for clue in group["gt_words"]]
    generator.shuffle(words)
    made = {**wall, "words": words, "groups": groups}
    if "gt_connections" in wall:
        made["gt_connections"] = [group["gt_connection"] for group in groups.values()]
    if "overall_human_performance" in wall:
        results = [group.get("human_performance") or {} for group in groups.values()]
        made["overall_human_performance"] = {
            "grouping": [result.get("grouping") for result in results],
            "connections": [result.get("connection") for result in results],
        }
    return made
