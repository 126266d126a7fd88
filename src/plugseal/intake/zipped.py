"""Read zip archives (`.zip`, `.mcpb`, `.dxt`) from memory by their central directory, each local header compared.

Rules: names, methods and sizes must be the same in both places, members must neither overlap nor leave room for
others that only some readers see; sizes are believed only after unpacking to them. Stored and deflated members, no
zip64, no encryption. Not `zipfile`, since what it refuses changed with Python's versions. Never writes, never
unpacks past what a member declares.
"""

from __future__ import annotations

import stat
import struct
import zlib
from typing import Final

from plugseal import limits
from plugseal.intake.faults import fault
from plugseal.intake.member import Member, Unpacked
from plugseal.intake.tar import BrokenArchiveError
from plugseal.model.tree import EntryKind, Fault
from plugseal.records import NamedTuple

_END: Final = struct.Struct("<4s4H2LH")
_CENTRAL: Final = struct.Struct("<4s2B5H3L5H2L")
_LOCAL: Final = struct.Struct("<4s2B4H3L2H")
_UNIX_SYSTEMS: Final = (3, 19)
_ENCRYPTED: Final = 0x0001 | 0x0040 | 0x2000
_HAS_DESCRIPTOR: Final = 0x0008
_PATCHED: Final = 0x0020
_IS_UTF8: Final = 0x0800
_UNICODE_PATH: Final = 0x7075
_MAX_LINK_BYTES: Final = 4096
_METHODS: Final = (0, 8)
_NEWEST_VERSION: Final = 63


class _Record(NamedTuple):
    """One line of the central directory."""

    raw_name: bytes
    system: int
    version: int
    """What a reader must understand, times ten, in the low byte."""
    flags: int
    method: int
    crc: int
    packed_bytes: int
    size: int
    attributes: int
    offset: int
    extra: bytes


class _Placed(NamedTuple):
    """A record with the place of its bytes, or with what is wrong there."""

    record: _Record
    start: int
    reasons: tuple[tuple[str, str], ...]

    @property
    def end(self) -> int:
        return self.start + self.record.packed_bytes


def unpack_zip(raw: bytes, *, max_bytes: int | None = None) -> Unpacked:
    """Return the members of a zip archive, up to the first damage or limit.

    Args:
        raw: the archive.
        max_bytes: of all members together, by default the limit of archives.
    """
    most = limits.MAX_ARCHIVE_UNPACKED_BYTES if max_bytes is None else max_bytes
    found = Unpacked([], [])
    try:
        records, base, directory_at = _read_directory(raw, found.faults)
        placed = [_place(raw, record, base) for record in records]
        overlapping = _check_layout(placed, base, directory_at, found.faults)
        total_bytes = 0
        for item in placed:
            total_bytes += item.record.size
            _verify_total(total_bytes, len(raw), most)
            extra = (("overlapping-members", ""),) if item.record.offset in overlapping else ()
            found.members.append(_build_member(raw, item, extra))
    except BrokenArchiveError as error:
        found.faults.append(fault("", error.code, error.detail))
    return found


def is_zip(raw: bytes) -> bool:
    """Say whether `raw` begins as a zip archive does."""
    return raw[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def _verify_total(total_bytes: int, raw_bytes: int, most: int) -> None:
    if total_bytes > most:
        raise BrokenArchiveError("archive-too-large", f"more than {most:,} bytes")
    if total_bytes > limits.MIB and total_bytes > raw_bytes * limits.MAX_ARCHIVE_RATIO:
        raise BrokenArchiveError("compression-ratio")


def _read_directory(raw: bytes, faults: list[Fault]) -> tuple[list[_Record], int, int]:
    at = raw.rfind(b"PK\x05\x06")
    if at < 0 or at + _END.size > len(raw):
        raise BrokenArchiveError("truncated-archive", "no directory at its end")
    _, disk, directory_disk, here, count, directory_bytes, directory_offset, comment = _END.unpack_from(raw, at)
    if disk or directory_disk or here != count or raw[at - 20 : at - 16] == b"PK\x06\x07":
        raise BrokenArchiveError("unsupported-member", "zip64 or several disks")
    if at + _END.size + comment != len(raw):
        faults.append(fault("", "trailing-data", "after the directory"))
    if _has_other_end(raw, at):
        faults.append(fault("", "ambiguous-member", "two directories"))
    start = at - directory_bytes
    base = start - directory_offset
    if start < 0 or base < 0:
        raise BrokenArchiveError("broken-archive", "the directory is outside the file")
    if base:
        faults.append(fault("", "trailing-data", "before the first member"))
    return _parse_records(raw[start:at], count, faults), base, start


def _has_other_end(raw: bytes, at: int) -> bool:
    # Some readers take the first end mark whose comment reaches to the end of the file, others the last.
    position = max(len(raw) - _END.size - 0xFFFF, 0)
    while (position := raw.find(b"PK\x05\x06", position, at)) >= 0:
        if position + _END.size + int.from_bytes(raw[position + 20 : position + 22], "little") == len(raw):
            return True
        position += 4
    return False


def _parse_records(directory: bytes, count: int, faults: list[Fault]) -> list[_Record]:
    records: list[_Record] = []
    position = 0
    while position < len(directory):
        if len(records) >= limits.MAX_ARCHIVE_MEMBERS:
            raise BrokenArchiveError("archive-too-large", f"more than {limits.MAX_ARCHIVE_MEMBERS:,} members")
        if directory[position : position + 4] != b"PK\x01\x02" or position + _CENTRAL.size > len(directory):
            raise BrokenArchiveError("broken-archive", "the directory is damaged")
        values = _CENTRAL.unpack_from(directory, position)
        _, _, system, version, flags, method, _, _, crc, packed, size = values[:11]
        name_bytes, extra_bytes, comment_bytes, _, _, attributes, offset = values[11:]
        name_at = position + _CENTRAL.size
        extra_at = name_at + name_bytes
        position = extra_at + extra_bytes + comment_bytes
        if position > len(directory):
            raise BrokenArchiveError("broken-archive", "the directory is damaged")
        name, extra = directory[name_at:extra_at], directory[extra_at : extra_at + extra_bytes]
        records.append(_Record(name, system, version, flags, method, crc, packed, size, attributes, offset, extra))
    if len(records) != count:
        faults.append(fault("", "ambiguous-member", f"the directory has {len(records)} lines, not {count}"))
    return records


def _place(raw: bytes, record: _Record, base: int) -> _Placed:
    at = base + record.offset
    if at + _LOCAL.size > len(raw) or raw[at : at + 4] != b"PK\x03\x04":
        return _Placed(record, -1, (("broken-member", "no local header"),))
    _, _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = _LOCAL.unpack_from(raw, at)
    name_at = at + _LOCAL.size
    start = name_at + name_bytes + extra_bytes
    reasons: list[tuple[str, str]] = []
    if raw[name_at : name_at + name_bytes] != record.raw_name:
        reasons.append(("ambiguous-member", "two names"))
    if method != record.method or (flags ^ record.flags) & (_ENCRYPTED | _IS_UTF8):
        reasons.append(("ambiguous-member", "two methods"))
    announced, real = (crc, packed, size), (record.crc, record.packed_bytes, record.size)
    if announced != real and not (record.flags & flags & _HAS_DESCRIPTOR and not any(announced)):
        reasons.append(("ambiguous-member", "two sizes or checksums"))
    if start + record.packed_bytes > len(raw):
        return _Placed(record, -1, (*reasons, ("truncated-archive", "inside the member")))
    return _Placed(record, start, tuple(reasons))


def _check_layout(placed: list[_Placed], base: int, directory_at: int, faults: list[Fault]) -> set[int]:
    """Return the offsets of members that share bytes with others; fault bytes that belong to none."""
    overlapping: set[int] = set()
    end, last = base, None
    room = 0
    for item in sorted((p for p in placed if p.start >= 0), key=lambda p: p.record.offset):
        at = base + item.record.offset
        if at < end:
            overlapping.add(item.record.offset)
            if last is not None:
                overlapping.add(last)
        elif at - end not in (0, room, room and room - 4):
            faults.append(fault("", "trailing-data", "between members"))
        end, last = max(end, item.end), item.record.offset
        # A data descriptor: CRC and two sizes, with or without a signature before.
        room = 16 if item.record.flags & _HAS_DESCRIPTOR else 0
    if end > directory_at and last is not None:
        overlapping.add(last)
    elif directory_at - end not in (0, room, room and room - 4):
        faults.append(fault("", "trailing-data", "between members and directory"))
    return overlapping


def _build_member(raw: bytes, placed: _Placed, extra: tuple[tuple[str, str], ...]) -> Member:
    record = placed.record
    reasons = [*placed.reasons, *extra]
    name = record.raw_name.decode("utf-8", "surrogateescape")
    if not record.flags & _IS_UTF8 and not record.raw_name.isascii():
        reasons.append(("undeclared-encoding", ""))
    if _has_other_name(record):
        reasons.append(("ambiguous-member", "a second name in an extra field"))
    mode = record.attributes >> 16
    kind = _kind(name, mode, record, reasons)
    if kind is EntryKind.DIRECTORY or kind is EntryKind.OTHER:
        return Member(name, kind, reasons=tuple(reasons))
    executable = record.system in _UNIX_SYSTEMS and bool(mode & 0o111)
    data = None if placed.start < 0 or extra else _unpack(raw[placed.start : placed.end], record, reasons)
    if kind is EntryKind.SYMLINK:
        target = (data or b"")[:_MAX_LINK_BYTES].decode("utf-8", "surrogateescape")
        return Member(name, kind, target=target, reasons=(*reasons, ("symlink", target)))
    return Member(name, kind, executable, data, None, tuple(reasons))


def _kind(name: str, mode: int, record: _Record, reasons: list[tuple[str, str]]) -> EntryKind:
    # A link is a link whatever system claims to have made it; other mode bits count only for Unix.
    if stat.S_ISLNK(mode):
        return EntryKind.SYMLINK
    if name.endswith("/"):
        if record.size or stat.S_ISREG(mode):
            reasons.append(("ambiguous-member", "a file named as a directory"))
        return EntryKind.DIRECTORY
    if record.system in _UNIX_SYSTEMS and mode:
        if mode & 0o7000:
            reasons.append(("set-id", ""))
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            reasons.append(("special-file", "") if not stat.S_ISDIR(mode) else ("ambiguous-member", "kind and name"))
            return EntryKind.OTHER
    return EntryKind.FILE


def _has_other_name(record: _Record) -> bool:
    position = 0
    while position + 4 <= len(record.extra):
        kind, size = struct.unpack_from("<2H", record.extra, position)
        if kind == _UNICODE_PATH and record.extra[position + 9 : position + 4 + size] != record.raw_name:
            return True
        position += 4 + size
    return False


def _unpack(packed: bytes, record: _Record, reasons: list[tuple[str, str]]) -> bytes | None:
    if record.flags & _ENCRYPTED:
        reasons.append(("encrypted-member", ""))
        return None
    if record.method not in _METHODS or record.flags & _PATCHED or record.version & 0xFF > _NEWEST_VERSION:
        reasons.append(("unsupported-member", f"method {record.method}, version {record.version & 0xFF}"))
        return None
    data = packed
    if record.method:
        engine = zlib.decompressobj(wbits=-15)
        try:
            data = engine.decompress(packed, record.size + 1)
        except zlib.error:
            reasons.append(("broken-member", "deflate"))
            return None
        if len(data) <= record.size and (not engine.eof or engine.unused_data):
            reasons.append(("broken-member", "deflate ends elsewhere"))
            return None
    if len(data) != record.size:
        reasons.append(("lying-size", ""))
        return None
    if zlib.crc32(data) != record.crc:
        reasons.append(("broken-member", "checksum"))
        return None
    return data
