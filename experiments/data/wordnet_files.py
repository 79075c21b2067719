"""WordNet's files, by nltk's reader: the senses of a word, and the kinds of a thing.

They come from nltk's data, or from a folder of WordNet's own, such as Debian's /usr/share/wordnet. Nltk's
reader wants two files of both that tell nothing of what is needed here, so it gets stand-ins for them.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UserError
from .document import one_line
from .wordnet import Sense

if TYPE_CHECKING:
    from nltk.corpus.reader.wordnet import Synset

PARTS = ("noun", "verb", "adj", "adv")
FILES = tuple(name for part in PARTS for name in (f"index.{part}", f"data.{part}", f"{part}.exc"))
_PLACES = ("corpora/wordnet", "corpora/wordnet.zip/wordnet/")
_N_LEXNAMES = 45  # lexicographers' files; a synset has the number of its own


class WordNet:
    """Looks words up; the order of what it finds is WordNet's, or its own where WordNet has none.

    Parameters
    ----------
    folder
        A folder that holds `FILES`; None for nltk's data.

    Raises
    ------
    UserError
        If the files are not there, or are not WordNet's.

    """

    def __init__(self, folder: Path | None = None) -> None:
        self._root = _nltk_data() if folder is None else _checked(folder)
        self._opened: list[Any] = []
        with self._reading():
            self._reader = _reader(self._root, self._opened)
            if not self._reader.synsets("entity", pos="n"):
                raise LookupError("the root of its nouns is missing")

    def __enter__(self) -> WordNet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files, which nltk keeps open; nothing can be looked up after that."""
        for file in self._opened:
            file.close()

    @property
    def version(self) -> str:
        """As its files say, such as 3.0."""
        with self._reading():
            return str(self._reader.get_version() or "unknown")

    def senses(self, word: str) -> list[Sense]:
        """A word's senses of all parts of speech, its base forms' included; none if it is not there."""
        with self._reading():
            synsets = self._reader.synsets("_".join(word.split()))
            places = {(synset.pos(), synset.offset()): synset for synset in synsets}
            return [_sense(places[place]) for place in sorted(places)]

    def kinds(self, thing: str) -> tuple[Sense | None, list[str]]:
        """A noun's first sense, and the names of its kinds, of their kinds and so on.

        The names are sorted. One of several words, a proper name and one that first means another thing are
        left out.
        """
        with self._reading():
            synsets = self._reader.synsets("_".join(thing.split()), pos="n")
            if not synsets:
                return None, []
            names = {
                name
                for kind in synsets[0].closure(lambda synset: synset.hyponyms())
                if (name := kind.lemma_names()[0]).isalpha()
                and name.islower()
                and self._reader.synsets(name, pos="n")[0] == kind
            }
            return _sense(synsets[0]), sorted(names)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What nltk raises in here, and it declares nothing, says that the files are damaged."""
        try:
            yield
        except Exception as error:
            self.close()
            raise UserError(
                one_line(
                    f"{self._root}: got files that nltk cannot read ({type(error).__name__}: {error}),"
                    " expected WordNet's; fetch them again"
                )
            ) from error


def _sense(synset: Synset) -> Sense:
    names = [name.replace("_", " ") for name in synset.lemma_names()]
    # Where a gloss quotes somebody, nltk takes the quotation out and leaves what stood around it.
    definition = synset.definition().partition("; ;")[0].strip(" ;")
    return Sense(tuple(names), definition)


def _reader(root: Any, opened: list[Any]) -> Any:
    """The reader of the files in ``root``, by nltk; all that it opens is put into ``opened``."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc, unused-ignore]
        def open(self, file: str) -> Any:
            if file == "lexnames":
                return io.StringIO(
                    "".join(f"{number:02}\tfile{number}\t0\n" for number in range(_N_LEXNAMES))
                )
            opened.append(super().open(file))
            return opened[-1]

        def map_wn(self, version: str = "wordnet") -> None:
            """Other languages' WordNets are mapped by index.sense; there are none here."""

    if isinstance(root, Path):
        root = str(root)
        if root not in nltk.data.path:  # nltk opens nothing elsewhere
            nltk.data.path.append(root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other languages are not there
        return Reader(root, None)


def _nltk_data() -> Any:
    import nltk

    for place in _PLACES:
        try:
            return nltk.data.find(place)
        except LookupError:
            continue
    raise UserError(
        "WordNet's files are not there: fetch them with 'python -m nltk.downloader wordnet', or name a folder"
        " that holds them, as in --wordnet /usr/share/wordnet"
    )


def _checked(folder: Path) -> Path:
    folder = folder.expanduser().resolve()
    missing = [name for name in FILES if not (folder / name).is_file()]
    if len(missing) == len(FILES):
        got = "a folder without them" if folder.is_dir() else "no folder"
        raise UserError(
            one_line(
                f"--wordnet {folder}: got {got}, expected WordNet's files ({FILES[0]}, {FILES[1]} and so on);"
                " name the folder that holds them, as in /usr/share/wordnet"
            )
        )
    if missing:
        raise UserError(
            one_line(
                f"--wordnet {folder}: got a folder without {', '.join(missing)}, expected all of WordNet's"
                " files; fetch them again"
            )
        )
    return folder
