"""Texts as bytes and back, in the encodings that `Buffer` knows."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from plugseal.lang.folded import MAX_TEXT

_LATIN: Final = frozenset(("latin1", "binary", "ascii"))
_UTF16: Final = frozenset(("utf16le", "ucs2", "ucs-2", "utf-16le"))


def decode_base64(text: str) -> bytes | None:
    """Return the bytes of a base64 text, of either alphabet and with or without its padding."""
    bare = re.sub(r"[\s=]", "", text).replace("-", "+").replace("_", "/")
    if len(bare) > MAX_TEXT or not re.fullmatch(r"[A-Za-z0-9+/]*", bare):
        return None
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return None


def decode_bytes(data: bytes, encoding: str) -> str | None:
    """Return bytes as a text in one of the encodings of `Buffer`."""
    encoding = encoding.lower()
    if encoding in ("utf8", "utf-8", ""):
        return data.decode("utf-8", "replace")
    if encoding == "hex":
        return data.hex()
    if encoding in ("base64", "base64url"):
        return base64.b64encode(data).decode("ascii")
    if encoding in _UTF16:
        return data.decode("utf-16-le", "replace")
    return data.decode("latin-1") if encoding in _LATIN else None


def encode_text(text: str, encoding: str) -> bytes | None:
    """Return a text as bytes in one of the encodings of `Buffer`."""
    encoding = encoding.lower()
    if encoding == "hex":
        pairs = re.match(r"(?:[0-9a-fA-F]{2})*", text)
        return bytes.fromhex(pairs[0]) if pairs else b""
    if encoding in ("base64", "base64url"):
        return decode_base64(text)
    if encoding in _UTF16:
        return text.encode("utf-16-le", "surrogatepass")
    return text.encode("latin-1", "replace") if encoding in _LATIN else text.encode("utf-8", "replace")
