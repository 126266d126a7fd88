"""Checkpoints of trails, to be kept elsewhere: committed, printed in CI, signed by somebody else.

The text is that of C2SP's tlog-checkpoint: origin, size and root (base64), each on a line. Several stand behind each
other, with an empty line between. Source: https://c2sp.org/tlog-checkpoint. No disk here.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from typing import Final

from plugseal.errors import DataError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_ORIGIN: Final = lazy(r"\Aplugseal/([0-9a-f]{16})/([0-9a-f]{64})/(reviews|runs)\Z", re.ASCII)
_SIZE: Final = lazy(r"\A(?:0|[1-9][0-9]{0,17})\Z", re.ASCII)
_MAX_BYTES: Final = 4 * 1024 * 1024


class Checkpoint(NamedTuple):
    """How far one trail had come."""

    installation: str
    """16 hex digits."""
    key: str
    """Of the plugin, 64 hex digits."""
    trail: str
    """`reviews` or `runs`."""
    size: int
    """Entries."""
    root: bytes
    """Over all of them, 32 bytes."""

    @property
    def origin(self) -> str:
        """Return the name of the trail."""
        return f"plugseal/{self.installation}/{self.key}/{self.trail}"


def render_checkpoints(checkpoints: Iterable[Checkpoint]) -> str:
    """Return checkpoints as text."""
    return "\n".join(f"{one.origin}\n{one.size}\n{base64.b64encode(one.root).decode('ascii')}\n" for one in checkpoints)


def parse_checkpoints(data: bytes) -> tuple[Checkpoint, ...]:
    """Return the checkpoints that a text holds; lines of signatures behind them are passed over.

    Raises:
        DataError: it is anything else.
    """
    if len(data) > _MAX_BYTES:
        raise DataError("the file of checkpoints is too large")
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise DataError("a checkpoint is UTF-8 text") from error
    found, at = [], 0
    while at < len(lines):
        if not lines[at] or lines[at].startswith("\u2014 "):
            at += 1
            continue
        found.append(_parse(lines[at : at + 3], at + 1))
        at += 3
    if not found:
        raise DataError("no checkpoint in it", hint="make one with `plugseal log checkpoint`")
    return tuple(found)


def _parse(lines: list[str], number: int) -> Checkpoint:
    origin = _ORIGIN.match(lines[0])
    if origin is None or len(lines) < 3:
        raise DataError("that is no checkpoint of a trail", line=number, hint="`plugseal log checkpoint` makes them")
    if _SIZE.match(lines[1]) is None:
        raise DataError("the size of a checkpoint is a number", line=number + 1)
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (binascii.Error, ValueError):
        root = b""
    # Base64 has spare bits at its end: only one spelling of a root is right.
    if len(root) != 32 or base64.b64encode(root).decode("ascii") != lines[2]:
        raise DataError("the root of a checkpoint is 32 bytes in base64", line=number + 2)
    return Checkpoint(origin[1], origin[2], origin[3], int(lines[1]), root)
