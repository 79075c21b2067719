"""The layout of the archives of the New York Times's Connections.

A list of `{"id", "date", "answers": [{"level", "group", "members": [four words]}, …]}`. The archives do
not keep the order in which the puzzle shows its words, so a wall's clues follow its groups.
"""

from .document import Node, one_line
from .wall import GROUP_SIZE, N_GROUPS, Group, Wall


def read_nyt(root: Node) -> list[Wall]:
    """The walls of one document. Raise UserError if anything in it is wrong."""
    return [
        _wall(entry.in_wall(f"wall number {number}"))
        for number, entry in enumerate(root.items("puzzles"), start=1)
    ]


def _wall(entry: Node) -> Wall:
    wall_id = entry.get("id").text("an id")
    entry = entry.in_wall(f"wall {one_line(wall_id)}")
    answers = entry.get("answers").items("groups", N_GROUPS)
    groups = tuple(_group(answer, f"{wall_id}_{number:02}") for number, answer in enumerate(answers, start=1))
    return Wall(wall_id, tuple(clue for group in groups for clue in group.clues), groups)


def _group(answer: Node, group_id: str) -> Group:
    if level := answer.find("level"):
        level.integer("a level (-1 where it is unknown)", -1, N_GROUPS - 1)
    members = answer.get("members").items("clues", GROUP_SIZE)
    return Group(
        clues=tuple(member.text("a clue") for member in members),
        connection=answer.get("group").text("a connection"),
        group_id=group_id,
    )
