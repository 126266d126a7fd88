"""Settings of clients by their keys: which run something, grant something, send the client elsewhere, or do nothing.

A client's table has one line for each key, `role: key key …`. A key is dotted; `*` stands for any one step and a last
`**` for all that is below and has no line of its own. What no line names leaves the file unread with the key's name,
since it may do anything.

| role | what the value is | what becomes of it |
|---|---|---|
| `quiet` | anything | nothing: it runs, grants and redirects nothing |
| `grant` | anything that is not false, empty or null; `key=a,b` counts these values alone | a grant |
| `deny` | `false` loosens a guard that is on by default | a grant |
| `line` | a line for a shell | a command |
| `program` | a program, or program and arguments; a switch or a number starts nothing | a command |
| `endpoint` | an address | an endpoint |
| `prose` | text that the model obeys | a setting, with its words in the receipt |
| `path` | a file or folder that the client reads or writes | a setting, with its path |
| `reads` | a file or files whose text is put before the model | a setting, with what is read |
| `environment` | a table of variables | a setting with this environment |
| `skip` | described elsewhere | nothing here |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file, shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, dotted, kind_of
from plugseal.systems.reading.texts import READS

GRANT: Final = "grant"
"""The key in `Component.extra` under which a setting lists what it grants, as a list of texts."""
_TRUSTING: Final = lazy(r"(?i)trust|allow|approv|auto_?run|unsafe|bypass|skip|danger|strict|verif|yolo")
_NAMING: Final = lazy(
    r"(?i)(paths?|commands?|exec(utable)?|bin(ary)?|interpreter|args|arguments|env|shell|runtime|server|ur[il]|proxy|"
    r"endpoint|sdk|home|scripts?|hooks?|program|wrapper)\Z"
)
"""Ends of names of settings that commonly name something to run or to connect to: no family makes these quiet."""
_IDLE: Final[tuple[object, ...]] = (None, False, "", [], {})


class _Role(NamedTuple):
    role: str
    values: frozenset[str]
    """Of a grant: the only values that grant, empty for all."""


class _Node:
    """The keys that a table knows below one, as a tree: looking a key up costs no more the longer the table is."""

    __slots__ = ("below", "family", "role")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.role: _Role | None = None
        self.family: _Role | None = None
        """The role of every key below this one that has none of its own."""


@lru_cache(maxsize=32)
def parse_roles(text: str) -> _Node:
    """Return a client's table as a tree of keys, from lines of `role: key key …`."""
    top = _Node()
    for line in text.strip().splitlines():
        name, _, keys = line.strip().partition(": ")
        for word in keys.split():
            key, _, values = word.partition("=")
            role = _Role(name, frozenset(values.split(",")) if values else frozenset())
            *steps, last = key.split(".")
            node = top
            for step in steps if last == "**" else (*steps, last):
                node = node.below.setdefault(step, _Node())
            if last == "**":
                node.family = role
            else:
                node.role = role
    return top


def setting_components(
    reader: PluginReader, document: Document, roles: str, *, trigger: str = "start", path: Path = (), flat: bool = False
) -> tuple[Component, ...]:
    """Describe what a document's settings run, grant and redirect.

    Args:
        reader: takes unknown keys and faults.
        document: the settings.
        roles: the client's table, as `parse_roles` reads it.
        trigger: when the client obeys them.
        path: where the table of settings stands in the document.
        flat: whether keys hold their dots themselves, as in editors, whose extensions bring any number of settings: a
            switch or a number of one that nobody here knows is then passed over unless its name speaks of trust.
    """
    found: list[Component] = []
    for place, value, role in _walk(reader, document, _At((parse_roles(roles),)), path, flat=flat):
        found.extend(_component(reader, document, place, value, role, trigger, dotted(place[len(path) :])))
        if len(found) > MAX_DECLARED:
            reader.fault_at(document, place, f"declares more than {MAX_DECLARED:,}: not all were read")
            break
    return tuple(found)


def _walk(
    reader: PluginReader, document: Document, at: _At, path: Path, *, flat: bool
) -> Iterator[tuple[Path, object, _Role]]:
    """Yield every value that a role is known for, in the order of the document; name the others unknown."""
    for key, value in reader.declared(document, path).items():
        place = (*path, key)
        here = at.below(key.split(".") if flat else (key,))
        role = here.role
        is_switch = isinstance(value, (bool, int, float)) or value is None
        is_parted = role is not None and role.role == "program" and isinstance(value, dict) and here.goes_deeper
        if role is not None and not is_parted:
            yield place, value, role
        elif isinstance(value, dict) and flat and key.startswith("["):  # Settings for one language.
            yield from _walk(reader, document, at, place, flat=flat)
        elif isinstance(value, dict) and here.goes_deeper:
            yield from _walk(reader, document, here, place, flat=flat)
        elif here.family is not None and not (flat and not is_switch and _NAMING.search(key)):
            yield place, value, here.family
        elif not (flat and is_switch and not _TRUSTING.search(key)):
            reader.unknown_key(document, place)


class _At(NamedTuple):
    """Where a walk stands in a table: the nodes that fit the keys so far, spelled ones before `*`, and the family."""

    nodes: tuple[_Node, ...]
    family: _Role | None = None

    def below(self, steps: Iterable[str]) -> _At:
        """Return where the walk stands some keys further down."""
        nodes, family = self.nodes, self.family
        for step in steps:
            found = [child for node in nodes for child in (node.below.get(step), node.below.get("*")) if child]
            nodes = tuple(dict.fromkeys(found))
            family = next((node.family for node in nodes if node.family), family)
        return _At(nodes, family)

    @property
    def role(self) -> _Role | None:
        """The role of this very key."""
        return next((node.role for node in self.nodes if node.role), None)

    @property
    def goes_deeper(self) -> bool:
        """Whether the table knows keys below this one."""
        return any(node.below for node in self.nodes)


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
    elif value not in _IDLE and not (role.role == "program" and isinstance(value, (bool, int, float))):
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
    return common._replace(transport="exec", command=(value,), shell=True, entry=entry)  # noqa: S604  # nosec B604  # a fact


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
    return common._replace(transport="exec", command=words, entry=entry, extra=rest)


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
    return common._replace(transport="http", endpoint=value)


def _words(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    del reader
    return common._replace(extra=(("value", compact(value)),), places=(("extra.value", document.locate_value(path)),))


def _reads(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    del reader
    files = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]
    place = document.locate_value(path)
    return common._replace(
        extra=((READS, compact(files)), ("value", compact(value))), places=((f"extra.{READS}", place),)
    )


def _environment(reader: PluginReader, document: Document, path: Path, value: object, common: Component) -> Component:
    if not isinstance(value, dict):
        return _words(reader, document, path, value, common)
    sources, literals = environment(reader, document, path)
    places = tuple((f"env.{name}", document.locate_value((*path, name))) for name in value)
    return common._replace(environment=sources, literals=literals, places=places)


_FILLS: Final = {
    "line": _line,
    "program": _program,
    "endpoint": _endpoint,
    "prose": _words,
    "path": _words,
    "reads": _reads,
    "environment": _environment,
}
