"""The secret of this installation: it seals what plugseal writes, so that copies from elsewhere don't count.

It tells copies and accidents. Whoever runs as the same user can read it: against them only a checkpoint that is kept
elsewhere helps, and the threat model says so.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Final

from plugseal.errors import StateError
from plugseal.patterns import lazy
from plugseal.trust.files import Folder

NAME: Final = "installation.key"
RECORDS: Final = "plugins"
"""Folder of what is sealed by it."""
_SEALED: Final = (".json", ".head", ".runs")
_BYTES: Final = 32
_TEXT: Final = lazy(rb"\A[0-9a-f]{64}\n\Z")
_ID_DOMAIN: Final = b"plugseal-installation-v1\x00"


def read_secret(folder: Folder) -> bytes | None:
    """Return the installation's secret: 32 bytes; None where none was made yet.

    Raises:
        StateError: the file is not a private file of ours, is no secret, or is gone while what it sealed is there.
    """
    data = folder.read(NAME, max_bytes=1024)
    if data is None:
        # Once more behind the look: whoever is the first to record something makes the secret before.
        data = folder.read(NAME, max_bytes=1024) if _has_records(folder) else None
        if data is None and _has_records(folder):
            raise StateError("the installation's secret is missing", place=folder.place(NAME), hint=_HINT)
    if data is None:
        return None
    if _TEXT.match(data) is None:
        raise StateError("the installation's secret is damaged", place=folder.place(NAME), hint=_HINT)
    return bytes.fromhex(data.decode("ascii"))


def _has_records(folder: Folder) -> bool:
    """Say whether anything is recorded that a secret sealed."""
    records = folder.below(RECORDS)
    if records is None:
        return False
    with records:
        return any(name.endswith(_SEALED) for name in records.names())


def make_secret(folder: Folder) -> tuple[bytes, bool]:
    """Return the installation's secret, making it where there is none.

    Returns:
        The secret, and whether it was made just now: say so to the user.

    Raises:
        StateError: it can't be read or made.
    """
    found = read_secret(folder)
    if found is not None:
        return found, False
    with folder.locked(NAME):
        found = read_secret(folder)
        if found is not None:
            return found, False
        secret = os.urandom(_BYTES)
        folder.write(NAME, secret.hex().encode("ascii") + b"\n")
        return secret, True


def installation_id(secret: bytes) -> str:
    """Return the installation's public name: 16 hex digits that tell nothing of the secret."""
    return sha256(_ID_DOMAIN + secret).hexdigest()[:16]


_HINT: Final = "restore it from a backup; without it nothing that was trusted can be believed"
