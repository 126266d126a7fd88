"""The bytes of a script as a shell would take them: UTF-8 without its mark, up to the first byte that ends a text."""

from __future__ import annotations

import codecs


def decode_script(data: bytes) -> tuple[bytes | None, str]:
    """Return a script in UTF-8 and why it is not the whole file; None with the reason where it is no text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode("utf-8")
        except UnicodeError:
            return None, "not valid UTF-16"
    data = data.removeprefix(codecs.BOM_UTF8)
    end = data.find(b"\0")
    if end < 0:
        return data, ""
    start = data.rfind(b"\n", 0, end) + 1
    if start == 0:
        return None, "holds NUL bytes"
    line = data.count(b"\n", 0, start) + 1
    return data[:start], f"holds binary data from line {line} on"
