"""Forms of texts that several systems' rules share: versions, and what counts as white space."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_PRE_RELEASE: Final = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
SEMVER: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRE_RELEASE}(?:\.{_PRE_RELEASE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
"""See: https://semver.org"""
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
