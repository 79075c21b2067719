"""Writes a figure to a file: whole or not at all, never over another unasked, the same bytes every time."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UserError
from ...whole_files import written_whole
from ..files.temporary_folder import try_writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What each format would write of the time and the program.
_UNSAID: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
ENDINGS = tuple(_UNSAID)


def check_target(out: Path, force: bool) -> None:
    """Raise UserError unless a figure can be written there; leave nothing behind."""
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        got = f"ends in {out.suffix}" if ending else "has no ending"
        near = get_close_matches(ending, ENDINGS, n=1, cutoff=0.7)
        hint = f"did you mean {out.with_suffix(near[0]).name}?" if near else f"end it in {', '.join(ENDINGS)}"
        raise UserError(f"--out {out} {got}, which is not a format of figures: {hint}")
    if out.is_dir():
        raise UserError(f"--out {out} is a folder: name a file in it")
    _check_free(out, force)
    if not out.parent.is_dir():
        raise UserError(f"--out {out} cannot be written, since {out.parent} is not a folder: make it first")
    try:
        try_writing(out.parent)
    except OSError as error:
        raise UserError(f"--out {out} cannot be written ({error.strerror}): choose another --out") from error


def save_figure(figure: Figure, out: Path, title: str, force: bool = False, dpi: int = 300) -> None:
    """Write the figure in the format of the file's ending; call it inside ``sheet.print_style``.

    Parameters
    ----------
    figure
        What to write.
    out
        Where, in a folder that is there.
    title
        What the file says of itself: what it shows, of which record.
    force
        Replace the file if it is there.
    dpi
        Dots an inch of a PNG.

    Raises
    ------
    UserError
        If the file is there already or cannot be written.

    """
    ending = out.suffix.lower()
    try:
        with written_whole(out) as part:
            figure.savefig(part, format=ending[1:], dpi=dpi, metadata={"Title": title, **_UNSAID[ending]})
            _check_free(out, force)
    except OSError as error:
        raise UserError(f"{out} cannot be written ({error.strerror}): choose another --out") from error


def _check_free(out: Path, force: bool) -> None:
    if out.exists() and not force:
        raise UserError(f"{out} is there already: choose another --out, or replace it with --force")
