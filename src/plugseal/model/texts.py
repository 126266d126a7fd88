"""What counts as white space around a text, where several parts must say the same."""

from __future__ import annotations

from typing import Final

_WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)
"""Unicode's White_Space. Python's own `strip` takes U+001C to U+001F as well, which hosts in Go and Rust leave."""


def trim(text: str) -> str:
    """Return a text without the white space around it, as Go's `strings.TrimSpace` and Rust's `str::trim` do.

    See: https://pkg.go.dev/strings#TrimSpace
    """
    return text.strip(_WHITE_SPACE)
