"""Forms of texts that several systems' rules share: versions, and what counts as white space."""

from __future__ import annotations

from typing import Final

from plugseal.model.texts import trim as trim
from plugseal.patterns import lazy

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_PRE_RELEASE: Final = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
SEMVER: Final = lazy(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRE_RELEASE}(?:\.{_PRE_RELEASE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
"""See: https://semver.org"""
