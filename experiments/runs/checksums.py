"""What a record's files held when they were written, so that one which is damaged in any byte is noticed.

The file is as ``sha256sum`` writes it, and ``sha256sum -c files.sha256`` checks it. Records of before it was
written have none, and are read as they are.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath

from ..files.temporary_folder import to_disk

CHECKSUMS = "files.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")


def write_checksums(folder: Path) -> None:
    """Write down what every file in the new folder of a record holds."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS)
    lines = [f"{_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    with (folder / CHECKSUMS).open("wb") as file:
        file.write("".join(lines).encode())
        to_disk(file)


def check_files(folder: Path) -> None:
    """Raise ValueError where a file of a record is missing or does not hold what was written.

    OSError where one cannot be read.
    """
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    except ValueError as error:
        raise ValueError(f"{CHECKSUMS} is not as it was written") from error
    for line in lines:
        entry = _LINE.fullmatch(line)
        if entry is None or ".." in PurePosixPath(entry[2]).parts or PurePosixPath(entry[2]).is_absolute():
            raise ValueError(f"{CHECKSUMS} is not as it was written")
        try:
            digest = _digest(folder / entry[2])
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ValueError(f"{entry[2]} is missing") from error
        if digest != entry[1]:
            raise ValueError(f"{entry[2]} is not as it was written")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
