"""Forms of texts that several systems' rules share: versions, and what counts as white space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.texts import trim as trim
from plugseal.patterns import lazy

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_PRE_RELEASE: Final = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
SEMVER: Final = lazy(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRE_RELEASE}(?:\.{_PRE_RELEASE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
"""See: https://semver.org"""
READS: Final = "reads"
"""The key in `Component.extra` under which a text lists the files that a client puts into it."""


def texts_in(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text of a document with its place; how deep documents are is bounded where they are parsed."""
    if isinstance(value, str):
        yield path, value
    items: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield from texts_in(inner, (*path, key))
