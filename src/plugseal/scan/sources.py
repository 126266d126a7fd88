"""Source lines for people: which lines of a file stand under a finding.

Decoding here is only for show: a byte that is no UTF-8 becomes a replacement character, never an error.
"""

from __future__ import annotations

import codecs

SHOWN_LINES = 3
"""A finding shows its first line and at most two more."""


class SourceLines:
    """The lines of one file, split at its first use."""

    __slots__ = ("_data", "_lines")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lines: list[str] | None = None

    def __call__(self, line: int) -> tuple[str, ...]:
        """Return the 1-based `line` and at most two after it; empty for a whole file (line 0)."""
        if line < 1:
            return ()
        if self._lines is None:
            self._lines = split_lines(decode_for_show(self._data))
        return tuple(self._lines[line - 1 : line - 1 + SHOWN_LINES])


def decode_for_show(data: bytes) -> str:
    """Decode by the byte order mark, else as UTF-8 with replacement characters."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def split_lines(text: str) -> list[str]:
    """Split as the parsers count lines: at LF, CR LF and CR only, not at form feeds or U+2028."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
