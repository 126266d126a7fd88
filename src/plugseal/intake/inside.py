"""Unpack an archive that lies inside a tree, in memory and within limits of its own, for the scanner to look at.

Zip archives (also behind other data, as programs that unpack themselves have them), tar archives, and single files
packed by gzip, bzip2 or xz. What two programs might unpack differently has a reason beside its bytes.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Final

from plugseal import limits
from plugseal.intake.faults import FAULTS
from plugseal.intake.member import Member, Unpacked
from plugseal.intake.tar import is_tar, unpack_gzip, unpack_tar
from plugseal.intake.zipped import unpack_zip
from plugseal.model.inside import Inside, InsideFile
from plugseal.model.tree import EntryKind, Fault
from plugseal.patterns import lazy

_SUFFIXES: Final = (".gz", ".bz2", ".xz", ".tgz", ".tbz2", ".txz")
_HARMLESS: Final = frozenset({"undeclared-encoding", "set-id"})
"""Faults that leave no doubt about the bytes of members."""
_BEFORE: Final = "before the first member"
"""Where a zip archive may hold other data: that begins the file, so it is looked at as what it is."""
_COMMIT: Final = lazy(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""The comment that git gives to a zip archive."""


def unpack_inside(name: str, data: bytes) -> Inside | None:
    """Return the files of an archive, None where the bytes are none that can be read here.

    Args:
        name: of the file; a packed single file is called by it, without the suffix.
        data: all its bytes.
    """
    if data[:2] == b"\x1f\x8b":
        faults: list[Fault] = []
        unpacked = bytes(unpack_gzip(data, faults, max_bytes=limits.MAX_INSIDE_BYTES))
        return _single(name, unpacked, _why(faults))
    if data[:3] == b"BZh":
        return _expanded(name, data, bz2.BZ2Decompressor)
    if data[:6] == b"\xfd7zXZ\0":
        return _expanded(name, data, lambda: lzma.LZMADecompressor(memlimit=limits.MAX_INSIDE_BYTES))
    if is_tar(data):
        return _files(unpack_tar(data))
    if data.rfind(b"PK\x05\x06", max(0, len(data) - 65_557)) >= 0:
        return _zipped(data)
    return None


def _zipped(data: bytes) -> Inside:
    inside = _files(unpack_zip(data, max_bytes=limits.MAX_INSIDE_BYTES))
    comment = data[data.rfind(b"PK\x05\x06") + 22 :]
    if comment and not inside.reason and not _COMMIT.fullmatch(comment):
        return inside._replace(reason=f"its comment holds {len(comment):,} bytes")
    return inside


def _expanded(name: str, data: bytes, start: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]) -> Inside:
    """Return what a packed single file holds."""
    engine = start()
    most = min(limits.MAX_INSIDE_BYTES, max(limits.MIB, len(data) * limits.MAX_ARCHIVE_RATIO))
    try:
        unpacked = engine.decompress(data, most + 1)
    except (OSError, lzma.LZMAError, EOFError, ValueError, zlib.error):
        return Inside((), "it is damaged")
    if len(unpacked) > most:
        return Inside((), "it unpacks to more than is read")
    reason = "" if engine.eof and not engine.unused_data else "it is damaged or has data behind its end"
    return _single(name, unpacked, reason)


def _single(name: str, unpacked: bytes, reason: str) -> Inside:
    """Return the files of what was packed as one stream: those of a tar archive, or the one file."""
    if is_tar(unpacked):
        inside = _files(unpack_tar(unpacked))
        return inside._replace(reason=inside.reason or reason)
    stem = name.rpartition("/")[2]
    for suffix in _SUFFIXES:
        stem = stem[: -len(suffix)] if stem.lower().endswith(suffix) else stem
    return Inside((InsideFile(stem or "content", unpacked),), reason)


def _files(unpacked: Unpacked) -> Inside:
    files = tuple(_file(member) for member in unpacked.members if member.kind is not EntryKind.DIRECTORY)
    return Inside(files, _why([fault for fault in unpacked.faults if not fault.message.endswith(_BEFORE)]))


def _file(member: Member) -> InsideFile:
    if member.kind is not EntryKind.FILE:
        return InsideFile(member.name, None, f"a link or special file in an archive ({member.target or 'no target'})")
    codes = [code for code, _ in member.reasons if code not in _HARMLESS]
    reason = FAULTS[codes[0]] if codes else ""
    if member.data is None:
        return InsideFile(member.name, None, reason or "its bytes could not be had")
    return InsideFile(member.name, bytes(member.data), reason)


def _why(faults: list[Fault]) -> str:
    return faults[0].message if faults else ""
