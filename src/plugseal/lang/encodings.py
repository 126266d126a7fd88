"""Bring texts with the byte order mark of a wide encoding to UTF-8, which readers expect.

Law: every other text stays as it is; a wide text that is damaged stays as it is too, and its reader says so.
"""

from __future__ import annotations

import codecs
from typing import Final

_WIDE: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def as_utf8(data: bytes) -> bytes:
    """Return a text as UTF-8 without its mark, if the mark is that of UTF-16 or UTF-32."""
    for mark, name in _WIDE:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(name).encode("utf-8")
            except UnicodeError:
                return data
    return data
