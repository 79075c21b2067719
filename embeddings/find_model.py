"""From a model's name to its files on this machine. Nothing is loaded here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import UserError
from .hub import hub_folder
from .model_folder import digests, missing_file
from .packaged import PREFIX, packaged_folder


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's files are, and where they came from."""

    name: str
    source: Literal["packaged", "folder", "hub"]
    folder: Path
    commit: str | None = None  # the hub's commit; None elsewhere

    def digests(self, also: Iterable[str] = ()) -> dict[str, str]:
        """SHA-256 (hex) of each file that the vectors depend on, by name, and of those that ``also`` has."""
        return digests(self.folder, also)


def find_model(name: str, revision: str | None = None, also: Iterable[str] = ()) -> ModelFiles:
    """Find the files of the model ``name``; a hub model that is not in the cache is downloaded.

    Parameters
    ----------
    name
        ``packaged:NAME``, a folder, or a hub id such as ``intfloat/e5-base-v2``; a folder comes first.
    revision
        Branch, tag or commit of a hub model. By default its main branch, as the cache knows it.
    also
        Patterns of files to bring beside those that an encoder needs, where a hub model has them.

    Raises
    ------
    UserError
        If there is no such model, if it cannot be had, or if files are missing.

    """
    folder = Path(name).expanduser()
    if name.startswith(PREFIX):
        files = ModelFiles(name, "packaged", packaged_folder(name))
    elif folder.is_dir():
        files = ModelFiles(name, "folder", folder)
    else:
        folder = hub_folder(name, revision, also)
        return ModelFiles(name, "hub", folder, commit=folder.name)
    if revision is not None:
        raise UserError(f"model {name!r} has no revision {revision!r}: only models of the hub have revisions")
    missing = missing_file(files.folder)
    if missing:
        raise UserError(
            f"model {name!r}: the folder {files.folder.absolute()} has no {missing}: "
            "name a folder that a transformers model and its tokenizer were saved to"
        )
    return files
