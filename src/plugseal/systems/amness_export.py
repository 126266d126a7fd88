"""What an Amness plugin contributes, from the default export of its file as far as the text tells it.

Every part of the export that Amness documents becomes a component with the moment at which it acts; a part of another
form is a fault. Where code puts the export together, that is said (`partly`, `unread`) and never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from plugseal.lang.ecmascript.exports import read_default_export
from plugseal.lang.ecmascript.static import Kind, Static
from plugseal.model.plugin import Component
from plugseal.systems.amness_parts import LISTS, MAPS, SINGLES, Part, build_components, plain
from plugseal.systems.reading import PluginReader, compact

MARK: Final = b"export default"
"""What Amness looks for before it adds a file."""
EVENTS: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreModel", "PostModel", "PreToolUse", "PostToolUse", "PreCompact", "Stop"}
)
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_MEMORY: Final = ("list", "save", "forget", "search", "context", "delta", "endTurn")
_IDENTITIES: Final = ("definePlugin", "defineTool")
"""Functions of Amness that return what they are given."""


@dataclass(frozen=True, slots=True)
class Contributions:
    """What is known of an export."""

    name: str = ""
    """Empty where it can't be told."""
    description: str = ""
    components: tuple[Component, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    status: str = "unread"
    """`read`, `partly` (there may be more), or `unread`."""
    reason: str = ""
    """Why it was not read."""

    @property
    def said(self) -> list[str]:
        """Return what it contributes as Amness lists it, e.g. `hooks.PreToolUse`."""
        return sorted({dict(component.extra)["contributes"] for component in self.components})


def read_contributions(reader: PluginReader, file: str, data: bytes) -> Contributions:
    """Return what a plugin file contributes; what is wrong with it goes to the reader.

    Args:
        reader: of the folder that holds the file; takes the faults.
        file: relative to the reader's root.
        data: all of the file.
    """
    if MARK not in data:
        reader.fault(file, f"holds no `{MARK.decode()}`, without which Amness does not add it")
    exported = read_default_export(data, "." + file.rpartition(".")[2], identities=_IDENTITIES)
    value = exported.value
    if value is None:
        if MARK in data and "export" in exported.reason:
            reader.fault(file, exported.reason)
        return Contributions(reason=exported.reason)
    if value.kind is Kind.UNKNOWN:
        return Contributions(reason="its default export is put together by code")
    if value.kind is not Kind.OBJECT:
        reader.fault(file, f"exports {_kind(value)} as its default, not an object", line=value.span.line)
        return Contributions()
    return _Export(reader, file, value).contributions()


class _Export:
    """One default export."""

    def __init__(self, reader: PluginReader, file: str, value: Static) -> None:
        self._reader = reader
        self._file = file
        self._value = value
        self._whole = value.whole

    def contributions(self) -> Contributions:
        """Look at every field."""
        name = self._text("name")
        self._check_name(name)
        parts = [part for field in dict(self._value.fields) for part in self._parts(field)]
        components = build_components(self._file, parts)
        status = "read" if self._whole and all(part.value.kind is not Kind.UNKNOWN for part in parts) else "partly"
        extra = {}
        failing = self._value.get("failClosed")
        if failing is not None:
            self._expect("failClosed", failing, Kind.BOOLEAN)
            extra["failClosed"] = compact(plain(failing))
        return Contributions(name, self._text("description"), components, tuple(sorted(extra.items())), status)

    def _check_name(self, name: str) -> None:
        value = self._value.get("name")
        if value is None:
            if self._value.whole:
                self._fault("name", "is missing")
        elif value.kind is Kind.TEXT and not _NAME.fullmatch(name):
            self._fault("name", "may hold letters, digits, `.`, `_` and `-` alone, 1 to 40 of them", value)

    def _text(self, field: str) -> str:
        value = self._value.get(field)
        if value is None or not self._expect(field, value, Kind.TEXT):
            return ""
        return value.text

    def _parts(self, field: str) -> list[Part]:
        value = self._value.get(field)
        if value is None:
            return []
        if field in MAPS:
            return self._of_map(field, value)
        if field in LISTS:
            return self._of_list(field, value)
        if field in SINGLES:
            kinds = (Kind.OBJECT, Kind.FUNCTION) if field == "memory" else (Kind.FUNCTION,)
            self._expect(field, value, *kinds)
            if field == "memory":
                self._check_memory(value)
            return [Part(field, "", value)]
        if field not in ("name", "description", "failClosed"):
            self._whole = False  # Nobody here knows what it is.
        return []

    def _of_map(self, field: str, value: Static) -> list[Part]:
        if not self._expect(field, value, Kind.OBJECT):
            return [Part(field, "", value)] if value.kind is Kind.UNKNOWN else []
        self._whole = self._whole and value.whole
        for key, part in value.fields:
            self._expect(f"{field}.{key}", part, Kind.OBJECT if field == "variants" else Kind.FUNCTION)
            if field == "hooks" and key not in EVENTS:
                self._fault(f"{field}.{key}", "is no event of Amness", part)
        return [Part(field, key, part) for key, part in value.fields]

    def _of_list(self, field: str, value: Static) -> list[Part]:
        if not self._expect(field, value, Kind.LIST):
            return [Part(field, "", value)] if value.kind is Kind.UNKNOWN else []
        self._whole = self._whole and value.whole
        parts = []
        for number, item in enumerate(value.items):
            place = f"{field}.{number}"
            name = item.get("name")
            if self._expect(place, item, Kind.OBJECT):
                self._whole = self._whole and item.whole
                if name is None and item.whole:
                    self._fault(f"{place}.name", "is missing", item)
                elif name is not None:
                    self._expect(f"{place}.name", name, Kind.TEXT)
            parts.append(Part(field, name.text if name is not None else "", item))
        return parts

    def _check_memory(self, value: Static) -> None:
        if value.kind is Kind.OBJECT and value.whole:
            for method in _MEMORY:
                if value.get(method) is None:
                    self._fault(f"memory.{method}", "is missing", value)

    def _expect(self, field: str, value: Static, *kinds: Kind) -> bool:
        """Say whether a value is of a kind; one that is known to be of another is a fault."""
        if value.kind is Kind.UNKNOWN:
            self._whole = False
            return False
        if value.kind in kinds:
            return True
        self._fault(field, f"must be {_words(kinds)}, not {_kind(value)}", value)
        return False

    def _fault(self, field: str, message: str, value: Static | None = None) -> None:
        line = (value or self._value).span.line
        self._reader.fault(self._file, message, line=line, field=field)


_KINDS: Final = {
    Kind.OBJECT: "an object",
    Kind.LIST: "a list",
    Kind.TEXT: "text",
    Kind.NUMBER: "a number",
    Kind.BOOLEAN: "a boolean",
    Kind.NULL: "nothing",
    Kind.FUNCTION: "a function",
    Kind.UNKNOWN: "something computed",
}


def _kind(value: Static) -> str:
    return _KINDS[value.kind]


def _words(kinds: tuple[Kind, ...]) -> str:
    return " or ".join(_KINDS[kind] for kind in kinds)
