"""A model of the Hugging Face hub: from the local cache if it is there, else downloaded.

The client's own downloads try again for a minute where there is no network. Here the hub is asked once,
so that an unknown name is an error within seconds, and a model in the cache never waits for the network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import UserError
from .extras import require
from .model_folder import missing_file, needed
from .sentence_modules import LISTING, read_recipe

_SECONDS = 10.0  # for the one question


def hub_folder(name: str, revision: str | None, also: Iterable[str] = ()) -> Path:
    """The folder of the model ``name`` in the hub's cache; its last part is the commit.

    ``also`` has patterns of files that are downloaded beside those that an encoder needs.

    Raises
    ------
    UserError
        If the model is unknown, cannot be had, or is not a transformers model.

    """
    require("huggingface_hub")
    from huggingface_hub import snapshot_download, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(name, "config.json", revision=revision)
    except HFValidationError as error:
        if Path(name).expanduser().is_file():
            raise UserError(
                f"model {name!r} is a file: expected a hub id or the folder of a model; a file of word "
                "vectors is for 'fourfold run model=glove model.name=FILE'"
            ) from error
        raise UserError(
            f"model {name!r}: there is no such folder, and it is not a hub id such as intfloat/e5-base-v2"
        ) from error
    also = tuple(also)
    here = None
    if isinstance(cached, str) and missing_file(Path(cached).parent) is None:
        here = Path(cached).parent
        if _has_modules(here, also, try_to_load_from_cache(name, LISTING, revision=revision)):
            return here
    try:
        listing = _listing(name, revision)
    except UserError as error:
        if here is None:
            raise
        raise UserError(
            f"model {name!r}: what the hub's cache holds of it does not say how its tokens become a vector, "
            "and the hub does not answer: connect once, or say it, as in model.pooling=mean"
        ) from error
    if here is not None and LISTING not in listing:
        return here
    wanted = needed(listing, also)
    try:
        # By revision, not by the commit just seen: this is what makes the cache know the branch or tag.
        with _no_bars_in_a_pipe():
            folder = Path(snapshot_download(name, revision=revision, allow_patterns=wanted))
    except Exception as error:  # of the network, the disk or the client
        raise UserError(
            f"model {name!r}: the download from the hub stopped ({type(error).__name__}): "
            "start it again to go on, or name a folder that holds the model"
        ) from error
    missing = missing_file(folder)
    if missing:
        raise UserError(
            f"model {name!r}: its repository on the hub has no {missing}: "
            "choose a model that transformers can load"
        )
    return folder


def _listing(name: str, revision: str | None) -> list[str]:
    """The files of a repository on the hub."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        info = HfApi().model_info(name, revision=revision, timeout=_SECONDS)
    except GatedRepoError as error:
        raise UserError(
            f"model {name!r} is gated: accept its terms on the hub and log in with 'hf auth login', "
            "or name a folder that holds the model"
        ) from error
    except RevisionNotFoundError as error:
        raise UserError(
            f"model {name!r} has no revision {revision!r} on the hub: "
            "expected a branch, a tag or a full commit"
        ) from error
    except RepositoryNotFoundError as error:
        raise UserError(
            f"model {name!r} is unknown: there is no such folder and no public model of that id on the hub "
            "(if it is private, log in with 'hf auth login')"
        ) from error
    except Exception as error:  # offline, time-out, proxy: the classes differ between the client's versions
        at = "" if revision is None else f" at revision {revision!r}"
        raise UserError(
            f"model {name!r}{at}: there is no such folder, the hub's cache on this machine does not hold it, "
            "and the hub cannot be reached: connect once to download it, or name a folder that holds it"
        ) from error
    return [file.rfilename for file in info.siblings or []]


def _has_modules(folder: Path, also: Iterable[str], listed: object) -> bool:
    """Whether a folder of the hub's cache holds the files of a sentence-transformers model, or needs none.

    ``listed`` is what the cache knows of their list: a path, or that the hub has none, or nothing.
    """
    if LISTING not in also or not isinstance(listed, str):
        return LISTING not in also or listed is not None
    try:
        read_recipe(folder)
    except UserError:
        return False
    return True


@contextmanager
def _no_bars_in_a_pipe() -> Iterator[None]:
    bars: Any = import_module("huggingface_hub.utils")
    if sys.stderr.isatty() or bars.are_progress_bars_disabled():
        yield
        return
    bars.disable_progress_bars()
    try:
        yield
    finally:
        bars.enable_progress_bars()
