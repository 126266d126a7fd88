"""Requests of an MCP client as the small server sees them: which version each is of, and how its answer goes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from plugseal.records import NamedTuple
from plugseal.runtime.frames import Frame

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`, oldest first."""
STATELESS: Final = "2026-07-28"
"""The version whose requests each say their version."""
VERSIONS: Final = (*HANDSHAKE, STATELESS)
PARSE, INVALID, NO_METHOD, BAD_PARAMS, OURS, BAD_VERSION = -32700, -32600, -32601, -32602, -32001, -32022
META: Final = "io.modelcontextprotocol/"
"""Before the names of what the protocol itself puts into `_meta`."""


class Batch:
    """Answers to messages that came as one array and go back as one."""

    def __init__(self, left: int) -> None:
        """Begin without answers.

        Args:
            left: how many of them want one.
        """
        self._left = left
        self._answers: list[bytes] = []

    def add(self, answer: bytes) -> bytes:
        """Take one answer, empty for none, and return all of them once they are there, else nothing."""
        self._left -= 1
        self._answers += [answer.rstrip()] if answer else []
        return b"[" + b",".join(self._answers) + b"]\n" if self._answers and not self._left else b""


class Request(NamedTuple):
    """One message that wants an answer."""

    frame: Frame
    batch: Batch | None
    """With which others it came, None where it came alone."""

    @property
    def params(self) -> dict[str, Any]:
        """Return its parameters, empty where it has none."""
        found = self.frame.body.get("params")
        return found if isinstance(found, dict) else {}

    @property
    def is_stateless(self) -> bool:
        """Say whether it says its own version."""
        meta = self.params.get("_meta")
        return isinstance(meta, dict) and f"{META}protocolVersion" in meta


def check_meta(meta: Mapping[str, Any]) -> tuple[int, str] | tuple[int, str, object] | None:
    """Return what is wrong with what a stateless request says of itself, None if nothing is."""
    version = meta[f"{META}protocolVersion"]
    if not isinstance(version, str) or not isinstance(meta.get(f"{META}clientCapabilities"), dict):
        return BAD_PARAMS, "`_meta` needs the text `protocolVersion` and the object `clientCapabilities`"
    if version != STATELESS:
        return BAD_VERSION, "Unsupported protocol version", {"supported": list(VERSIONS), "requested": version}
    return None
