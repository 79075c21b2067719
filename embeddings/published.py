"""The models that have a name: where their makers offer them, where the user's cache has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..cache_folder import cache_folder
from ..errors import UserError


@dataclass(frozen=True, slots=True)
class Download:
    """One file on a server and what becomes of it.

    ``size`` and ``sha256`` are those of the file on the server, where they are known beforehand; else the
    first download's are noted beside the file and later ones are compared with them.
    """

    url: str
    file: str  # its name in the cache, after unpacking
    size: int | None = None
    sha256: str | None = None
    member: str | None = None  # the one file of a zip or tar archive that is kept, as ``file``

    @property
    def archive(self) -> str:
        """The name of the file as it is on the server."""
        return self.url.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Published:
    """A model in files, by the name that configurations and ``fourfold data get`` know it."""

    name: str
    title: str
    page: str
    downloads: tuple[Download, ...]
    kind: str = "word vectors"

    @property
    def folder(self) -> Path:
        """Where its files lie in the cache."""
        return cache_folder() / "vectors" / self.name

    def paths(self) -> tuple[Path, ...]:
        """Its files, in the order of the downloads, whether they are there or not."""
        return tuple(self.folder / download.file for download in self.downloads)

    def present_paths(self) -> tuple[Path, ...]:
        """Its files; UserError with the command that brings them if one is not there."""
        paths = self.paths()
        if not all(path.is_file() for path in paths):
            raise UserError(
                f"the {self.kind} {self.name} are not on this machine: get them with "
                f"'fourfold data get {self.name}', or name files of your own"
            )
        return paths


_FLAIR = "https://flair.informatik.hu-berlin.de/resources/embeddings/token/"
_ELMO = "https://s3-us-west-2.amazonaws.com/allennlp/models/elmo/2x4096_512_2048cnn_2xhighway_5.5B/"
_BPEMB = "https://nlp.h-its.org/bpemb/en/"


def _fasttext(name: str, title: str, stem: str) -> Published:
    """A fastText table as flair offers it, cut to its first million words; the paper's code took this one."""
    files = (stem, f"{stem}.vectors.npy")
    return Published(
        name,
        title,
        "https://fasttext.cc/docs/en/english-vectors.html",
        tuple(Download(_FLAIR + file, file) for file in files),
    )


PUBLISHED = {
    entry.name: entry
    for entry in (
        Published(
            "glove",
            "GloVe 6B, 400,000 words, 100 numbers each",
            "https://nlp.stanford.edu/projects/glove/",
            (
                Download(
                    "https://nlp.stanford.edu/data/glove.6B.zip",
                    "glove.6B.100d.txt",
                    size=862_182_613,
                    sha256="617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
                    member="glove.6B.100d.txt",
                ),
            ),
        ),
        _fasttext(
            "crawl", "fastText Common Crawl, 1,000,000 words, 300 numbers each", "en-fasttext-crawl-300d-1M"
        ),
        _fasttext("news", "fastText news, 1,000,000 words, 300 numbers each", "en-fasttext-news-300d-1M"),
        Published(
            "bpemb",
            "BPEmb English, 100,000 byte-pair pieces, 50 numbers each",
            "https://bpemb.h-its.org/",
            (
                Download(_BPEMB + "en.wiki.bpe.vs100000.model", "en.wiki.bpe.vs100000.model"),
                Download(
                    _BPEMB + "en.wiki.bpe.vs100000.d50.w2v.bin.tar.gz",
                    "en.wiki.bpe.vs100000.d50.w2v.bin",
                    member="en.wiki.bpe.vs100000.d50.w2v.bin",
                ),
            ),
        ),
        Published(
            "elmo",
            "ELMo, the model of 93.6 million weights trained on 5.5 billion words",
            "https://allenai.org/allennlp/software/elmo",
            tuple(
                Download(_ELMO + file, file)
                for file in (
                    "elmo_2x4096_512_2048cnn_2xhighway_5.5B_options.json",
                    "elmo_2x4096_512_2048cnn_2xhighway_5.5B_weights.hdf5",
                )
            ),
            kind="files of",
        ),
    )
}

TABLES = ("glove", "crawl", "news")  # those that have a vector a word


def word_path(name: str) -> Path:
    """The file of word vectors that a name means: a file of the user's, or a published table's.

    Raises
    ------
    UserError
        If there is no such file.

    """
    path = Path(name).expanduser()
    if path.is_file():
        return path
    if name in TABLES:
        return PUBLISHED[name].present_paths()[0]
    raise UserError(f"word vectors {name!r}: there is no such file, and no published table of that name: "
                    f"choose {', '.join(TABLES)} or a file of word vectors")  # fmt: skip


def byte_pair_paths(name: str) -> tuple[Path, Path]:
    """The sentencepiece model and the vectors of a BPEmb model: ``bpemb``, or a folder that holds both.

    Raises
    ------
    UserError
        If they are not there.

    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        models, vectors = sorted(folder.glob("*.model")), sorted(folder.glob("*.w2v.*"))
        if len(models) != 1 or len(vectors) != 1:
            raise UserError(
                f"BPEmb: expected one *.model and one *.w2v.bin or *.w2v.txt in {folder}, "
                f"found {len(models)} and {len(vectors)}"
            )
        return models[0], vectors[0]
    if name == "bpemb":
        model, table = PUBLISHED["bpemb"].present_paths()
        return model, table
    raise UserError(f"BPEmb {name!r}: there is no such folder: choose bpemb or a folder with a BPEmb model")
