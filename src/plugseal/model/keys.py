"""A key as it is shown: pure data."""

from __future__ import annotations

from plugseal.records import NamedTuple


class ShownKey(NamedTuple):
    """One public key."""

    keyid: str
    kind: str
    fingerprint: str
    comment: str
    """Hostile text."""
    line: str
    """As OpenSSH writes it."""
    signer_line: str
    """For `allowed_signers`."""
    pem: str
    where: str = ""
    """`agent`, or the line of `allowed_signers`; hostile text."""
    note: str = ""


class MadeKey(NamedTuple):
    """A key that was made."""

    path: str
    public_path: str
    key: ShownKey
    encrypted: bool
