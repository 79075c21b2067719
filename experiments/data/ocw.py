"""The layout of the Only Connect Wall data set.

`{"season_to_walls_map": …, "dataset": [wall, …]}` in the official release and in the file of May 2023
alike. What the two do differently (shuffled `words`, the form of the group ids) does not matter here. This
file reads one wall; `readers.py` goes through a document.
"""

from collections import Counter

from .document import Node, brief, listed, shown
from .wall import GROUP_SIZE, N_CLUES, N_GROUPS, Group, Wall

GROUP_KEYS = tuple(f"group_{number}" for number in range(1, N_GROUPS + 1))


def read_ocw_wall(entry: Node) -> Wall:
    """One wall. Raise PlaceError if anything in it is wrong."""
    wall_id = entry.get("wall_id").text("an id")
    entry = entry.in_wall(f"wall {brief(wall_id)}")
    words = entry.get("words")
    clues = tuple(word.text("a clue") for word in words.items("clues", N_CLUES))
    groups = entry.get("groups")
    if sorted(keys := groups.keys(f"an object of {N_GROUPS} groups")) != sorted(GROUP_KEYS):
        groups.fail(listed(keys) or "no group", f"the keys {listed(GROUP_KEYS)}", "correct the keys")
    made = tuple(_group(groups.get(key)) for key in GROUP_KEYS)
    check_clues(words, clues, made)
    season, episode = entry.find("season"), entry.find("episode")
    return Wall(
        wall_id,
        clues,
        made,
        season=season.integer("a season", 0) if season else None,
        episode=episode.integer("an episode", 0) if episode else None,
    )


def _group(node: Node) -> Group:
    group_id = node.find("group_id")
    human = node.find("human_performance")
    return Group(
        clues=tuple(word.text("a clue") for word in node.get("gt_words").items("clues", GROUP_SIZE)),
        connection=node.get("gt_connection").text("a connection"),
        group_id=group_id.text("an id") if group_id else "",
        human_grouping=_found(human, "grouping"),
        human_connection=_found(human, "connection"),
    )


def _found(human: Node | None, key: str) -> int | None:
    result = human.find(key) if human else None
    return result.integer("a result", 0, 1) if result else None


def check_clues(words: Node, clues: tuple[str, ...], groups: tuple[Group, ...]) -> None:
    """Raise UserError unless the wall and its groups hold the same clues, repeated ones as often."""
    on_wall = Counter(clues)
    in_groups = Counter(clue for group in groups for clue in group.clues)
    surplus, missing = on_wall - in_groups, in_groups - on_wall
    if not surplus and not missing:
        return
    loose = ", ".join(shown(clue) for clue in surplus)
    wanted = ", ".join(shown(clue) for clue in missing)
    words.fail(
        f"{loose} where the groups have {wanted}", "the clues of the groups", "make the two spellings agree"
    )
