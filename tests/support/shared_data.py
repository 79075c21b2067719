"""Where the data sets lie that the tests may read but the repository does not hold.

They are looked for in the folder `shared` beside the repository; FOURFOLD_SHARED names another folder.
"""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("FOURFOLD_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def shared_path(relative: str) -> Path:
    """The path of a shared file, or a skipped test that says which file is absent."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"{path} is absent; FOURFOLD_SHARED can name the folder that holds {relative}")
    return path


def ocw_2023_05() -> Path:
    """The 618 walls in the layout of May 2023."""
    return shared_path("data/ocw/onlyconnect_2023-05.json")
