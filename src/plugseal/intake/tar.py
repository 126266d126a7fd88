"""Read tar archives from memory: ustar, pax and GNU long names, each header checked.

Rules: what two programs could understand differently is a fault (sizes given twice, data after links, sparse maps,
global headers that rename), and so is all that no plugin needs (links, devices). Not `tarfile`, since its answers
changed with Python's versions and some of them loop. Never writes, never follows, never allocates by a size that the
archive claims.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from plugseal import limits
from plugseal.intake.faults import fault
from plugseal.intake.member import Member, Unpacked
from plugseal.model.tree import EntryKind, Fault
from plugseal.records import NamedTuple

_BLOCK: Final = 512
_FEED_BYTES: Final = 64 * limits.KIB
_SPECIAL: Final = {b"3": "device", b"4": "block device", b"6": "FIFO"}
_SET_ID: Final = 0o7000
_MAX_LINK_CHARACTERS: Final = 4096
_OTHER_NUMBERS: Final = ((108, 116), (116, 124), (136, 148), (329, 337), (337, 345))
"""Owner, group, time and device: unused here, but a header that holds none is not read by others."""
_MAX_STREAMS: Final = 1024


class BrokenArchiveError(Exception):
    """Say that the archive can't be read from there on; never leaves intake."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


def unpack_gzip(raw: bytes, faults: list[Fault], *, max_bytes: int | None = None) -> bytearray:
    """Return what `raw` unpacks to, as far as limits and damage allow; `faults` says what stopped it.

    Args:
        raw: the packed bytes.
        faults: where to say so.
        max_bytes: of what is unpacked, by default the limit of archives.
    """
    most = limits.MAX_ARCHIVE_UNPACKED_BYTES if max_bytes is None else max_bytes
    out = bytearray()
    position = streams = 0
    limit = min(most, max(limits.MIB, len(raw) * limits.MAX_ARCHIVE_RATIO))
    while position < len(raw):
        if position and raw[position : position + 2] != b"\x1f\x8b":
            if raw[position:].strip(b"\0"):
                faults.append(fault("", "trailing-data", "after the gzip stream"))
            break
        streams += 1
        if streams == 2:
            faults.append(fault("", "concatenated-gzip"))
        if streams > _MAX_STREAMS:
            faults.append(fault("", "archive-too-large", f"more than {_MAX_STREAMS} gzip streams"))
            break
        try:
            position = _unpack_stream(raw, position, out, limit)
        except zlib.error:
            faults.append(fault("", "broken-archive", "gzip"))
            break
        except BrokenArchiveError as error:
            faults.append(fault("", error.code, error.detail))
            break
    return out


def _unpack_stream(raw: bytes, position: int, out: bytearray, limit: int) -> int:
    engine = zlib.decompressobj(wbits=31)
    view = memoryview(raw)
    tail: bytes | memoryview = b""
    while not engine.eof:
        if not tail:
            tail = view[position : position + _FEED_BYTES]
            position += len(tail)
        chunk = engine.decompress(tail, limits.MIB)
        tail = engine.unconsumed_tail
        out += chunk
        if len(out) > limit:
            is_bomb = limit == max(limits.MIB, len(raw) * limits.MAX_ARCHIVE_RATIO)
            raise BrokenArchiveError("compression-ratio" if is_bomb else "archive-too-large")
        if not tail and not chunk and position >= len(raw) and not engine.eof:
            raise BrokenArchiveError("truncated-archive", "gzip")
    return position - len(engine.unused_data)


class _Header(NamedTuple):
    name: bytes
    mode: int
    size: int
    kind: bytes
    link: bytes


class _Extra:
    """What pax and GNU headers say about the next member."""

    def __init__(self) -> None:
        self.name: bytes | None = None
        self.link: bytes | None = None
        self.size: int | None = None
        self.reasons: list[tuple[str, str]] = []
        self.is_empty = True

    def give_name(self, name: bytes) -> None:
        if self.name is not None and self.name != name:
            self.reasons.append(("ambiguous-member", "its name is given twice"))
        self.name = name

    def give_link(self, link: bytes) -> None:
        if self.link is not None and self.link != link:
            self.reasons.append(("ambiguous-member", "its link is given twice"))
        self.link = link


def unpack_tar(data: bytes | bytearray) -> Unpacked:
    """Return the members of a tar archive, up to the first damage or limit."""
    found = Unpacked([], [])
    try:
        for member in _members(memoryview(data), found.faults):
            if len(found.members) >= limits.MAX_ARCHIVE_MEMBERS:
                raise BrokenArchiveError("archive-too-large", f"more than {limits.MAX_ARCHIVE_MEMBERS:,} members")
            found.members.append(member)
    except BrokenArchiveError as error:
        found.faults.append(fault("", error.code, error.detail))
    return found


def is_tar(data: bytes | bytearray) -> bool:
    """Say whether `data` begins as a tar archive does: a header with a right checksum, or the end mark."""
    head = bytes(data[:_BLOCK])
    if len(head) < _BLOCK:
        return False
    try:
        return not any(head) or bool(_parse_header(head))
    except BrokenArchiveError:
        return False


def _members(data: memoryview, faults: list[Fault]) -> Iterator[Member]:
    position = 0
    extra = _Extra()
    while True:
        block = bytes(data[position : position + _BLOCK])
        if len(block) < _BLOCK:
            raise BrokenArchiveError("truncated-archive", "no end mark")
        if not any(block):
            break
        header = _parse_header(block)
        position += _BLOCK
        size = header.size
        if header.kind in b"xgLK":
            content = _slice(data, position, size)
            position += _padded(size)
            _take_extra(header.kind, bytes(content), extra, faults)
            continue
        if extra.size is not None:
            size = extra.size
        has_data = header.kind not in (b"1", b"2", b"3", b"4", b"5", b"6")
        content = _slice(data, position, size) if has_data else data[:0]
        yield _build_member(header, extra, content, size)
        if has_data:
            position += _padded(size)
        extra = _Extra()
    if not extra.is_empty:
        raise BrokenArchiveError("truncated-archive", "a header without its member")
    if bytes(data[position:]).strip(b"\0"):
        faults.append(fault("", "trailing-data", "after the end mark"))


def _slice(data: memoryview, position: int, size: int) -> memoryview:
    if position + size > len(data):
        raise BrokenArchiveError("truncated-archive", "inside a member")
    return data[position : position + size]


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _parse_header(block: bytes) -> _Header:
    if _parse_number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * 0x20:
        raise BrokenArchiveError("broken-archive", "a header's checksum is wrong")
    for start, end in _OTHER_NUMBERS:
        if block[start] != 0xFF:  # A negative number, as times before 1970 are.
            _parse_number(block[start:end])
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0]
    if block[257:263] == b"ustar\0" and prefix:
        name = prefix + b"/" + name
    link = block[157:257].partition(b"\0")[0]
    return _Header(name, _parse_number(block[100:108]), _parse_number(block[124:136]), block[156:157], link)


def _parse_number(raw: bytes) -> int:
    if raw[0] == 0x80:
        return int.from_bytes(raw[1:], "big")
    text, _, rest = raw.partition(b"\0")
    text = text.strip(b" ")
    if text.strip(b"01234567") or rest.strip(b" \0"):
        raise BrokenArchiveError("broken-archive", "a number in a header is no number")
    return int(text or b"0", 8)


def _take_extra(kind: bytes, content: bytes, extra: _Extra, faults: list[Fault]) -> None:
    extra.is_empty = extra.is_empty and kind == b"g"
    if kind == b"L":
        extra.give_name(content.partition(b"\0")[0])
    elif kind == b"K":
        extra.give_link(content.partition(b"\0")[0])
    elif kind == b"x":
        for key, value in _parse_pax(content):
            _take_pax(key, value, extra)
    else:
        for key, _ in _parse_pax(content):
            if key in (b"path", b"linkpath", b"size") or key.startswith(b"GNU.sparse"):
                faults.append(fault("", "ambiguous-member", f"a global header sets `{_text(key)}`"))


def _take_pax(key: bytes, value: bytes, extra: _Extra) -> None:
    if key == b"path":
        extra.give_name(value)
    elif key == b"linkpath":
        extra.give_link(value)
    elif key == b"size":
        if not value.isdigit() or len(value) > 18:
            raise BrokenArchiveError("broken-archive", "a size is no number")
        extra.size = int(value)
    elif key.startswith(b"GNU.sparse"):
        extra.reasons.append(("unsupported-member", "sparse"))
    elif key.endswith(b"security.capability"):
        extra.reasons.append(("file-capabilities", ""))


def _parse_pax(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 0
    while position < len(content):
        space = content.find(b" ", position, position + 20)
        digits = content[position : max(space, position)]
        if not digits.isdigit():
            raise BrokenArchiveError("broken-archive", "a pax record has no length")
        end = position + int(digits)
        key, equals, value = content[space + 1 : end - 1].partition(b"=")
        if end > len(content) or end <= space + 1 or content[end - 1 : end] != b"\n" or not equals:
            raise BrokenArchiveError("broken-archive", "a pax record is damaged")
        yield key, value
        position = end


def _build_member(header: _Header, extra: _Extra, content: memoryview, size: int) -> Member:
    name = _text(extra.name if extra.name is not None else header.name)
    reasons = extra.reasons
    if extra.size is not None and extra.size != header.size and header.size:
        reasons.append(("ambiguous-member", "its size is given twice"))
    kind = header.kind
    if kind in (b"0", b"\0", b"7"):
        if name.endswith("/"):
            if kind != b"\0" or size:
                reasons.append(("ambiguous-member", "a file named as a directory"))
            return Member(name, EntryKind.DIRECTORY, reasons=tuple(reasons))
        if header.mode & _SET_ID:
            reasons.append(("set-id", ""))
        return Member(name, EntryKind.FILE, bool(header.mode & 0o111), content, None, tuple(reasons))
    if size and kind in (b"1", b"2", b"3", b"4", b"5", b"6"):
        reasons.append(("ambiguous-member", "data where none belongs"))
    return _build_other(header, extra, name, reasons)


def _build_other(header: _Header, extra: _Extra, name: str, reasons: list[tuple[str, str]]) -> Member:
    link = _text(extra.link if extra.link is not None else header.link)[:_MAX_LINK_CHARACTERS]
    if header.kind == b"5":
        return Member(name, EntryKind.DIRECTORY, reasons=tuple(reasons))
    if header.kind == b"2":
        return Member(name, EntryKind.SYMLINK, target=link, reasons=(*reasons, ("symlink", link)))
    if header.kind == b"1":
        return Member(name, EntryKind.OTHER, reasons=(*reasons, ("hard-link", link)))
    if special := _SPECIAL.get(header.kind):
        return Member(name, EntryKind.OTHER, reasons=(*reasons, ("special-file", special)))
    why = "sparse" if header.kind == b"S" else f"type {_text(header.kind)!r}"
    return Member(name, EntryKind.OTHER, reasons=(*reasons, ("unsupported-member", why)))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
