"""The head of a plugin's two trails: how far they had come, in a file of its own.

A record or a journal that is put back alone, or removed, is older than its head tells. The head is one sector that is
written in place, after the file that it is about and without waiting for the disk: it may lag behind what is stored,
and is never ahead of it. What is put back together with its head can't be told by these files alone; a checkpoint that
is kept elsewhere tells.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final, NamedTuple

from plugseal.errors import StateError, TrailError
from plugseal.trust import fields
from plugseal.trust.files import Folder, write_all
from plugseal.trust.plain import parse_plain, render_plain
from plugseal.trust.record import seal, verify_seal

_SECTOR: Final = 512
_DOMAIN: Final = b"plugseal-head-v1\x00"
_KEYS: Final = ("generation", "reviews", "runs", "anchored", "seal")


class Head(NamedTuple):
    """How far a plugin's trails had come."""

    generation: int = 0
    reviews: int = 0
    """Entries of the reviews there ever were."""
    runs: int = 0
    """Entries of the runs there ever were."""
    anchored: int = 0
    """Entries of the runs that a checkpoint elsewhere tells of: these never change any more, not even by a count."""


class WrittenHead(NamedTuple):
    """A head and the bytes of it: one that stands on the disk byte for byte needs no second look."""

    head: Head = Head()
    data: bytes = b""


def read_head(folder: Folder, name: str, secret: bytes, *, known: WrittenHead | None = None) -> Head:
    """Return a plugin's head, an empty one where there is none.

    Args:
        folder: of the head.
        name: of its file.
        secret: of the installation.
        known: what was written with this secret before.

    Raises:
        StateError: it is malformed.
        TrailError: another installation wrote it.
    """
    data = folder.read(name, max_bytes=_SECTOR)
    if known is not None and data == known.data:
        return known.head
    if not data or not data.strip(b"\x00 \n"):
        return Head()
    found = fields.table(parse_plain(data.rstrip(b" \n")), _KEYS)
    body = {key: found[key] for key in _KEYS if key != "seal"}
    verify_seal(secret, _DOMAIN, render_plain(body), fields.digest(found["seal"]))
    return Head(*(fields.number(found[key]) for key in _KEYS[:4]))


def write_head(folder: Folder, name: str, head: Head, secret: bytes) -> WrittenHead:
    """Overwrite a plugin's head; call it under the plugin's lock, after what it is about was stored.

    Raises:
        StateError: it can't be written: the trails are stored, and may seem newer than their head.
    """
    body = render_plain(
        {"generation": head.generation, "reviews": head.reviews, "runs": head.runs, "anchored": head.anchored}
    )
    # The seal is the key that sorts last.
    sealed = b'%b,"seal":"%b"}' % (body[:-1], seal(secret, _DOMAIN, body).encode("ascii"))
    data = sealed.ljust(_SECTOR - 1) + b"\n"
    descriptor = folder.open_private(name, os.O_WRONLY, create=True)
    try:
        write_all(descriptor, data)
    except OSError as error:
        raise StateError(f"the head can't be written: {error.strerror}", place=folder.place(name)) from error
    finally:
        with suppress(OSError):
            os.close(descriptor)
    return WrittenHead(head, data)


def verify_not_older(head: Head, *, generation: int, reviews: int) -> None:
    """Refuse a record that is older than its head.

    Raises:
        TrailError: an older state was put back, or the record was removed.
    """
    if reviews >= head.reviews and generation >= head.generation:
        return
    if not reviews:
        raise TrailError(f"the record was removed: {head.reviews:,} transitions were written", kind="missing")
    raise TrailError(
        f"an older record was put back: it ends at transition {reviews:,}, {head.reviews:,} were written",
        kind="rolled-back",
    )
