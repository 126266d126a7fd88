"""Settings of clients by their keys: which run something, grant something, send the client elsewhere, or do nothing.

A client's table has one line for each key, `role: key key …`. A key is dotted; `*` stands for any one step and a last
`**` for everything below. What no line names leaves the file unread with the key's name, since it may do anything.

| role | what the value is | what becomes of it |
|---|---|---|
| `quiet` | anything | nothing: it runs, grants and redirects nothing |
| `grant` | anything that is not false, empty or null; `key=a,b` counts these values alone | a grant |
| `deny` | `false` loosens a guard that is on by default | a grant |
| `line` | a line for a shell | a command |
| `program` | a program, or program and arguments | a command |
| `endpoint` | an address | an endpoint |
| `prose` | text that the model obeys | a setting, with its words in the receipt |
| `path` | a file or folder that the client reads or writes | a setting, with its path |
| `environment` | a table of variables | a setting with this environment |
| `skip` | described elsewhere | nothing here |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.launch import entry_file, shell_entry
from plugseal.systems.reading import Document, Path, PluginReader, compact, dotted, kind_of
from plugseal.systems.servers import environment

GRANT: Final = "grant"
"""The key in `Component.extra` under which a setting lists what it grants, as a list of texts."""
_IDLE: Final[tuple[object, ...]] = (None, False, "", [], {})


@dataclass(frozen=True, slots=True)
class _Role:
    role: str
    values: frozenset[str] = frozenset()
    """Of a grant: the only values that grant, empty for all."""


@lru_cache(maxsize=32)
def parse_roles(text: str) -> Mapping[str, _Role]:
    """Return a client's table by key, from lines of `role: key key …`."""
    table: dict[str, _Role] = {}
    for line in text.strip().splitlines():
        role, _, keys = line.strip().partition(": ")
        for word in keys.split():
            key, _, values = word.partition("=")
            table[key] = _Role(role, frozenset(values.split(",")) if values else frozenset())
    return table


def setting_components(
    reader: PluginReader, document: Document, roles: str, *, trigger: str = "start", path: Path = ()
) -> tuple[Component, ...]:
    """Describe what a document's settings run, grant and redirect.

    Args:
        reader: takes unknown keys and faults.
        document: the settings.
        roles: the client's table, as `parse_roles` reads it.
        trigger: when the client obeys them.
        path: where the table of settings stands in the document.
    """
    table = parse_roles(roles)
    found: list[Component] = []
    for place, value, role in _walk(reader, document, table, path, len(path)):
        found.extend(_component(reader, document, place, value, role, trigger, dotted(place[len(path) :])))
        if len(found) > MAX_DECLARED:
            reader.fault_at(document, place, f"declares more than {MAX_DECLARED:,}: not all were read")
            break
    return tuple(found)


def _walk(
    reader: PluginReader, document: Document, table: Mapping[str, _Role], path: Path, start: int
) -> Iterator[tuple[Path, object, _Role]]:
    """Yield every value that a role is known for, in the order of the document; name the others unknown."""
    for key, value in reader.declared(document, path).items():
        place = (*path, key)
        role = _role_of(table, tuple(str(step) for step in place[start:]))
        if role is not None:
            yield place, value, role
        elif isinstance(value, dict) and _goes_deeper(table, tuple(str(step) for step in place[start:])):
            yield from _walk(reader, document, table, place, start)
        else:
            reader.unknown_key(document, place)


def _role_of(table: Mapping[str, _Role], steps: tuple[str, ...]) -> _Role | None:
    """Return the role of a key: spelled out, or with one `*`, or below a `**`."""
    for pattern in _patterns(steps):
        role = table.get(pattern)
        if role is not None:
            return role
    return None


def _patterns(steps: tuple[str, ...]) -> Iterator[str]:
    yield ".".join(steps)
    for at in range(len(steps) - 1, -1, -1):
        yield ".".join((*steps[:at], "*", *steps[at + 1 :]))
    for count in range(len(steps) - 1, 0, -1):
        yield ".".join((*steps[:count], "**"))
        if count > 1:
            yield ".".join((*steps[: count - 1], "*", "**"))


def _goes_deeper(table: Mapping[str, _Role], steps: tuple[str, ...]) -> bool:
    """Say whether the table knows keys below this one."""
    starts = {f"{pattern}." for pattern in _patterns(steps) if not pattern.endswith("**")}
    return any(key.startswith(start) for key in table for start in starts)


def _component(
    reader: PluginReader, document: Document, path: Path, value: object, role: _Role, trigger: str, name: str
) -> Iterator[Component]:
    if role.role in ("quiet", "skip"):
        return
    if role.role == "deny":
        if value is False:
            yield granting(document, path, name, (f"{name} = false",), trigger=trigger)
    elif role.role == GRANT:
        granted = tuple(_granted(name, value, role.values))
        if granted:
            yield granting(document, path, name, granted, trigger=trigger)
    elif value not in _IDLE:
        yield _setting(reader, document, path, value, role.role, trigger, name)


def granting(
    document: Document, path: Path, name: str, granted: Iterable[str], *, trigger: str = "start", gate: str = ""
) -> Component:
    """Return a setting by which a client is let off asking, or reaches further.

    Args:
        document: the settings.
        path: where it stands.
        name: as the client calls it.
        granted: what it grants, in a few words each.
        trigger: when the client obeys it.
        gate: what the client asks first.
    """
    span = document.locate(path)
    return Component(
        kind=ComponentKind.SETTING,
        name=name,
        file=document.file,
        span=span,
        trigger=trigger,
        gate=gate,
        extra=((GRANT, compact(list(granted))),),
        places=((f"extra.{GRANT}", span),),
    )


def _granted(name: str, value: object, values: frozenset[str]) -> Iterator[str]:
    """Yield what a value grants in words: each item of a list by itself."""
    if value in _IDLE:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _granted(f"{name}.{key}", inner, values)
        return
    for item in value if isinstance(value, list) else (value,):
        text = item if isinstance(item, str) else compact(item)
        if not values or text in values:
            yield f"{name} = {text}"


def _setting(
    reader: PluginReader, document: Document, path: Path, value: object, role: str, trigger: str, name: str
) -> Component:
    common = Component(
        kind=ComponentKind.SETTING,
        name=name,
        file=document.file,
        span=document.locate(path),
        trigger=trigger,
        places=(("command.0", document.locate_value(path)), ("endpoint", document.locate_value(path))),
    )
    return _FILLS[role](reader, document, path, value, common)


def _line(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    if not isinstance(value, str):
        reader.fault_at(document, path, f"must be text, not {kind_of(value)}")
        return _words(reader, document, path, value, common)

    entry = shell_entry(value, reader.is_file)
    return replace(common, transport="exec", command=(value,), shell=True, entry=entry)  # noqa: S604  # nosec B604  # a fact


def _program(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    if isinstance(value, str):
        words: tuple[str, ...] = (value,)
    elif isinstance(value, dict):
        words = tuple(_table_words(value))
    else:
        words = reader.texts(document, path)
    if not words:
        return _words(reader, document, path, value, common)
    entry = entry_file(words, None, reader.is_file)
    rest = (("value", compact(value)),) if isinstance(value, dict) else ()
    return replace(common, transport="exec", command=words, entry=entry, extra=rest)


def _table_words(table: Mapping[str, object]) -> Iterator[str]:
    """Yield program and arguments of a table such as `{"path": "zsh", "args": ["-l"]}`."""
    for key in ("command", "path", "program"):
        if isinstance(table.get(key), str):
            yield str(table[key])
            break
    else:
        return
    arguments = table.get("args", table.get("arguments"))
    if isinstance(arguments, list):
        yield from (str(word) for word in arguments)


def _endpoint(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    if not isinstance(value, str):
        return _words(reader, document, path, value, common)
    return replace(common, transport="http", endpoint=value)


def _words(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    del reader
    return replace(common, extra=(("value", compact(value)),), places=(("extra.value", document.locate_value(path)),))


def _environment(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    if not isinstance(value, dict):
        return _words(reader, document, path, value, common)
    sources, literals = environment(reader, document, path)
    places = tuple((f"env.{name}", document.locate_value((*path, name))) for name in value)
    return replace(common, environment=sources, literals=literals, places=places)


_FILLS: Final = {
    "line": _line,
    "program": _program,
    "endpoint": _endpoint,
    "prose": _words,
    "path": _words,
    "environment": _environment,
}
