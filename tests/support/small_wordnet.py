"""A small WordNet for tests: files in WordNet's own format (wndb), made of a list of synsets."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SUFFIX = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
HEADER = "  1 WordNet 9.9 Copyright 2026 by no one at all  \n"


@dataclass(frozen=True)
class Made:
    """A synset; ``kind_of`` is the place in the list of what it is a kind of."""

    pos: str
    names: tuple[str, ...]
    gloss: str
    kind_of: int | None = None


ENTITY = Made("n", ("entity",), "that which is")
FURNITURE = [
    Made("n", ("furniture",), "what makes a room ready", 0),
    *(Made("n", (name,), f"a {name}", 1) for name in ("bed", "chair", "desk", "sofa", "stool")),
]


def write_wordnet(folder: Path, synsets: Sequence[Made] = (ENTITY, *FURNITURE)) -> Path:
    """Write the files and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets = [0] * len(synsets)
    for _ in range(2):  # offsets have eight digits, so that the second time nothing moves
        lines = {pos: [HEADER] for pos in SUFFIX}
        for place, synset in enumerate(synsets):
            offsets[place] = sum(len(line.encode()) for line in lines[synset.pos])
            lines[synset.pos].append(_line(synsets, place, offsets))
    for pos, suffix in SUFFIX.items():
        (folder / f"data.{suffix}").write_text("".join(lines[pos]), encoding="utf-8")
        (folder / f"{suffix}.exc").write_text("", encoding="utf-8")
        index: dict[str, list[int]] = {}
        for place, synset in enumerate(synsets):
            for name in synset.names if synset.pos == pos else ():
                index.setdefault(name.lower(), []).append(offsets[place])
        text = "".join(
            f"{name} {pos} {len(found)} 0 {len(found)} 0 {' '.join(f'{offset:08}' for offset in found)}  \n"
            for name, found in sorted(index.items())
        )
        (folder / f"index.{suffix}").write_text(HEADER + text, encoding="utf-8")
    return folder


def _line(synsets: Sequence[Made], place: int, offsets: Sequence[int]) -> str:
    synset = synsets[place]
    pointers = [("@", synset.kind_of)] if synset.kind_of is not None else []
    pointers += [("~", kind) for kind, other in enumerate(synsets) if other.kind_of == place]
    words = " ".join(f"{name} 0" for name in synset.names)
    links = "".join(f" {symbol} {offsets[to]:08} {synsets[to].pos} 0000" for symbol, to in pointers)
    frames = " 01 + 02 00" if synset.pos == "v" else ""
    head = f"{offsets[place]:08} 03 {synset.pos} {len(synset.names):02x} {words}"
    return f"{head} {len(pointers):03}{links}{frames} | {synset.gloss}  \n"
