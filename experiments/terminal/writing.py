r"""The one way to the terminal: what could steer it, hidden in data, is shown as visible characters.

Names of clues, walls and files, templates and servers' words may hold escape sequences, which would colour
the screen, move the cursor or reorder letters. Everything that the command line prints goes through
``safe_streams``; what rich draws, through ``safe_console``. Both mask keys too. Files of
results hold the real text.

A control character is shown as ``\u001b``. In JSON that is the same character, so that JSON on a terminal
or in a pipe is as good as in a file.
"""

from __future__ import annotations

import errno
import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import UserError
from ...masking import masked

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


# C0 but newline, DEL and C1; the marks and embeddings that reorder letters; other line and paragraph ends;
# the byte order mark and the annotations, which hide letters.
_STEERS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)

# Stands before the escape sequences that this process makes itself, such as the bold of a table. No data can
# hold it, since it is drawn anew in each process.
_OWN = f"\x1b{secrets.token_hex(8)}"


def visible(text: str) -> str:
    r"""``text`` with its control characters as ``\u001b`` and the like; newlines stay."""
    return _STEERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def cell(text: str, style: str = "") -> Text:
    """A text from data for a table of rich, whose columns are then as wide as what is shown."""
    from rich.text import Text

    return Text(visible(text), style)


def own(rendered: str) -> str:
    """Text with the escape sequences of ``safe_console``, marked as such for ``SafeStream``."""
    return rendered.replace("\x1b", _OWN) if isinstance(sys.stdout, SafeStream) else rendered


class SafeStream:
    """A text stream in place of stdout or stderr; in all but ``write`` it is that stream."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def rich_proxied_file(self) -> Any:
        """Where rich writes, whose text ``safe_console`` has made safe."""
        return getattr(self._stream, "rich_proxied_file", self._stream)

    def write(self, text: str) -> int:
        """Write ``text``, visible and without keys."""
        length, text = len(text), masked(text)
        if _moves_a_bar(text):
            self._stream.write(text)
        else:
            # A bar of tqdm begins at the start of its line, where a carriage return hides nothing.
            start = "\r" if text.startswith("\r") else ""
            parts = map(visible, text.removeprefix(start).split(_OWN))
            self._stream.write(start + "\x1b".join(parts))
        return length

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line."""
        for line in lines:
            self.write(line)


class ClosedOutput:
    """A stdout that was closed before this process began: what is written to it is an OSError.

    In all but ``write`` it is the stream that stands in its place.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Fail, unless there is nothing to write."""
        if text:
            raise OSError(errno.EBADF, "standard output is closed")
        return 0


def _moves_a_bar(text: str) -> bool:
    """Whether tqdm, which the hub's client draws its bars with, moves the cursor to one of several bars."""
    bars = sys.modules.get("tqdm.std")
    return bars is not None and re.fullmatch(r"(\x1b\[A)+", text) is not None and bool(bars.tqdm._instances)


@contextmanager
def safe_streams() -> Iterator[None]:
    """Put a ``SafeStream`` in place of stdout and stderr, also above what took their place before."""
    with ExitStack() as stack:
        for name in ("stdout", "stderr"):
            before = getattr(sys, name)
            if isinstance(before, SafeStream):
                continue
            setattr(sys, name, SafeStream(before))
            stack.callback(setattr, sys, name, before)
        yield


def print_data(text: str) -> None:
    """Print what programs read, such as CSV: as it is but for keys, unless stdout is a terminal."""
    if sys.stdout.isatty():
        print(text)
    else:
        print(masked(text), file=getattr(sys.stdout, "rich_proxied_file", sys.stdout))


def safe_console(**options: Any) -> Console:
    """A console of rich that takes no word of a text for markup, and shows control characters."""
    from rich.console import Console
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=visible(masked(segment.text)))

    return SafeConsole(markup=False, emoji=False, highlight=False, **options)


_PREFIX = "fourfold: "
_WORD = 60  # letters of a word, such as a path, that stay as they are in a message that is too long
_GAP = " [...] "


def one_line(text: str, longest: int = UserError.longest) -> str:
    """``text`` in one line of at most ``longest`` letters.

    Of what is too long, long words lose their middle first, then the line does: what a message is about
    stands at its beginning, and what to do at its end.
    """
    text = masked(text)  # before its middle goes, by which a key would be known
    if len(text) > 100 * longest:  # a text of a billion letters takes no time either
        text = _without_middle(text, 50 * longest, "")
    line = " ".join(text.split())
    if len(line) > longest:
        line = " ".join(_without_middle(word, _WORD, "[...]") for word in line.split(" "))
    return _without_middle(line, longest, _GAP)


def tell(line: str, longest: int = UserError.longest) -> None:
    """A line on stderr that begins with the program's name, as ``one_line`` has it."""
    print(_PREFIX + one_line(line, longest - len(_PREFIX)), file=sys.stderr)


def _without_middle(text: str, longest: int, gap: str) -> str:
    if len(text) <= longest:
        return text
    left = longest - len(gap)
    end = left // 2
    return text[: left - end] + gap + text[len(text) - end :]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, as in 1 wall and 1,976 groups; ``plural`` is that of other nouns."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
