"""A line on a terminal that says how far long work is; it is gone before any result is printed."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Final

_QUIET_SECONDS: Final = 1.0
"""Work that ends sooner says nothing."""
_EVERY_SECONDS: Final = 0.1
_MEGABYTE: Final = 1_000_000
_CLEAR: Final = "\r\x1b[2K"


class Progress:
    """Show `read 12,345 files, 81 MB` on standard error, where that is a terminal; use as a context manager."""

    def __init__(self, *, quiet: bool, verbose: bool = False) -> None:
        self._stream = sys.stderr
        self._silent = quiet or self._stream is None or not self._stream.isatty()
        self._verbose = verbose
        self._start = monotonic()
        self._next = self._start + _QUIET_SECONDS
        self._shown = False
        self._read = (0, 0)

    def update(self, files: int, size_bytes: int) -> None:
        """Take the files and bytes read so far; cheap enough to be called for each file."""
        self._read = (files, size_bytes)
        if self._silent:
            return
        now = monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY_SECONDS
        self._shown = True
        self._stream.write(f"{_CLEAR}{self._words()}")
        self._stream.flush()

    def _words(self) -> str:
        files, size_bytes = self._read
        return f"read {files:,} files, {size_bytes // _MEGABYTE:,} MB"

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
        if self._verbose:
            self._stream.write(f"debug: {self._words()} in {monotonic() - self._start:.2f} s\n")
