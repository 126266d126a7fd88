"""Recognise pictures, sounds, films and fonts by their bytes, and check that they end where they say they end.

Data behind the end is how polyglots ride on a picture: such a file is `unread`, never inert.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from plugseal.records import NamedTuple


class Media(NamedTuple):
    """A recognised kind."""

    kind: str
    ends_where_it_says: bool
    reason: str = ""


def judge_media(data: bytes) -> Media | None:
    """Return what kind of media the bytes are, or None if they are none that is known to be inert."""
    for magic, offset, kind, end in _KINDS:
        if data[offset : offset + len(magic)] == magic:
            stop = end(data)
            if stop is None:
                return Media(kind, False, f"{kind}, damaged or cut short")
            extra = len(data) - stop
            if extra > _SLACK_BYTES:
                return Media(kind, False, f"{kind} with {extra:,} bytes after its end")
            return Media(kind, True)
    return None


_SLACK_BYTES: Final = 16
"""Some writers pad; nothing that runs fits in it."""


def _png_end(data: bytes) -> int | None:
    at = 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind = data[at + 4 : at + 8]
        at += 12 + length
        if kind == b"IEND":
            return at if at <= len(data) else None
    return None


def _jpeg_end(data: bytes) -> int | None:
    """Walk the segments to the first end-of-image marker; pictured bytes between scans hold no bare 0xFF."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xD9:
            return at + 2
        if marker == 0xFF:
            at += 1
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            at = _next_jpeg_marker(data, at)
    return at + 2 if data[at : at + 2] == b"\xff\xd9" else None


def _next_jpeg_marker(data: bytes, at: int) -> int:
    """Skip entropy-coded bytes: `FF 00` is a stuffed byte, `FF D0` to `FF D7` are restarts."""
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            return len(data)
        following = data[at + 1]
        if following != 0 and not 0xD0 <= following <= 0xD7:
            return at
        at += 2


def _gif_end(data: bytes) -> int | None:
    at = 13 + _gif_colours(data, 10)
    while at < len(data):
        kind = data[at]
        if kind == 0x3B:
            return at + 1
        if kind == 0x2C:
            at += 10 + _gif_colours(data, at + 9) + 1
        elif kind == 0x21:
            at += 2
        else:
            return None
        while at < len(data) and data[at]:
            at += 1 + data[at]
        at += 1
    return None


def _gif_colours(data: bytes, flags_at: int) -> int:
    """Return the size in bytes of the colour table that a flags byte announces."""
    flags = data[flags_at] if flags_at < len(data) else 0
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _riff_end(data: bytes) -> int | None:
    if len(data) < 12 or data[8:12] not in {b"WEBP", b"WAVE", b"AVI "}:
        return None
    stop = 8 + int.from_bytes(data[4:8], "little")
    stop += stop & 1
    return min(stop, len(data)) if stop <= len(data) + 1 else None


def _woff_end(data: bytes) -> int | None:
    stop = int.from_bytes(data[8:12], "big")
    return stop if 44 <= stop <= len(data) else None


def _sfnt_end(data: bytes) -> int | None:
    """Find the end of the last table of a TrueType or OpenType font."""
    tables = int.from_bytes(data[4:6], "big")
    stop = 12 + 16 * tables
    if tables == 0 or stop > len(data):
        return None
    for index in range(tables):
        record = 12 + 16 * index
        offset = int.from_bytes(data[record + 8 : record + 12], "big")
        length = int.from_bytes(data[record + 12 : record + 16], "big")
        stop = max(stop, offset + length)
    return stop if stop <= len(data) else None


def _ico_end(data: bytes) -> int | None:
    count = int.from_bytes(data[4:6], "little")
    stop = 6 + 16 * count
    if count == 0 or stop > len(data):
        return None
    for index in range(count):
        record = 6 + 16 * index
        size = int.from_bytes(data[record + 8 : record + 12], "little")
        offset = int.from_bytes(data[record + 12 : record + 16], "little")
        stop = max(stop, offset + size)
    return stop if stop <= len(data) else None


def _boxes_end(data: bytes) -> int | None:
    """Walk the boxes of an ISO media file (mp4, mov, avif, heic)."""
    at = 0
    while at + 8 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if size == 1 and at + 16 <= len(data):
            size = int.from_bytes(data[at + 8 : at + 16], "big")
        if size < 8 or not data[at + 4 : at + 8].isalnum():
            return at or None
        at += size
    return at if at <= len(data) else None


def _ogg_end(data: bytes) -> int | None:
    at = 0
    while data[at : at + 4] == b"OggS" and at + 27 <= len(data):
        segments = data[at + 26]
        at += 27 + segments + sum(data[at + 27 : at + 27 + segments])
    return at if 0 < at <= len(data) else None


_End = Callable[[bytes], "int | None"]
_KINDS: Final[tuple[tuple[bytes, int, str, _End], ...]] = (
    (b"\x89PNG\r\n\x1a\n", 0, "picture (PNG)", _png_end),
    (b"\xff\xd8\xff", 0, "picture (JPEG)", _jpeg_end),
    (b"GIF87a", 0, "picture (GIF)", _gif_end),
    (b"GIF89a", 0, "picture (GIF)", _gif_end),
    (b"RIFF", 0, "media (RIFF)", _riff_end),
    (b"OggS", 0, "sound (Ogg)", _ogg_end),
    (b"\0\0\1\0", 0, "picture (ICO)", _ico_end),
    (b"wOFF", 0, "font (WOFF)", _woff_end),
    (b"wOF2", 0, "font (WOFF2)", _woff_end),
    (b"\0\1\0\0\0", 0, "font (TrueType)", _sfnt_end),
    (b"OTTO", 0, "font (OpenType)", _sfnt_end),
    (b"ftyp", 4, "media (MP4)", _boxes_end),
)
