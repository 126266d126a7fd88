"""Hosts that mean more than a connection."""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_NUMBER: Final = lazy(r"(?:0[xX][0-9a-fA-F]+|\d{5,})(?::\d+)?")
"""An address as one number."""
_METADATA: Final = frozenset(
    "169.254.169.254 169.254.170.2 169.254.170.23 metadata.google.internal 100.100.100.200 [fd00:ec2::254]".split()
)
"""Where a machine in a cloud asks for its own credentials."""


def host_meanings(host: str) -> list[str]:
    """Return the capabilities that connecting to a host is besides: what hides it, and what asks for credentials."""
    found = ["code.obfuscated"] if _NUMBER.fullmatch(host) else []
    if host.removesuffix(":80") in _METADATA:
        found.append("credentials.read")
    return found
