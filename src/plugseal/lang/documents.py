"""Recognise documents by their bytes and say what in them an application would run: macros, scripts, files inside.

A document without any of that is inert: what it says is for people. What is packed so that it can't be looked into is
never inert. See: https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final

from plugseal.limits import MIB
from plugseal.patterns import lazy
from plugseal.records import NamedTuple


class Document(NamedTuple):
    """A recognised kind."""

    kind: str
    reason: str = ""
    """Why it is unread, empty for a document that runs nothing."""


_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_SLACK_BYTES: Final = 64
_ESCAPE: Final = lazy(rb"#([0-9A-Fa-f]{2})")
_STREAM: Final = lazy(rb"stream\r?\n")
_MAX_STREAM_BYTES: Final = 4 * MIB
_MAX_STREAMS_BYTES: Final = 32 * MIB
_MAX_DICTIONARY_BYTES: Final = 512
_ACTIVE: Final = (
    (lazy(rb"/(?:JavaScript|JS)(?![A-Za-z0-9])"), "PDF with JavaScript"),
    (lazy(rb"/Launch(?![A-Za-z0-9])"), "PDF that starts a program"),
    (lazy(rb"/(?:EmbeddedFiles?|Filespec/EF)(?![A-Za-z0-9])"), "PDF with files inside"),
    (lazy(rb"/(?:RichMedia|XFA|3D)(?![A-Za-z0-9])"), "PDF with content that runs code"),
    (lazy(rb"/(?:SubmitForm|ImportData|GoToE)(?![A-Za-z0-9])"), "PDF with actions that send or fetch"),
)
_ENCRYPTED: Final = lazy(rb"/Encrypt(?![A-Za-z0-9])")
_RTF_ACTIVE: Final = lazy(
    rb"\\obj(?:ect|data|update|class|emb|autlink)|\\field\b.{0,200}\b(?:DDE|INCLUDE)|\\\*\\template", re.DOTALL
)


_KRL: Final = b"SSHKRL\n\0"


def judge_document(data: bytes) -> Document | None:
    """Return what kind of document the bytes are, None if they are none that is known."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith(b"%PDF-"):
        return Document("PDF", _look_into_pdf(data))
    if data.startswith(_OLE):
        return Document("office document", _look_into_ole(data))
    if data.startswith(b"{\\rtf"):
        return Document("RTF", "RTF document with objects inside" if _RTF_ACTIVE.search(data) else "")
    if data.startswith(b"SQLite format 3\0"):
        return Document("database", "database (SQLite)")
    if data[:1] == b"\x80" and data[1:2] in b"\2\3\4\5" and data.rstrip(b"\n").endswith(b"."):
        return Document("pickle", "pickle: loading it can run code")
    if data.startswith(_KRL):
        return Document("list of revoked keys", "" if _is_whole_krl(data) else "list of revoked keys, damaged")
    return None


def _is_whole_krl(data: bytes) -> bool:
    """Say whether the sections of OpenSSH's list of revoked keys end where the file does.

    See: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.krl
    """
    at = len(_KRL) + 4 + 3 * 8  # the format's version, the list's own, when it was made, flags
    for _ in range(2):  # what is reserved, and a comment
        at = _behind_string(data, at)
    while 0 <= at < len(data):
        at = _behind_string(data, at + 1)
    return at == len(data)


def _behind_string(data: bytes, at: int) -> int:
    """Return where what follows a string of SSH's begins; beyond the end where it is cut."""
    size = data[at : at + 4]
    return at + 4 + int.from_bytes(size, "big") if len(size) == 4 else len(data) + 1


def _look_into_ole(data: bytes) -> str:
    wide = "_VBA_PROJECT".encode("utf-16-le")
    if wide in data or "Macros".encode("utf-16-le") in data or b"Attribut\0e VB_Nam" in data:
        return "office document with macros"
    return "office document or installer of the old binary format"


def _look_into_pdf(data: bytes) -> str:
    """Say what in a PDF is active or can't be looked into, empty for neither."""
    end = data.rfind(b"%%EOF")
    if end < 0:
        return "PDF, damaged or cut short"
    extra = len(data[end + 5 :].strip(b"\r\n \t\0"))
    if extra > _PDF_SLACK_BYTES:
        return f"PDF with {extra:,} bytes after its end"
    plain = _names(data)
    if _ENCRYPTED.search(plain):
        return "PDF, encrypted"
    for part in (plain, *_object_streams(data)):
        if isinstance(part, str):
            return part
        for pattern, reason in _ACTIVE:
            if pattern.search(part):
                return reason
    return ""


def _names(data: bytes) -> bytes:
    """Return a text in which no name is escaped."""
    return _ESCAPE.sub(lambda match: bytes((int(match[1], 16),)), data) if b"#" in data else data


def _object_streams(data: bytes) -> Iterator[bytes | str]:
    """Yield what the packed lists of objects hold, or why one can't be read; pictures and pages are left packed."""
    total = 0
    for match in _STREAM.finditer(data):
        head = _names(data[max(0, match.start() - _MAX_DICTIONARY_BYTES) : match.start()])
        if b"/ObjStm" not in head[head.rfind(b"obj") if b" obj" in head else 0 :]:
            continue
        if b"FlateDecode" not in head and b"/Fl" not in head and b"/Filter" in head:
            yield "PDF with objects packed in a way that is not read"
            return
        if b"/Filter" not in head:
            continue  # It stands in the file as it is, and was looked at.
        try:
            part = zlib.decompressobj().decompress(
                data[match.end() : match.end() + _MAX_STREAM_BYTES], _MAX_STREAM_BYTES
            )
        except zlib.error:
            yield "PDF with objects that can't be unpacked"
            return
        total += len(part)
        if len(part) >= _MAX_STREAM_BYTES or total > _MAX_STREAMS_BYTES:
            yield "PDF that unpacks to more than is read"
            return
        yield _names(part)
