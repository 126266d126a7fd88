"""What Codewhale asks of texts, names and tables, as checks that gather every fault of a manifest at once.

A message never quotes a value: manifests hold credentials by mistake, and what is wrong is said by field and line.
Numbers in messages are inclusive limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from plugseal.systems.reading.reader import Document, Path, PluginReader, kind_of, lookup
from plugseal.systems.reading.texts import trim

MAX_VALUES: Final = 64
"""Paths of a component, servers, arguments, variables, headers, and most other lists."""
_CONTROLS: Final = r"[\x00-\x1f\x7f-\x9f]"
_TURNS: Final = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
_PLUGIN_NAME: Final = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?"
_SERVER_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?"
_VARIABLE: Final = r"[A-Za-z_][A-Za-z0-9_]{0,127}"
_HEADER: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}"
_NUMBER: Final = r"(?:0|[1-9][0-9]{0,19})"
_WORD: Final = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-{_WORD}(?:\.{_WORD})*)?(?:\+{_BUILD})?"
_MAX_NUMBER: Final = 2**64 - 1
_MAX_VERSION_CHARACTERS: Final = 256


class Check:
    """Look at one manifest and remember every fault in its reader."""

    def __init__(self, reader: PluginReader, document: Document) -> None:
        self.reader = reader
        self.document = document

    def fault(self, path: Path, message: str) -> None:
        """Remember what is wrong with a field."""
        self.reader.fault_at(self.document, path, message)

    def value(self, path: Path) -> object:
        """Return the value of a field, None where it is absent."""
        return lookup(self.document.value, path)

    def table(self, path: Path, known: frozenset[str]) -> Mapping[str, object]:
        """Return a table, with a fault for each key that it may not have."""
        value = self.value(path)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fault(path, f"must be a table, not {kind_of(value)}")
            return {}
        for key in value:
            if key not in known:
                self.fault((*path, key), "is no field that Codewhale knows")
        return value

    def free_table(self, path: Path) -> Mapping[str, object]:
        """Return a table whose keys are the author's own."""
        value = self.value(path)
        if value is None or isinstance(value, dict):
            return value or {}
        self.fault(path, f"must be a table, not {kind_of(value)}")
        return {}

    def text(self, path: Path, limit: int) -> str | None:
        """Return a text of 1 to `limit` characters, None where it is absent or no text."""
        value = self.value(path)
        if value is None:
            return None
        if not isinstance(value, str):
            self.fault(path, f"must be text, not {kind_of(value)}")
            return None
        self.judge(path, text_fault(value, limit))
        return value

    def texts(self, path: Path, limit: int, *, is_set: bool = True) -> tuple[str, ...]:
        """Return a list of at most 64 texts of 1 to `limit` characters each.

        Args:
            path: of the list.
            limit: of each text.
            is_set: whether two that differ in letter case alone are a fault.
        """
        value = self.value(path)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fault(path, "must be a list of texts")
            return ()
        if len(value) > MAX_VALUES:
            self.fault(path, f"has {len(value):,} values, {MAX_VALUES} are allowed")
            return tuple(value)
        seen: set[str] = set()
        for index, item in enumerate(value):
            self.judge((*path, index), text_fault(item, limit))
            folded = _ascii_lower(item)
            if is_set and folded in seen:
                self.fault((*path, index), "stands there twice")
            seen.add(folded)
        return tuple(value)

    def boolean(self, path: Path, *, default: bool) -> bool:
        """Return a boolean, the default where it is absent or none."""
        value = self.value(path)
        if value is not None and not isinstance(value, bool):
            self.fault(path, f"must be a boolean, not {kind_of(value)}")
        return value if isinstance(value, bool) else default

    def judge(self, path: Path, message: str | None) -> None:
        """Remember a message, if there is one."""
        if message is not None:
            self.fault(path, message)


def text_fault(text: str, limit: int) -> str | None:
    """Say what is wrong with a text: blank, too long, control characters, characters that turn its direction.

    What shows nothing but turns nothing (zero width, tags) passes here, as in Codewhale; a rule finds it.
    """
    length = len(trim(text))
    if not length:
        return "must not be blank"
    if length > limit:
        return f"has {length:,} characters, {limit:,} are allowed"
    if re.search(_CONTROLS, text):
        return "may not hold control characters"
    return "may not hold characters that turn the direction of text" if re.search(_TURNS, text) else None


def plugin_name_fault(name: str) -> str | None:
    """Say what is wrong with a plugin's name."""
    if re.fullmatch(_PLUGIN_NAME, name):
        return None
    return "must be 1 to 64 of a-z, 0-9 and hyphens, with a letter or digit at both ends"


def server_name_fault(name: str) -> str | None:
    """Say what is wrong with a server's name."""
    if re.fullmatch(_SERVER_NAME, name):
        return None
    return "must be named by 1 to 64 of A-Z, a-z, 0-9, hyphen and underscore, with a letter or digit at both ends"


def version_fault(version: str) -> str | None:
    """Say what is wrong with a version, which may have white space around it."""
    text = trim(version)
    match = re.fullmatch(_VERSION, text) if len(text) <= _MAX_VERSION_CHARACTERS else None
    if match is not None and all(int(number) <= _MAX_NUMBER for number in match.groups()):
        return None
    return "must be a semantic version, e.g. 1.0.0"


def variable_fault(name: str) -> str | None:
    """Say what is wrong with the name of an environment variable."""
    return None if re.fullmatch(_VARIABLE, name) else "must be the name of an environment variable"


def header_fault(name: str) -> str | None:
    """Say what is wrong with the name of an HTTP header."""
    return None if re.fullmatch(_HEADER, name) else "must be the name of an HTTP header"


def is_rooted(path: str) -> bool:
    r"""Say whether a path begins at a root on any system: `/x`, `\x`, `C:\x`."""
    return path.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", path) is not None


def _ascii_lower(text: str) -> str:
    return "".join(character.lower() if character.isascii() else character for character in text)
