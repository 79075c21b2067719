"""The machine code of kernels, stored in the user's cache folder: where that fails it costs time, no result.

numba's own cache writes beside the sources, so that an uninstalled package leaves files behind. It looks at
the file of a kernel but not at those of the kernels that it calls. A damaged file of it is an error at every
call, or runs as whatever machine code it now holds. Here each compiled signature has one file, which begins
with two checksums: of all that the code was made from, and of the code. A file of other sources or versions
is replaced, a damaged one is made again. Files are written under a temporary name and renamed, so that
processes need not wait for each other.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from ..cache_folder import VARIABLE, cache_folder
from ..errors import UserError, reason
from ..whole_files import written_whole

_LOG = logging.getLogger(__name__)
_SOURCES = Path(__file__).resolve().parent
_SUFFIX = ".code"
_DIGEST = 32  # bytes of each of the two checksums
_STALE = 86_400  # seconds after which a temporary file is nobody's
_SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "USING_SVML")  # that change the code
_PATIENCE = 1.0  # seconds of compiling that need no word


class StoredCode(_Cache):  # type: ignore[misc]
    """The stored machine code of one kernel, in the form that numba's dispatcher asks for."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._enabled = _MADE_FROM is not None

    @property
    def cache_path(self) -> str | None:
        """The folder, if there can be one."""
        try:
            return str(code_folder())
        except UserError:
            return None

    def enable(self) -> None:
        """Load and store from now on."""
        self._enabled = _MADE_FROM is not None

    def disable(self) -> None:
        """Neither load nor store from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Remove what is stored of this kernel."""
        for path in code_folder().glob(f"{self._name}-*{_SUFFIX}"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code compiled for a signature, or None where it is to be compiled."""
        target_context.refresh()
        if not self._enabled:
            return None
        path: Path | None = None
        try:
            path = self._path(sig, target_context.codegen())
            code = _read(path)
            if code is not None:
                return CompileResult._rebuild(target_context, *pickle.loads(code))
        except Exception as error:  # also from numba's own parts, which another version may have changed
            if path is not None:  # without a folder, ``save_overload`` says so
                level = logging.DEBUG if _DAMAGED else logging.WARNING  # one word about however many files
                _DAMAGED.append(path)
                words = "the compiled code %s cannot be used (%s): it and any other such file are made anew"
                _LOG.log(level, words, path, reason(error))
        _WAIT.begin(self, sig)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the code compiled for a signature."""
        _WAIT.end(self, sig)
        if not self._enabled or _FAILED or data.library.has_dynamic_globals or data.lifted:
            return
        folder: Path | str = "the user's cache"
        try:
            folder = code_folder()
            _write(self._path(sig, data.codegen), dumps(data._reduce()))
        except Exception as error:
            _FAILED.append(
                f"compiled code cannot be stored in {folder} ({reason(error)}), so that each process "
                "compiles anew: name another folder with "
                + ("NUMBA_CACHE_DIR" if numba.config.CACHE_DIR else VARIABLE)
            )
            _LOG.warning(_FAILED[0])

    @property
    def _name(self) -> str:
        return f"{Path(self._function.__code__.co_filename).stem}.{self._function.__qualname__}"

    def _path(self, sig: Any, codegen: Any) -> Path:
        """Where the code for these types, this processor and these settings is."""
        settings = [getattr(numba.config, name, None) for name in _SETTINGS]
        key = repr((sig, codegen.magic_tuple(), settings))
        return code_folder() / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{_SUFFIX}"


class _Wait:
    """Says once a process that kernels are being compiled, where that takes longer than a moment."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None
        self._of: tuple[Any, Any] | None = None

    def begin(self, kernel: StoredCode, sig: Any) -> None:
        """A compilation begins, inside of another one or not."""
        if self._timer is None and _LOG.isEnabledFor(logging.INFO):
            self._of = kernel, sig
            self._timer = threading.Timer(_PATIENCE, self._say)
            self._timer.daemon = True
            self._timer.start()

    def end(self, kernel: StoredCode, sig: Any) -> None:
        """A compilation ended."""
        if self._timer is not None and self._of == (kernel, sig) and self._timer.is_alive():
            self._timer.cancel()
            self._timer = None

    @staticmethod
    def _say() -> None:
        _LOG.info(
            "compiling for this machine, once, which can take a minute ('fourfold warmup' does it beforehand)"
        )


_WAIT = _Wait()
_DAMAGED: list[Path] = []
_FAILED: list[str] = []  # why code could not be stored; one failure ends the attempts of this process


def why_not_stored() -> str | None:
    """Why this process could not store code that it compiled, if it could not."""
    return _FAILED[0] if _FAILED else None


def code_folder() -> Path:
    """Where this installation's code is: in ``$NUMBA_CACHE_DIR``, or ``compiled`` in the user's cache.

    Installations have a folder each, so that two versions of the package do not replace each other's code.
    Raises UserError where there is no home folder.
    """
    base = numba.config.CACHE_DIR
    parent = Path(base).absolute() if base else cache_folder() / "compiled"
    installation = f"{sys.implementation.cache_tag}-{_SOURCES}"
    return parent / f"fourfold-{hashlib.sha256(os.fsencode(installation)).hexdigest()[:16]}"


def _made_from() -> bytes | None:
    """A checksum of every kernel's source and of what turns it into machine code; None without sources."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    digest = hashlib.sha256(repr(versions).encode())
    sources = sorted(_SOURCES.glob("*.py"))
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest() if sources else None


_MADE_FROM = _made_from()  # what this process runs, which may be replaced on the disk while it does


def _read(path: Path) -> bytes | None:
    """The code in a file; None where there is none or of other sources. ValueError for a damaged one."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    code = content[2 * _DIGEST :]
    if hashlib.sha256(content[:_DIGEST] + code).digest() != content[_DIGEST : 2 * _DIGEST]:
        raise ValueError("its checksum is wrong")
    return code if content[:_DIGEST] == _MADE_FROM else None


def _write(path: Path, code: bytes) -> None:
    if _MADE_FROM is None or _made_from() != _MADE_FROM:
        return  # the sources were replaced meanwhile: it is not known which of them this is compiled from
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path, to_disk=False) as part:  # a file that is not whole is made again
        part.write_bytes(_MADE_FROM + hashlib.sha256(_MADE_FROM + code).digest() + code)
    for left in path.parent.glob(".*.part"):  # of processes that were killed
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _STALE:
                left.unlink()
