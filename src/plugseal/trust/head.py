"""The head of a plugin's two trails: how far they had come, in a file of its own.

A record or a journal that is put back alone, or removed, is older than its head tells. The head is one sector that is
written in place, after the file that it is about and without waiting for the disk: it may lag behind what is stored,
and is never ahead of it. What is put back together with its head can't be told by these files alone; a checkpoint that
is kept elsewhere tells.
"""

from __future__ import annotations

import hmac
import json
import os
from contextlib import suppress
from typing import Final

from plugseal.errors import StateError, TrailError
from plugseal.records import NamedTuple
from plugseal.trust import fields
from plugseal.trust.files import Folder, write_at
from plugseal.trust.plain import parse_plain, render_plain
from plugseal.trust.private import what_to_do
from plugseal.trust.seals import seal, verify_seal

HEAD_BYTES: Final = 512
"""One sector, which a disk writes as a whole or not at all."""
_DOMAIN: Final = b"plugseal-head-v1\x00"
_KEYS: Final = ("generation", "reviews", "runs", "anchored", "seal")
_BODY: Final = b'{"anchored":%d,"generation":%d,"reviews":%d,"runs":%d}'
"""As `render_plain` writes it."""
_SEAL_BYTES: Final = len(',"seal":""}') + 64


class Head(NamedTuple):
    """How far a plugin's trails had come."""

    generation: int = 0
    reviews: int = 0
    """Entries of the reviews there ever were."""
    runs: int = 0
    """Entries of the runs there ever were."""
    anchored: int = 0
    """Entries of the runs that a checkpoint elsewhere tells of: these never change any more, not even by a count."""


def read_head(folder: Folder, name: str, secret: bytes) -> Head:
    """Return a plugin's head, an empty one where there is none.

    Args:
        folder: of the head.
        name: of its file.
        secret: of the installation.

    Raises:
        StateError: it is malformed.
        TrailError: another installation wrote it.
    """
    return parse_head(folder.read(name, max_bytes=HEAD_BYTES) or b"", secret)


def parse_head(data: bytes, secret: bytes) -> Head:
    """Return the head that these bytes hold, an empty one where nothing is in them.

    Raises:
        StateError: it is malformed.
        TrailError: another installation wrote it.
    """
    if not is_told(data):
        return Head()
    text = data.rstrip(b" \n")
    own = text[:-_SEAL_BYTES] + b"}"
    keys = _KEYS[:-1]
    if hmac.compare_digest(_sealed(own, secret), text):
        # Byte for byte what was written here.
        found = fields.table(json.loads(own), keys)
    else:
        found = fields.table(parse_plain(text), _KEYS)
        verify_seal(secret, _DOMAIN, render_plain({key: found[key] for key in keys}), fields.digest(found["seal"]))
    return Head(*(fields.number(found[key]) for key in keys))


def is_told(data: bytes) -> bool:
    """Say whether these bytes of a head tell anything; a file that was cut to nothing, or never written, does not."""
    return bool(data.strip(b"\x00 \n"))


def render_head(head: Head, secret: bytes) -> bytes:
    """Return a head as bytes, sealed: one sector."""
    body = _BODY % (head.anchored, head.generation, head.reviews, head.runs)
    return _sealed(body, secret).ljust(HEAD_BYTES - 1) + b"\n"


def write_head(folder: Folder, name: str, head: Head, secret: bytes) -> None:
    """Overwrite a plugin's head; call it under the plugin's lock, after what it is about was stored.

    Raises:
        StateError: it can't be written: the trails are stored, and may seem newer than their head.
    """
    descriptor = folder.open_private(name, os.O_WRONLY, create=True)
    try:
        put_head(folder, name, descriptor, render_head(head, secret))
    finally:
        with suppress(OSError):
            os.close(descriptor)


def put_head(folder: Folder, name: str, descriptor: int, data: bytes) -> None:
    """Overwrite an open head.

    Raises:
        StateError: as `write_head`.
    """
    try:
        write_at(descriptor, data, 0)
    except OSError as error:
        place = folder.place(name)
        why = (error.strerror or "").lower()
        raise StateError(f"the head can't be written: {why}", place=place, hint=what_to_do(place, error)) from error


def verify_not_older(head: Head, *, generation: int, reviews: int) -> None:
    """Refuse a record that is older than its head.

    Raises:
        TrailError: an older state was put back, or the record was removed.
    """
    if reviews >= head.reviews and generation >= head.generation:
        return
    if not reviews:
        were = "one transition was" if head.reviews == 1 else f"{head.reviews:,} transitions were"
        raise TrailError(f"the record was removed: {were} written", kind="missing")
    raise TrailError(
        f"an older record was put back: it ends at transition {reviews:,}, {head.reviews:,} were written",
        kind="rolled-back",
    )


def _sealed(body: bytes, secret: bytes) -> bytes:
    # The seal is the key that sorts last.
    return b'%b,"seal":"%b"}' % (body[:-1], seal(secret, _DOMAIN, body).encode("ascii"))
