"""A SQLite file in the user's cache that several processes share: trouble with it costs time, no result.

A file that cannot be used is done without, and one line says so. Of a damaged one, all rows that can still be
read go into a new file. SQLite notices damage to its own structure only: a row needs a checksum, which its
reader compares. Each use opens the file anew, so that threads and forked processes need not know of each
other, and a process that waits keeps no file open. The journal is the plain one and not WAL, so that a store
in a read-only folder can still be read.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from .errors import reason
from .whole_files import locked, new_name

Made = TypeVar("Made")
Work = Callable[[sqlite3.Connection], Made]

_PATIENCE = 20.0  # seconds to wait for another process that writes
# Large pages: a vector of 1,024 numbers fits into one, and thousands are read in half the time of 4 KiB.
_PAGE = 32_768
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}  # the last: no such table


@dataclass(frozen=True, slots=True)
class Layout:
    """What is in a store, and how its troubles are worded.

    Parameters
    ----------
    version
        Of the tables. A file of a later one is left alone.
    tables
        The definition of each table by its name.
    holds
        What the rows are, such as "vectors".
    unread, unwritten
        What follows where they cannot be read, and where they cannot be written.

    """

    version: int
    tables: dict[str, str]
    holds: str
    unread: str
    unwritten: str


@dataclass
class Store:
    """The rows in ``path``; ``say`` is called with each line of words, by default printed to stderr."""

    path: Path
    layout: Layout
    say: Callable[[str], None] = field(default=lambda line: print(line, file=sys.stderr))
    _said: set[str] = field(default_factory=set, init=False)
    _busy: bool = field(default=False, init=False)  # for so long that nobody waits again

    def read(self, work: Work[Made], otherwise: Made) -> Made:
        """What ``work`` makes of the open file; ``otherwise`` where there is none that can be used."""
        try:
            there = self.path.exists()
        except OSError:
            there = True  # opening it says why not
        return self._used(work, otherwise, writing=False) if there else otherwise

    def write(self, work: Work[Made], otherwise: Made) -> Made:
        """The same in one transaction of writing, in a file that is made if need be."""
        return self._used(work, otherwise, writing=True)

    def _used(self, work: Work[Made], otherwise: Made, writing: bool) -> Made:
        if self._busy:
            return otherwise
        for attempt in range(2):
            try:
                return self._open_for(work, writing)
            except _LaterVersionError:
                self._refuse(f"{self.path} is of a later version of fourfold", writing)
                return otherwise
            except (sqlite3.Error, OSError) as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if code in _DAMAGE and attempt == 0 and self._make_anew(error):
                    continue
                self._busy |= code == sqlite3.SQLITE_BUSY
                do = f"store {self.layout.holds} in" if writing else f"read the {self.layout.holds} in"
                self._refuse(f"cannot {do} {self.path} ({_said(error)})", writing)
                return otherwise
        return otherwise

    def _refuse(self, what: str, writing: bool) -> None:
        self._once(f"{what}: {self.layout.unwritten if writing else self.layout.unread}")

    def _once(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self.say(line)

    def _open_for(self, work: Work[Made], writing: bool) -> Made:
        if writing:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._connected(self.path, "rwc" if writing else "rw") as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > self.layout.version:
                raise _LaterVersionError
            if not writing:
                return work(connection) if version else self._empty(work)
            if not version:
                self._prepare(connection)
            connection.execute("BEGIN IMMEDIATE")
            try:
                if not version:
                    self._lay_out(connection)
                made = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise
            return made

    def _empty(self, work: Work[Made]) -> Made:
        """What ``work`` makes of a file to which nothing was written yet."""
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            self._lay_out(connection)
            return work(connection)

    def _lay_out(self, connection: sqlite3.Connection) -> None:
        for name, definition in self.layout.tables.items():
            connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({definition})")
        connection.execute(f"PRAGMA user_version = {self.layout.version}")

    @staticmethod
    @contextmanager
    def _connected(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
        address = f"{path.absolute().as_uri()}?mode={mode}"
        with closing(
            sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
        ) as connection:
            connection.text_factory = bytes  # a damaged text is not an error of the whole query
            yield connection

    @staticmethod
    def _prepare(connection: sqlite3.Connection) -> None:
        """What can be set only before the first table."""
        connection.execute(f"PRAGMA page_size = {_PAGE}")
        connection.execute("PRAGMA auto_vacuum = FULL")  # what is removed makes room on the disk at once

    def _make_anew(self, damage: Exception) -> bool:
        """Put what can be read of a damaged file into a new one; False if that cannot be done."""
        temporary = new_name(self.path)
        try:
            before = self.path.stat().st_ino
            with locked(self.path):
                if self.path.stat().st_ino != before:
                    return True  # another process was first
                with self._connected(temporary, "rwc") as new:
                    self._prepare(new)
                    self._lay_out(new)
                    n_rows = self._rescue(new)
                # A journal of the damaged file would be taken for one of the new.
                self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)
                temporary.replace(self.path)
        except (sqlite3.Error, OSError):
            return False
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        self._once(
            f"the stored {self.layout.holds} in {self.path} are damaged ({_said(damage)}): the file was made "
            f"anew with the {n_rows:,} rows that can be read"
        )
        return True

    def _rescue(self, new: sqlite3.Connection) -> int:
        """Copy rows from both ends of each table, up to where it is damaged."""
        before = new.total_changes
        new.execute("BEGIN")
        with suppress(sqlite3.Error), self._connected(self.path, "rw") as old:
            for table in self.layout.tables:
                for order in ("rowid", "rowid DESC"):
                    with suppress(sqlite3.Error):
                        for row in old.execute(f"SELECT * FROM {table} ORDER BY {order}"):
                            places = ", ".join("?" * len(row))
                            new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)
        new.execute("COMMIT")
        return new.total_changes - before


def _said(error: Exception) -> str:
    """SQLite's own words, or the system's."""
    return str(error) if isinstance(error, sqlite3.Error) else reason(error)


class _LaterVersionError(Exception):
    """A file's tables are of a later version."""
