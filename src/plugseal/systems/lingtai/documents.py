"""JSON as lingtai reads it, to say what it would make of a document that our own parser refuses.

It reads UTF-8 without a mark and takes what Python's `json` takes: the last of repeated keys, NaN, lone surrogates.
What makes it end with an exception that nothing catches is a crash here, never one of ours. Our verdict on the plugin
never rests on this reading.
"""

from __future__ import annotations

import json

from plugseal.limits import MAX_DATA_BYTES, MAX_NUMBER_DIGITS
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.reading.reader import PluginReader

_SAFE_DEPTH = 500
"""Levels that Python's parser takes on every version; it gives up near 1,000 on some."""
_STRING = lazy(r'"[^"]*"?')
_LONG_NUMBER = lazy(rf"(?<![0-9.eE+])[0-9]{{{MAX_NUMBER_DIGITS + 1},}}(?![0-9.eE])")
_NOT_STRUCTURE = lazy(r"[^\[\]{}]+")


class Loose(NamedTuple):
    """What lingtai gets out of a document."""

    value: object = None
    error: str = ""
    """Why it refuses the document."""
    crash: str = ""
    """The exception that it ends with."""
    leak: str = ""
    """What it reads that is not in the plugin; then the rest is not known."""


def read_loosely(reader: PluginReader, file: str) -> Loose | None:
    """Return a JSON document of a plugin as lingtai reads it, None where lingtai sees no file."""
    real = reader.real(file)
    if real is None:
        if not reader.exists(file):
            return None
        return Loose(leak=f"`{file}` is a link out of the plugin, in a circle or nowhere: its target is read unseen")
    if not reader.listing.is_file(real):
        return None
    data = reader.listing.kept.get(real)
    if data is None or len(data) > MAX_DATA_BYTES:
        return Loose(error=f"`{file}` was not read: too large for a manifest, for which lingtai has no limit")
    return parse_loosely(data, file)


def parse_loosely(data: bytes, file: str) -> Loose:
    """Return JSON as Python's parser reads it with lingtai's care for errors."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Loose(crash=f"UnicodeDecodeError: `{file}` is not UTF-8, and only errors of JSON are caught")
    if _depth(text) > _SAFE_DEPTH:
        return Loose(crash=f"RecursionError: `{file}` nests deeper than {_SAFE_DEPTH}, and Python's parser gives up")
    if _has_long_number(text):
        return Loose(crash=f"ValueError: `{file}` holds a number of more than {MAX_NUMBER_DIGITS:,} digits")
    try:
        return Loose(json.loads(text))
    except ValueError:
        # The parser's own words differ between Pythons.
        return Loose(error=f"cannot read {file}: not valid JSON")


def _depth(text: str) -> int:
    """Return how deep brackets nest outside strings."""
    depth = deepest = 0
    for mark in _NOT_STRUCTURE.sub("", _without_strings(text)):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _has_long_number(text: str) -> bool:
    """Say whether Python refuses a number outside strings for its length, and not for its syntax."""
    if _LONG_NUMBER.search(text) is None:
        return False
    return _LONG_NUMBER.search(_without_strings(text)) is not None


def _without_strings(text: str) -> str:
    return _STRING.sub("", text.replace("\\\\", "").replace('\\"', ""))
