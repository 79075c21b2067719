"""The two layouts of the New York Times's Connections; this file reads one puzzle of either.

Archives have `{"id", "date", "answers": [{"level", "group", "members": [four words]}, …]}`. They do not keep
the order in which the puzzle shows its words, so a wall's clues follow its groups.

The newspaper itself (version 2) has `{"id", "print_date", "categories": [{"title", "cards": [{"content",
"position"}, …]}, …]}`, where a card that is a picture has "image_alt_text" in place of "content".
"""

from .document import Node, Number, brief
from .wall import GROUP_SIZE, N_CLUES, N_GROUPS, Group, Wall


def read_nyt_wall(entry: Node) -> Wall:
    """One puzzle in either layout. Raise PlaceError if anything in it is wrong."""
    keys = entry.keys("a puzzle as an object")
    return _newspaper_wall(entry) if "categories" in keys and "answers" not in keys else _archive_wall(entry)


def _archive_wall(entry: Node) -> Wall:
    wall_id = entry.get("id").text("an id")
    entry = entry.in_wall(f"wall {brief(wall_id)}")
    answers = entry.get("answers").items("groups", N_GROUPS)
    groups = tuple(
        _archive_group(answer, f"{wall_id}_{number:02}") for number, answer in enumerate(answers, start=1)
    )
    return Wall(wall_id, tuple(clue for group in groups for clue in group.clues), groups)


def _archive_group(answer: Node, group_id: str) -> Group:
    if level := answer.find("level"):  # archives count from 0 or from 1
        level.integer("a level (-1 where it is unknown)", -1, N_GROUPS)
    members = answer.get("members").items("clues", GROUP_SIZE)
    return Group(
        clues=tuple(member.text("a clue") for member in members),
        connection=answer.get("group").text("a connection"),
        group_id=group_id,
    )


def _newspaper_wall(entry: Node) -> Wall:
    named = entry.find("id") or entry.find("print_date") or entry.get("id")
    wall_id = named.text("an id")
    entry = entry.in_wall(f"wall {brief(wall_id)}")
    groups, places = [], []
    for number, category in enumerate(entry.get("categories").items("groups", N_GROUPS), start=1):
        cards = category.get("cards").items("clues", GROUP_SIZE)
        clues = tuple(_card_text(card) for card in cards)
        groups.append(Group(clues, category.get("title").text("a connection"), f"{wall_id}_{number:02}"))
        places += [card.find("position") for card in cards]
    return Wall(wall_id, _as_shown([clue for group in groups for clue in group.clues], places), tuple(groups))


def _card_text(card: Node) -> str:
    """What a card says, or what its picture shows."""
    content, picture = card.find("content"), card.find("image_alt_text")
    if picture is not None and (
        content is None or (isinstance(content.value, str) and not content.value.strip())
    ):
        return picture.text("a clue")
    return card.get("content").text("a clue")


def _as_shown(clues: list[str], places: list[Node | None]) -> tuple[str, ...]:
    """The clues by their places on the wall, where the file has each place once."""
    numbers = [place.value if place and isinstance(place.value, Number) else "" for place in places]
    where = dict(zip(numbers, clues, strict=True))
    try:
        return tuple(where[str(place)] for place in range(N_CLUES))
    except KeyError:
        return tuple(clues)
