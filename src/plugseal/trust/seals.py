"""The seal of this installation: HMAC-SHA256 by its secret, over what it writes.

It tells copies from elsewhere and accidents; whoever has the secret can seal anything.
"""

from __future__ import annotations

import hmac
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from plugseal.errors import TrailError

if TYPE_CHECKING:
    from hashlib import _Hash

_BLOCK_BYTES: Final = 64
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


def seal(secret: bytes, domain: bytes, data: bytes) -> str:
    """Return the MAC of data by the installation's secret, in hex.

    Law: `seal(secret, domain, data) == hmac.digest(secret, domain + data, "sha256").hex()`; each event is sealed twice,
    and what depends on the secret and the domain alone is made once.

    Args:
        secret: of the installation.
        domain: what is sealed: one of a few constants.
        data: of any length.
    """
    begun, ended = _keyed(secret, domain)
    inner, outer = begun.copy(), ended.copy()
    inner.update(data)
    outer.update(inner.digest())
    return outer.hexdigest()


def verify_seal(secret: bytes, domain: bytes, data: bytes, found: str) -> None:
    """Refuse data that this installation did not seal.

    Raises:
        TrailError: another installation or somebody without the secret wrote it.
    """
    if not hmac.compare_digest(seal(secret, domain, data), found):
        raise TrailError("was not written by this installation: the seal does not fit", kind="forged")


@lru_cache(maxsize=16)
def _keyed(secret: bytes, domain: bytes) -> tuple[_Hash, _Hash]:
    """Return the two hashes of RFC 2104 as they stand before the data; nobody changes them."""
    key = (sha256(secret).digest() if len(secret) > _BLOCK_BYTES else secret).ljust(_BLOCK_BYTES, b"\0")
    return sha256(key.translate(_INNER) + domain), sha256(key.translate(_OUTER))
