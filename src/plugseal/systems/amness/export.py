"""What an Amness plugin contributes, from the default export of its file as far as the text tells it.

Every part of the export that Amness documents becomes a component with the moment at which it acts; a part of another
form is a fault. Where code puts the export together, that is said (`partly`, `unread`) and never guessed.
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.ecmascript.exporting.exports import read_default_export
from plugseal.lang.ecmascript.exporting.static import Kind, Static
from plugseal.model.plugin import Component
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.amness.parts import LISTS, MAPS, SINGLES, Part, build_components, plain
from plugseal.systems.reading.reader import PluginReader, compact

MARK: Final = b"export default"
"""What `amness plugin add` looks for in a file."""
EVENTS: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreModel", "PostModel", "PreToolUse", "PostToolUse", "PreCompact", "Stop"}
)
_NAME: Final = lazy(r"[A-Za-z0-9._-]{1,40}")
REFUSES: Final = "`amness plugin add` refuses it"
_MEMORY: Final = ("list", "save", "forget", "search", "context", "delta", "endTurn")
_FUNCTIONS_OF: Final = {"tools": "run", "commands": "run", "gates": "check"}
"""The function without which an item of a list does nothing."""
_KINDS_OF: Final = {
    "tools": (("description", Kind.TEXT), ("readOnly", Kind.BOOLEAN)),
    "commands": (("help", Kind.TEXT),),
    "gates": (("maxRejections", Kind.NUMBER),),
    "cases": (("task", Kind.TEXT), ("verify", Kind.TEXT)),
}
_MADE: Final = "its default export is put together by code"
_IDENTITIES: Final = ("definePlugin", "defineTool")
"""Functions of Amness that return what they are given."""


class Contributions(NamedTuple):
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
    stops: tuple[str, ...] = ()
    """Why Amness does not load the file, in its documented words' sense; other faults only keep a part from working."""
    open_because: str = ""
    """Why it can't be told whether Amness loads it; empty where it can."""

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
    exported = read_default_export(data, "." + file.rpartition(".")[2], identities=_IDENTITIES)
    value = exported.value
    if exported.is_certain:
        reader.fault(file, exported.reason)
        return Contributions(reason=exported.reason, stops=(exported.reason,))
    if MARK not in data:
        reader.fault(file, f"holds no `{MARK.decode()}`, without which {REFUSES}")
    if value is None:
        return Contributions(reason=exported.reason, open_because=exported.reason)
    if value.kind is Kind.UNKNOWN:
        return Contributions(reason=_MADE, open_because=_MADE)
    if value.kind is not Kind.OBJECT:
        why = f"exports {_kind(value)} as its default, not an object"
        reader.fault(file, why, line=value.span.line)
        return Contributions(stops=(why,))
    return _Export(reader, file, value).contributions()


class _Export:
    """One default export."""

    def __init__(self, reader: PluginReader, file: str, value: Static) -> None:
        self._reader = reader
        self._file = file
        self._value = value
        self._whole = value.whole
        self._stops: list[str] = []
        self._open = "" if value.whole else _MADE

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
        return Contributions(
            name,
            self._text("description"),
            components,
            tuple(sorted(extra.items())),
            status,
            stops=tuple(self._stops),
            open_because=self._open,
        )

    def _check_name(self, name: str) -> None:
        value = self._value.get("name")
        if value is None:
            if self._value.whole:
                self._fault("name", "is missing", stops=True)
        elif value.kind is Kind.TEXT and not _NAME.fullmatch(name):
            self._fault("name", "may hold letters, digits, `.`, `_` and `-` alone, 1 to 40 of them", value, stops=True)

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
            if field == "hooks" and not _is_told(value):
                self._open = self._open or "code puts its `hooks` together"
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
                self._check_item(field, place, item)
            parts.append(Part(field, name.text if name is not None else "", item))
        return parts

    def _check_item(self, field: str, place: str, item: Static) -> None:
        """Look at what an item of a list must have beside its name."""
        wanted = _FUNCTIONS_OF.get(field)
        acts = item.get(wanted) if wanted else None
        if acts is not None:
            self._expect(f"{place}.{wanted}", acts, Kind.FUNCTION)
        elif wanted and item.whole:
            self._fault(f"{place}.{wanted}", "is missing", item)
        for key, kind in _KINDS_OF[field]:
            value = item.get(key)
            if value is not None:
                self._expect(f"{place}.{key}", value, kind)
        check = item.get("check") if field == "cases" else None
        if check is not None:
            self._expect(f"{place}.check", check, Kind.FUNCTION, Kind.TEXT)

    def _check_memory(self, value: Static) -> None:
        """Look for the seven methods, in the object or in what a function plainly returns."""
        made = value.result[0] if value.result else value
        if made.kind is not Kind.OBJECT:
            return
        for method in _MEMORY:
            found = made.get(method)
            if found is not None:
                self._expect(f"memory.{method}", found, Kind.FUNCTION)
            elif made.whole:
                self._fault(f"memory.{method}", "is missing", made)

    def _expect(self, field: str, value: Static, *kinds: Kind) -> bool:
        """Say whether a value is of a kind; one that is known to be of another is a fault."""
        if value.kind is Kind.UNKNOWN:
            self._whole = False
            if field == "name":
                self._open = self._open or "code puts its `name` together"
            return False
        if value.kind in kinds:
            return True
        stops = field in ("name", "hooks") or field.startswith("hooks.")
        self._fault(field, f"must be {_words(kinds)}, not {_kind(value)}", value, stops=stops)
        return False

    def _fault(self, field: str, message: str, value: Static | None = None, *, stops: bool = False) -> None:
        line = (value or self._value).span.line
        self._reader.fault(self._file, message, line=line, field=field)
        if stops:
            self._stops.append(f"`{field}` {message}")


def _is_told(hooks: Static) -> bool:
    """Say whether the text tells if hooks are a map of functions."""
    if hooks.kind is not Kind.OBJECT:
        return hooks.kind is not Kind.UNKNOWN
    return hooks.whole and all(part.kind is not Kind.UNKNOWN for _, part in hooks.fields)


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
