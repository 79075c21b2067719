"""Downloads of published files: resumed where they stopped, checked, unpacked, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from .. import __version__
from ..cache_folder import VARIABLE
from ..errors import UserError
from ..whole_files import locked, written_whole
from .published import Download

Update: TypeAlias = Callable[[int, int | None], None]
"""Called with how many bytes are there and how many there will be, where the server says so."""

TRIES = 5  # in a row that bring nothing
PAUSE = 1.0  # seconds before the second try, then twice as long each time
_TIMEOUT = 30.0
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of a file in the cache; it lies beside the file as JSON."""

    url: str
    size: int  # of the file as it lies there
    sha256: str
    downloaded_size: int  # of the file as the server has it
    downloaded_sha256: str
    date: str


def fetch(download: Download, folder: Path, update: Update | None = None) -> tuple[Path, Note]:
    """Bring one file into ``folder``, unless it is there, and return it with what is known of it.

    A file that is there is compared with its note. An archive that the user has put into the folder is
    checked and unpacked like a downloaded one.

    Raises
    ------
    UserError
        If the file cannot be had or is not what it should be; what to do instead is in the text.

    """
    target = _writable(folder) / download.file
    with locked(folder / f".{download.file}.lock"):
        if target.is_file():
            return target, _compare(download, target)
        archive = folder / download.archive
        brought = not archive.is_file()
        if brought:
            _transfer(download, archive, target, update)
        size, digest = archive.stat().st_size, _sha256(archive)
        _check(download, archive, size, digest)
        if download.member is not None:
            _unpack(archive, download.member, target)
        note = _write_note(download, target, size, digest)
        if brought and archive != target:
            archive.unlink()
        return target, note


def _writable(folder: Path) -> Path:
    """``folder``, made if need be; UserError if it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise UserError(
            f"the cache folder {folder} cannot be written to ({error.strerror}): "
            f"name another with the environment variable {VARIABLE}"
        ) from error
    return folder


def by_hand(download: Download, folder: Path) -> str:
    """What to do where the server cannot be reached."""
    size = "" if download.size is None else f" ({megabytes(download.size)})"
    return (
        f"fetch {download.url}{size} on a machine that reaches it, put it into {folder} "
        "and run this command again"
    )


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def note_path(target: Path) -> Path:
    """Where the note of a file lies."""
    return target.with_name(f"{target.name}.json")


def _transfer(download: Download, archive: Path, target: Path, update: Update | None) -> None:
    """Download into ``ARCHIVE.part``, going on where an earlier try stopped, then give it its name."""
    part = archive.with_name(f"{archive.name}.part")
    idle = tries = 0
    while True:
        lost = 1
        before = part.stat().st_size if part.exists() else 0
        try:
            if _receive(download, part, update):
                break
            reason = "the connection was cut"
        except HTTPError as error:
            if error.code < 500:
                raise UserError(
                    f"{download.url}: the server answers {error.code} {error.reason}: if the file has moved, "
                    + by_hand(download, archive.parent)
                ) from error
            reason = f"the server answers {error.code} {error.reason}"
        except (OSError, HTTPException) as error:
            reason = _reason(error)
            if isinstance(error, URLError):
                lost = 2  # nobody answers, which is seldom over in a moment
        here = part.stat().st_size if part.exists() else 0
        tries = 0 if here > before else tries + 1
        idle = 0 if here > before else idle + lost
        if idle >= TRIES:
            kept = f"{megabytes(here)} are kept, start again to go on; or " if here else ""
            raise UserError(
                f"{download.url} cannot be had ({reason}): {kept}" + by_hand(download, archive.parent)
            )
        time.sleep(PAUSE * 2 ** (tries - 1) if tries else 0)
    _validator_path(part).unlink(missing_ok=True)
    part.replace(archive)


def _receive(download: Download, part: Path, update: Update | None) -> bool:
    """One connection; whether the whole file is there after it."""
    have = part.stat().st_size if part.exists() else 0
    validator = _validator(part)
    if have and not validator and download.sha256 is None:
        have = 0  # nothing would tell that the two halves are of one file
    headers = {"User-Agent": f"fourfold/{__version__}", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if validator:
            headers["If-Range"] = validator  # else the whole file comes, should it be another by now
    try:
        answer: Any = urlopen(Request(download.url, headers=headers), timeout=_TIMEOUT)
    except HTTPError as error:
        error.close()
        if error.code != 416:
            raise
        if have in (download.size, _total(error.headers.get("Content-Range"))):
            return True  # all of it was there
        part.unlink()
        return False
    with answer:
        if answer.status != 206:
            have = 0
        elif not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            part.unlink()
            raise HTTPException("the server sent another part than it was asked for")
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length is not None else download.size
        with _disk(part):
            _check_room(part, total, have)
            etag = answer.headers.get("ETag", "")
            strong = "" if etag.startswith("W/") else etag  # a weak one is no promise of equal bytes
            _validator_path(part).write_text(strong or answer.headers.get("Last-Modified", ""))
            file = part.open("ab" if have else "wb")
        with file:
            while block := answer.read(_BLOCK):
                with _disk(part):
                    file.write(block)
                have += len(block)
                if update is not None:
                    update(have, total)
            with _disk(part):
                file.flush()
                os.fsync(file.fileno())
    return total is None or have >= total


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{path} cannot be written ({error.strerror or error}): make room, or name another cache folder "
            "with the environment variable FOURFOLD_CACHE"
        ) from error


def _total(content_range: str | None) -> int | None:
    """How long the server says the whole file is, from ``bytes */1234``."""
    total = (content_range or "").rpartition("/")[2]
    return int(total) if total.isdigit() else None


def _validator_path(part: Path) -> Path:
    """Holds what names the version of a file in part: its ETag or its date."""
    return part.with_name(f"{part.name}.version")


def _validator(part: Path) -> str:
    try:
        return _validator_path(part).read_text()
    except (OSError, ValueError):
        return ""


def _check_room(part: Path, total: int | None, have: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if total is not None and total - have > free:
        raise UserError(
            f"{part.parent} has {megabytes(free)} left and {megabytes(total - have)} are still to come: make "
            "room, or name another cache folder with the environment variable FOURFOLD_CACHE"
        )


def _check(download: Download, archive: Path, size: int, digest: str) -> None:
    if download.size not in (None, size):
        fault = f"it is {size:,} bytes long, expected {download.size:,}"
    elif download.sha256 not in (None, digest):
        fault = f"its SHA-256 is {digest}, expected {download.sha256}"
    else:
        return
    archive.unlink()
    raise UserError(
        f"{download.archive} is not the published file ({fault}) and was removed: run this command again; "
        f"if that does not help, {by_hand(download, archive.parent)}"
    )


def _compare(download: Download, target: Path) -> Note:
    """The note of a file that is there; made now where a user put the file there."""
    digest = _sha256(target)
    try:
        note = Note(**json.loads(note_path(target).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        if download.member is None:
            _check(download, target, target.stat().st_size, digest)
        return _write_note(download, target, target.stat().st_size, digest)
    if note.sha256 != digest:
        raise UserError(
            f"{target} has changed since it was put there on {note.date} (its SHA-256 is {digest}, it was "
            f"{note.sha256}): delete it and run this command again, or, to keep it, delete "
            f"{note_path(target).name}"
        )
    return note


def _write_note(download: Download, target: Path, size: int, digest: str) -> Note:
    own = _sha256(target) if download.member is not None else digest
    date = datetime.now(UTC).date().isoformat()
    note = Note(download.url, target.stat().st_size, own, size, digest, date)
    with written_whole(note_path(target)) as part:
        part.write_text(json.dumps(asdict(note), indent=1) + "\n", encoding="utf-8")
    return note


def _unpack(archive: Path, member: str, target: Path) -> None:
    """Take one file out of a zip or tar archive, found by the last part of its name."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped, zipped.open(_one(zipped.namelist(), member)) as source:
                _copy(source, target)
        else:
            with tarfile.open(archive) as tarred:
                source_file = tarred.extractfile(_one(tarred.getnames(), member))
                if source_file is None:
                    raise ValueError(f"{member} is not a file")
                with source_file:
                    _copy(source_file, target)
    except UserError:
        raise
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error) as error:
        raise UserError(
            f"{archive} cannot be unpacked ({_reason(error)}): delete it and run this command again"
        ) from error


def _one(names: list[str], member: str) -> str:
    matching = [name for name in names if name.rpartition("/")[2] == member]
    if len(matching) != 1:
        raise ValueError(f"expected one {member} in it, found {len(matching)}")
    return matching[0]


def _copy(source: IO[bytes], path: Path) -> None:
    with written_whole(path) as part:
        with _disk(path):
            file = part.open("wb")
        with file:
            while block := source.read(_BLOCK):
                with _disk(path):
                    file.write(block)
            with _disk(path):
                file.flush()


def _sha256(path: Path) -> str:
    """Read from the disk each time, unlike ``file_hash``: this is where a file is checked."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _reason(error: Exception) -> str:
    said = getattr(error, "reason", None) or error
    text = " ".join(str(said).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
