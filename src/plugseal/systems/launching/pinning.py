"""How surely a package, image or URL as written is the same code tomorrow. Pure text; nothing is looked up."""

from __future__ import annotations

import re
from typing import Final

from plugseal.model.plugin import Package, Pinning
from plugseal.patterns import lazy

_EXACT: Final = lazy(
    r"(?:@|==)v?[0-9]+\.[0-9]+\.[0-9][0-9A-Za-z.+-]*(?:/.*)?$"  # name@1.2.3, go's @v1.2.3
    r"|==[0-9][0-9A-Za-z.+-]*$"  # name==1.2, exact in Python
    r"|@v?[0-9]+\.[0-9]+\.[0-9]+/"  # a URL with its version
    r"|@sha256:[0-9a-f]{64}$"
    r"|[@#/=][0-9a-f]{40}(?:[/#?].*)?$"  # a commit
)
"""Node's `name@1.2` is a range; Python's is exact, and rare enough to ask for the third number."""
_DIGEST: Final = lazy(r"@(sha256:[0-9a-f]{64})$|[@#/=]([0-9a-f]{40})(?:[/#?].*)?$")
_TAG: Final = lazy(r":v?[0-9][0-9A-Za-z._-]*$")
_FULL_TAG: Final = lazy(r":v?[0-9]+\.[0-9][0-9A-Za-z._-]*$")
_RANGE: Final = lazy(r"(?<=.)@[~^<>=v ]*[0-9][^/]*$|(?:[<>~!]=?|===?)\s*[0-9]")
_URL: Final = lazy(r"(?:[a-z][a-z0-9+.]{1,10}://|git\+|git@|github:|gitlab:|bitbucket:)", re.I)
MAX_PACKAGE_CHARACTERS: Final = 4_096


def is_exact(package: str, *, container: bool = False) -> bool:
    """Say whether a package, image or URL as written always stands for the same code, as far as its source promises."""
    text = package[:MAX_PACKAGE_CHARACTERS]
    return _EXACT.search(text) is not None or (container and _FULL_TAG.search(text) is not None)


def build_package(name: str | None, source: str) -> Package:
    """Return a package with how it is pinned.

    Args:
        name: as written, None where it is not said.
        source: as `Package.source`.
    """
    if name is None:
        return Package(None, source, Pinning.FLOATING.value)
    text = name[:MAX_PACKAGE_CHARACTERS]
    found = _DIGEST.search(text)
    digest = (found[1] or found[2]) if found else ""
    return Package(name, source, _pinning(text, source, digest).value, digest)


def _pinning(text: str, source: str, digest: str) -> Pinning:
    if source == "url" or _URL.match(text):
        return Pinning.URL
    if "$" in text:
        return Pinning.FLOATING  # Whatever its default says, the environment decides.
    if source == "image":
        return Pinning.EXACT if digest else Pinning.VERSIONED if _TAG.search(text) else Pinning.FLOATING
    if _EXACT.search(text):
        return Pinning.EXACT
    return Pinning.VERSIONED if _RANGE.search(text) else Pinning.FLOATING
