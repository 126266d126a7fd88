"""Signed notes: a text with lines of signatures below it, as transparency logs publish their checkpoints.

    note = text LF (— SP name SP base64(key hash, signature) LF)+

The text ends with a line end; the key hash is the first four bytes of SHA-256(name LF 0x01 key), for Ed25519 alone.
See: https://c2sp.org/signed-note
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from plugseal.encode.dsse import parse_base64, render_base64
from plugseal.errors import DataError
from plugseal.records import NamedTuple

MARK: Final = "\u2014 "
_ED25519: Final = b"\x01"
_SIGNATURE_BYTES: Final = 64


class Note(NamedTuple):
    """A text and what is said to have signed it."""

    text: str
    """Ends with a line end."""
    signatures: tuple[tuple[str, bytes, bytes], ...]
    """(name, key hash, signature) of each; the name is hostile text."""


def note_hash(name: str, raw: bytes) -> bytes:
    """Return the four bytes that name an Ed25519 key together with its owner."""
    return hashlib.sha256(name.encode("utf-8") + b"\n" + _ED25519 + raw).digest()[:4]


def is_note_name(name: str) -> bool:
    """Say whether a name may stand in a note."""
    return bool(name) and name.isprintable() and not any(character.isspace() or character == "+" for character in name)


def render_signature(name: str, raw: bytes, signature: bytes) -> str:
    """Return the line of one signature.

    Raises:
        DataError: the name can't stand in a note.
    """
    if not is_note_name(name):
        raise DataError("a name in a note has no spaces and no `+`")
    return f"{MARK}{name} {render_base64(note_hash(name, raw) + signature)}\n"


def parse_notes(data: bytes) -> tuple[Note, ...]:
    """Return the notes that stand behind each other in a text, with or without an empty line between.

    Raises:
        DataError: a text has no line of a signature below it, or one that is not of the form.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError("a note is UTF-8 text") from error
    return tuple(_notes([part for part in text.split("\n\n") if part.strip("\n")]))


def _notes(parts: list[str]) -> Iterator[Note]:
    at = 0
    while at < len(parts):
        below = parts[at + 1] if at + 1 < len(parts) else ""
        if parts[at].startswith(MARK) or not below.startswith(MARK):
            raise DataError("a checkpoint has no signature below it")
        rows = below.rstrip("\n").split("\n")
        signed = list(takewhile(lambda row: row.startswith(MARK), rows))
        yield Note(parts[at].lstrip("\n") + "\n", tuple(map(_signature, signed)))
        at += 1
        if len(signed) < len(rows):
            # Behind the signatures begins the next one, as where files were put together.
            parts[at] = "\n".join(rows[len(signed) :])
        else:
            at += 1


def _signature(row: str) -> tuple[str, bytes, bytes]:
    mark, _, rest = row.partition(" ")
    name, _, text = rest.partition(" ")
    data = parse_base64(text)
    if f"{mark} " != MARK or not is_note_name(name) or len(data) != 4 + _SIGNATURE_BYTES:
        raise DataError("a line of a signature is not of the form")
    return name, data[:4], data[4:]
